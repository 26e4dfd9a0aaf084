#!/usr/bin/env python3
"""Is the adaptive mode, with its default options, as fast as the best of the published modes?

Makes corpora, shows them as devices (`pfh lab mount`, a program with the feature `slowfs`), and hashes them by `pfh hash`
in every mode, with several numbers of threads and prefetchers: each run on a mount of its own, and so with a cold cache,
in an order that is shuffled in each round. Prints a Markdown table: for each device, corpus and algorithm the median of
adaptive, the best of the others with its options, and the ratio. `memory` as a device is the corpus itself, in the page cache; minima are compared there,
because whatever else runs disturbs them.

    cargo build --release -p pfh --features slowfs
    bench/adaptive.py --corpus /tmp/corpora --rounds 3 > table.md
"""

import argparse
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def make(place, name):
    """Makes a corpus, unless it is there, and returns its folder."""
    folder = place / name
    if folder.is_dir():
        return folder
    random.seed(name)
    partial = place / (name + ".partial")
    kinds = {
        # Documents: log-normal around 60 KiB, with a tail up to 20 MB.
        "mixed": (600, lambda: min(20_000_000, int(random.lognormvariate(math.log(60 * 1024), 1.5)))),
        "small": (1000, lambda: int(random.lognormvariate(math.log(4 * 1024), 0.8))),
        "long": (8, lambda: random.randrange(8_000_000, 24_000_000)),
    }
    count, size = kinds[name]
    for number in range(count):
        directory = partial / f"d{number // 40:03}"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"f{number:05}").write_bytes(random.randbytes(size()))
    partial.rename(folder)
    return folder


class Mount:
    """A corpus as a device shows it."""

    def __init__(self, pfh, corpus, device):
        self.point = tempfile.mkdtemp(prefix="adaptive-")
        command = [pfh, "lab", "mount", corpus, self.point, "--device", device, "--until-closed"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if not line.startswith("mounted"):
            sys.exit(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        os.rmdir(self.point)


def options(threads, prefetchers):
    """The runs that are compared: adaptive as it is, and the published modes with all their options."""
    yield ("adaptive",)
    for count in threads:
        yield ("--mode", "smt", "-t", str(count))
    for count in prefetchers:
        for more in sorted({max(1, hashers) for hashers in threads if hashers <= 2}):
            yield ("--mode", "mtp", "-t", str(count + more), "-p", str(count))


def hash_once(pfh, root, algorithm, option):
    arguments = list(option) if option[0].startswith("-") else []
    started = time.perf_counter()
    ended = subprocess.run([pfh, "hash", "-a", algorithm, *arguments, "."], cwd=root, stdout=subprocess.PIPE)
    took = time.perf_counter() - started
    if ended.returncode != 0:
        sys.exit(f"{option}: status {ended.returncode}")
    return took, ended.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pfh", default=str(ROOT / "target/release/pfh"))
    parser.add_argument("--corpus", type=pathlib.Path, required=True, help="folder for the corpora, some 500 MB")
    parser.add_argument("--devices", default="hdd,ssd,nas,memory")
    parser.add_argument("--corpora", default="mixed,small,long")
    parser.add_argument("--algorithms", default="md5,sha256,ssdeep")
    parser.add_argument("--threads", default="1,2,4,8")
    parser.add_argument("--prefetchers", default="1,2,4,8")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", help="an older program, whose adaptive mode is measured beside this one's")
    parser.add_argument("--all", action="store_true", help="print the median of every run")
    given = parser.parse_args()
    numbers = lambda text: [int(number) for number in text.split(",")]
    runs = list(options(numbers(given.threads), numbers(given.prefetchers)))
    before = ("before",)
    if given.before:
        runs.append(before)
    print("| device | corpus | algorithm | adaptive s | best other s | its options | ratio | ratio before |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    worst = 0
    for device in given.devices.split(","):
        for name in given.corpora.split(","):
            corpus = make(given.corpus, name)
            for algorithm in given.algorithms.split(","):
                times = {run: [] for run in runs}
                expected = hash_once(given.pfh, corpus, algorithm, ("adaptive",))[1]
                for _ in range(given.rounds):
                    for run in random.sample(runs, len(runs)):
                        pfh = given.before if run == before else given.pfh
                        if device == "memory":
                            took, output = hash_once(pfh, corpus, algorithm, run)
                        else:
                            mount = Mount(given.pfh, str(corpus), device)
                            took, output = hash_once(pfh, mount.point, algorithm, run)
                            mount.end()
                        if output != expected:
                            sys.exit(f"{device} {name} {algorithm} {run}: another list")
                        times[run].append(took)
                of = min if device == "memory" else statistics.median
                summary = {run: of(values) for run, values in times.items()}
                own = summary.pop(("adaptive",))
                old = summary.pop(before, math.nan)
                best = min(summary, key=summary.get, default=None)
                other = summary[best] if best else own
                worst = max(worst, own / other)
                words = " ".join(best or ()).replace("--mode ", "")
                print(f"| {device} | {name} | {algorithm} | {own:.3f} | {other:.3f} | {words} | {own / other:.2f} | {old / other:.2f} |", flush=True)
                if given.all:
                    for run, took in sorted(summary.items(), key=lambda item: item[1]):
                        print(f"    {took:.3f} {' '.join(run)} {['%.3f' % t for t in times[run]]}", flush=True)
    print(f"\nworst ratio: {worst:.2f}")


main()
