#!/usr/bin/env python3
"""Hashing by shards against one run, and how evenly listings are cut. Prints Markdown; see bench/README.md.

    bench/plan.py overhead PFH [FILES]     16 shards on two processes against one run with two threads, side by side
    bench/plan.py split PFH [ALGORITHMS]   one file of 2 GiB in parts, on two processes, against one process
    bench/plan.py imbalance PFH TREE...    heaviest shard over mean of real trees, for N = 16, 64, 256
    bench/plan.py simulate SIMULATE TREE   listings of up to 10^8 files with the sizes of TREE (`cargo build --example simulate`)
"""

import json
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 7
SHARDS = 16


def seconds(*commands: list[str], cwd: str) -> float:
    """Runs commands at once, and returns the time until the last one has ended."""
    begun = time.perf_counter()
    running = [subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL) for command in commands]
    if any([process.wait() for process in running]):
        raise SystemExit(f"failed: {commands}")
    return time.perf_counter() - begun


def tree(root: pathlib.Path, files: int) -> None:
    """Makes files of 0 to 16 KiB, a hundred in each directory."""
    draw = random.Random(1)
    block = draw.randbytes(16384)
    for number in range(files):
        folder = root / f"{number // 10000:03}" / f"{number // 100:06}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        (folder / f"{number:07}").write_bytes(block[: draw.randrange(16384)])


def overhead(pfh: str, files: int) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="pfh-plan-") as scratch:
        tree(pathlib.Path(scratch) / "t", files)
        (pathlib.Path(scratch) / "empty").mkdir()
        times: dict[str, list[float]] = {}

        def note(name: str, *commands: list[str]) -> None:
            times.setdefault(name, []).append(seconds(*commands, cwd=scratch))

        for _ in range(ROUNDS):
            note("one run, two threads", [pfh, "hash", "-t", "2", "-o", "one", "t"])
            note("one run that writes JSON Lines, as tasks do", [pfh, "hash", "-t", "2", "-f", "jsonl", "-o", "lines", "t"])
            note("pfh shard", [pfh, "shard", "-q", "-o", "plan", "--shards", str(SHARDS), "t"])
            tasks = [[pfh, "hash", "-q", "--plan", "plan", "-t", "1", "--shard", f"{one}/2"] for one in range(2)]
            note(f"{SHARDS} shards, two processes", *tasks)
            note("pfh merge", [pfh, "merge", "-q", "plan", "-o", "merged"])
            if (pathlib.Path(scratch) / "one").read_bytes() != (pathlib.Path(scratch) / "merged").read_bytes():
                raise SystemExit("the lists differ")
            shutil.rmtree(pathlib.Path(scratch) / "plan")
            subprocess.run([pfh, "shard", "-q", "-o", "plan", "--shards", str(SHARDS), "empty"], cwd=scratch, check=True)
            note(f"start: {SHARDS} shards without files, two processes", *tasks)
            shutil.rmtree(pathlib.Path(scratch) / "plan")
        one = times["one run, two threads"]
        print(f"| {files:,} files, 0 to 16 KiB, in memory | ratio to one run (median of {ROUNDS}; least to most) |")
        print("| --- | --- |")
        for name, each in times.items():
            ratios = [a / b for a, b in zip(each, one)]
            print(f"| {name} | {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}) |")


