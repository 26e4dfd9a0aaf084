#!/usr/bin/env python3
"""Compares what the laboratory measures of OpenSSL with what `openssl speed` says in the same minutes.

    python3 bench/lab/overhead.py --pfh target/release/pfh > bench/lab/overhead.md

Each round gives every algorithm a run of overhead.toml, then `openssl speed` with the same sizes, in shuffled order. The table has
the medians over the rounds; the ratio is the median of the rounds' ratios, whose quartiles stand beside it. It exits with 1 where a ratio is
off by more than 3 %.
"""

import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

ALGORITHMS = ["md5", "sha1", "sha256", "sha512"]
SIZES = [16 << 10, 64 << 10, 1 << 20]
TOLERANCE = 0.03
MIB = 1 << 20


def laboratory(pfh, algorithm, folder):
    """MiB/s by size of a message, by the wall clock: of all repeats together, since `openssl speed` has no median either."""
    definition = pathlib.Path(__file__).with_name("overhead.toml")
    subprocess.run([pfh, "lab", "run", definition, "--algorithm", algorithm, "-o", folder], check=True, capture_output=True)
    samples = {}
    for line in (pathlib.Path(folder) / "results.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if entry["type"] == "sample":
            samples.setdefault(entry["bytes"] // entry["count"], []).append((entry["bytes"] / MIB, entry["wall_ns"] / 1e9))
    return {size: sum(mib for mib, _ in all) / sum(seconds for _, seconds in all) for size, all in samples.items()}


def speed(algorithm, size, seconds):
    """MiB/s, by the wall clock as well."""
    command = ["openssl", "speed", "-mr", "-elapsed", "-seconds", str(seconds), "-bytes", str(size), "-evp", algorithm]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rate = next(line for line in printed.splitlines() if line.startswith("+F:")).split(":")[-1]
    return float(rate) / MIB


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pfh", default="pfh", help="the program")
    parser.add_argument("--rounds", type=int, default=9, help="at least 2")
    parser.add_argument("--seconds", type=int, default=1, help="of each `openssl speed`")
    options = parser.parse_args()

    rates = {(algorithm, size): [] for algorithm in ALGORITHMS for size in SIZES}
    for _ in range(options.rounds):
        for algorithm in random.sample(ALGORITHMS, len(ALGORITHMS)):
            with tempfile.TemporaryDirectory() as folder:
                ours = laboratory(options.pfh, algorithm, pathlib.Path(folder) / "results")
            for size in random.sample(SIZES, len(SIZES)):
                rates[algorithm, size].append((ours[size], speed(algorithm, size, options.seconds)))

    version = subprocess.run(["openssl", "version"], capture_output=True, text=True).stdout.split(" (")[0].strip()
    print(f"# The laboratory against `openssl speed`\n\n{version}, {options.rounds} rounds, by `bench/lab/overhead.py`.\n")
    print("| algorithm | bytes | laboratory, MiB/s | `openssl speed`, MiB/s | ratio | quartiles |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    worst = 0
    for (algorithm, size), pairs in rates.items():
        ours, theirs = (statistics.median(column) for column in zip(*pairs))
        low, ratio, high = statistics.quantiles([one / other for one, other in pairs], n=4, method="inclusive")
        print(f"| {algorithm} | {size} | {ours:.0f} | {theirs:.0f} | {ratio:.3f} | {low:.3f} to {high:.3f} |")
        worst = max(worst, abs(ratio - 1))
    verdict = "within" if worst <= TOLERANCE else "NOT within"
    print(f"\nThe ratio furthest from 1 is off by {worst:.1%}: {verdict} {TOLERANCE:.0%}.")
    sys.exit(worst > TOLERANCE)


if __name__ == "__main__":
    main()
