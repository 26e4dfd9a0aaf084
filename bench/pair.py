#!/usr/bin/env python3
"""Runs commands in turn, and prints the median time, the median of the ratios to the first command in the same turn, and
the most memory of each: pair.py TURNS COMMAND -- COMMAND [-- COMMAND ...]. A turn before the first is not counted."""

import os
import statistics
import subprocess
import sys
import time

turns, commands, words = int(sys.argv[1]), [], []
for word in sys.argv[2:] + ["--"]:
    if word == "--":
        commands.append(words)
        words = []
    else:
        words.append(word)
seconds, memory = [[] for _ in commands], [0] * len(commands)
for turn in range(turns + 1):
    for place, command in enumerate(commands):
        begun = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        usage = os.wait4(process.pid, 0)[2]
        if turn > 0:
            seconds[place].append(time.monotonic() - begun)
            memory[place] = max(memory[place], usage.ru_maxrss)
for place, command in enumerate(commands):
    ratio = statistics.median(own / first for own, first in zip(seconds[place], seconds[0]))
    least, middle, most = min(seconds[place]), statistics.median(seconds[place]), max(seconds[place])
    kib = memory[place]
    print(f"{middle:.3f} s ({least:.3f} to {most:.3f}), ratio {ratio:.3f}, {kib // 1024} MiB: {' '.join(command)}")