def split(pfh: str, algorithms: str) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="pfh-plan-") as scratch:
        with open(pathlib.Path(scratch) / "file", "wb") as file:
            block = random.Random(1).randbytes(1 << 24)
            for number in range(128):
                file.write(bytes([number]) + block[1:])
        times: dict[str, list[float]] = {}

        def note(name: str, *commands: list[str]) -> None:
            times.setdefault(name, []).append(seconds(*commands, cwd=scratch))

        for _ in range(ROUNDS):
            note("one process, one thread", [pfh, "hash", "-q", "-a", algorithms, "-t", "1", "-o", "one", "file"])
            note("one process, two threads", [pfh, "hash", "-q", "-a", algorithms, "-t", "2", "-o", "one", "file"])
            wanted = ["--split", "64M", "--shards", "8", "-a", algorithms]
            note("pfh shard", [pfh, "shard", "-q", "-o", "plan", *wanted, "file"])
            tasks = [[pfh, "hash", "-q", "--plan", "plan", "-t", "1", "--shard", f"{one}/2"] for one in range(2)]
            note("8 shards of 32 parts, two processes", *tasks)
            note("pfh merge", [pfh, "merge", "-q", "plan", "-o", "merged"])
            if (pathlib.Path(scratch) / "one").read_bytes() != (pathlib.Path(scratch) / "merged").read_bytes():
                raise SystemExit("the lists differ")
            shutil.rmtree(pathlib.Path(scratch) / "plan")
        one = times["one process, one thread"]
        print(f"| one file of 2 GiB, {algorithms} | ratio (median of {ROUNDS}; least to most) | median |")
        print("| --- | --- | --- |")
        for name, each in times.items():
            ratios = [a / b for a, b in zip(each, one)]
            spread = f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
            print(f"| {name} | {spread} | {statistics.median(each):.3f} s |")


def imbalance(pfh: str, trees: list[str]) -> None:
    counts = (16, 64, 256)
    print("| tree | files | bytes | longest file | " + " | ".join(f"N = {count}" for count in counts) + " |")
    print("| --- |" + " --- |" * (3 + len(counts)))
    for path in trees:
        cells = []
        for count in counts:
            with tempfile.TemporaryDirectory() as scratch:
                subprocess.run([pfh, "shard", "-q", "-x", "-o", "plan", "--shards", str(count), path], cwd=scratch)
                plan = json.loads((pathlib.Path(scratch) / "plan" / "plan.json").read_text())
            mean = plan["weight"] / count
            cells.append(f"{max(one['weight'] for one in plan['lists']) / mean:.2f}")
        share = (plan["longest_file"]["size"] + plan["per_file_bytes"]) / plan["weight"]
        print(f"| {path} | {plan['files']:,} | {plan['bytes'] / 1e6:,.0f} MB | {100 * share:.2f} % of the weight | {' | '.join(cells)} |")


def simulate(program: str, tree: str) -> None:
    with tempfile.NamedTemporaryFile("w") as sizes:
        subprocess.run(["find", tree, "-xdev", "-type", "f", "-printf", "%s\n"], stdout=sizes, check=True)
        plans, nodes = [], []
        for files in (10**5, 10**6, 10**7, 10**8):
            for shards in (256, 2048):
                out = subprocess.run([program, sizes.name, str(files), str(shards)], capture_output=True, text=True, check=True)
                rows = [line.split("\t") for line in out.stdout.splitlines()]
                plans += [row[1:] for row in rows if row[0] == "plan"]
                nodes += [row[1:] for row in rows if row[0] == "nodes"]
        print("| files | N | heaviest shard over mean | longest file, share of the weight |")
        print("| --- | --- | --- | --- |")
        for files, shards, heaviest, longest, *_ in plans:
            print(f"| {int(files):,} | {shards} | {heaviest} | {100 * float(longest):.4f} % |")
        print("\nTime of all, in parts of that of one node; and the nodes' time over the ideal:\n")
        print("| files | N | " + " | ".join(f"{count} nodes" for count in (1, 2, 4, 8, 16, 32, 64)) + " |")
        print("| --- | --- |" + " --- |" * 7)
        for start in range(0, len(nodes), 7):
            group = nodes[start : start + 7]
            cells = [f"{float(row[3]):.4f} ({float(row[4]):.3f})" for row in group]
            print(f"| {int(group[0][0]):,} | {group[0][1]} | {' | '.join(cells)} |")


def main() -> None:
    match sys.argv[1:]:
        case ["overhead", pfh, *files]:
            overhead(str(pathlib.Path(pfh).resolve()), int(files[0]) if files else 100_000)
        case ["split", pfh, *algorithms]:
            split(str(pathlib.Path(pfh).resolve()), algorithms[0] if algorithms else "blake3")
        case ["imbalance", pfh, *trees] if trees:
            imbalance(str(pathlib.Path(pfh).resolve()), trees)
        case ["simulate", program, tree]:
            simulate(str(pathlib.Path(program).resolve()), tree)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
