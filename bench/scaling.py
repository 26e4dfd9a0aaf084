#!/usr/bin/env python3
"""Time by number of threads, of trees in the page cache. Prints Markdown; see bench/README.md.

    bench/scaling.py times PFH DIRECTORY [SECONDS]     the tables; makes three trees in DIRECTORY, which take 10 GB
    bench/scaling.py apart PFH DIRECTORY [SECONDS]     threads beside processes of one thread, each with its part of the tree
    bench/scaling.py waits PFH TREE THREADS [SECONDS]  share of the threads' time in each system call, and at each lock
"""

import collections
import concurrent.futures
import ctypes
import multiprocessing
import os
import pathlib
import random
import statistics
import subprocess
import sys
import time

DIGESTS = ["none", "md5", "sha256", "md5,sha256", "blake3"]
ROUNDS = 5
PIECE_BYTES = 256 * 1024


def threads() -> list[int]:
    """1, 2, 4, 8, 12 and 16, as far as this machine has hardware threads."""
    return [count for count in (1, 2, 4, 8, 12, 16) if count <= len(os.sched_getaffinity(0))]


def folder(place: tuple[pathlib.Path, int, int]) -> None:
    """Makes one directory of a tree. The mean and the spread of sizes are those of an installed system."""
    tree, number, files = place
    draw = random.Random(f"{tree.name} {number}")
    here = tree / f"{number // 100:03}" / f"{number:05}"
    here.mkdir(parents=True)
    for file in range(files):
        match tree.name:
            case "small":
                size = 4096
            case "mixed":
                size = min(int(draw.lognormvariate(8.3, 1.9)), 16 << 20)
            case _:
                size = 64 << 20
        with open(here / f"{file:03}", "wb") as made:
            while size > 0:
                size -= made.write(draw.randbytes(min(size, 1 << 20)))


def trees(root: pathlib.Path) -> dict[str, list[int]]:
    """Makes the trees that are missing, and returns the sizes of the files of each."""
    sizes = {}
    for name, folders, files in (("small", 2_000, 100), ("mixed", 20_000, 10), ("long", 64, 1)):
        if not (root / name).exists():
            with concurrent.futures.ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
                list(pool.map(folder, [(root / name, number, files) for number in range(folders)], chunksize=16))
        sizes[name] = [file.stat().st_size for file in (root / name).rglob("*") if file.is_file()]
    # Pages that are still to be written would be written during the measurement.
    os.sync()
    return sizes


def copied(wait: multiprocessing.Barrier, into_itself: bool, done: multiprocessing.Queue) -> None:
    """Copies 512 MiB piece by piece, and puts the bytes in a second. Into itself, the destination is one piece."""
    source = ctypes.create_string_buffer(512 << 20)
    target = ctypes.create_string_buffer(PIECE_BYTES if into_itself else 512 << 20)
    ctypes.memset(source, 1, len(source))
    ctypes.memset(target, 1, len(target))
    (read, write), pieces = (ctypes.addressof(source), ctypes.addressof(target)), (512 << 20) // PIECE_BYTES
    wait.wait()
    begun = time.perf_counter()
    for _ in range(4):
        for piece in range(pieces):
            ctypes.memmove(write + (0 if into_itself else piece * PIECE_BYTES), read + piece * PIECE_BYTES, PIECE_BYTES)
    done.put(4 * (512 << 20) / (time.perf_counter() - begun))


def bandwidth(count: int, into_itself: bool) -> float:
    """Bytes in a second that `count` processes copy at once."""
    wait, done = multiprocessing.Barrier(count), multiprocessing.Queue()
    running = [multiprocessing.Process(target=copied, args=(wait, into_itself, done)) for _ in range(count)]
    for process in running:
        process.start()
    rates = [done.get() for _ in running]
    for process in running:
        process.join()
    return sum(rates)


def cell(value: float, one: float, count: int) -> str:
    return f"{one / value:.2f} ({100 * one / value / count:.0f} %)"


def times(pfh: str, root: pathlib.Path, most: float) -> None:
    root.mkdir(parents=True, exist_ok=True)
    sizes, counts = trees(root), threads()
    seconds: dict[tuple[str, str, int], list[float]] = collections.defaultdict(list)
    begun, draw = time.monotonic(), random.Random(1)
    for turn in range(ROUNDS + 1):
        runs = [(tree, digest, count) for tree in sizes for digest in DIGESTS for count in counts]
        # The first turn fills the page cache and is not counted; one run of each tree is enough for that.
        runs = [(tree, "none", counts[-1]) for tree in sizes] if turn == 0 else draw.sample(runs, len(runs))
        if turn > 1 and (time.monotonic() - begun) * turn / (turn - 1) > most:
            break
        for tree, digest, count in runs:
            start = time.perf_counter()
            subprocess.run([pfh, "hash", "-q", "-a", digest, "-t", str(count), tree], cwd=root, stdout=subprocess.DEVNULL, check=True)
            if turn > 0:
                seconds[tree, digest, count].append(time.perf_counter() - start)
    turns = len(seconds["small", "none", 1])
    print(f"Medians of {turns} rounds. Ratios are to one thread, in parentheses the share of linear.\n")
    for tree, files in sizes.items():
        title = f"`{tree}`: {len(files):,} files, {sum(files) / 1e9:.2f} GB, the longest {max(files) / 1e6:.3f} MB"
        print(f"| {title} | one thread, s | " + " | ".join(f"{count} threads" for count in counts[1:]) + " |")
        print("| --- | --- |" + " --- |" * len(counts[1:]))
        for digest in DIGESTS:
            own = {count: statistics.median(seconds[tree, digest, count]) for count in counts}
            cells = [cell(own[count], own[1], count) for count in counts[1:]]
            print(f"| {digest} | {own[1]:.3f} | {' | '.join(cells)} |")
        print()
    print("| memory | one process, GB/s | " + " | ".join(f"{count} processes" for count in counts[1:]) + " |")
    print("| --- | --- |" + " --- |" * len(counts[1:]))
    for name, into_itself in (("copied within memory", False), ("copied into 256 KiB", True)):
        rates = {count: statistics.median(bandwidth(count, into_itself) for _ in range(3)) for count in counts}
        cells = [f"{rates[count] / rates[1]:.2f} ({100 * rates[count] / rates[1] / count:.0f} %)" for count in counts[1:]]
        print(f"| {name} | {rates[1] / 1e9:.1f} | {' | '.join(cells)} |")


def parts(tree: pathlib.Path, count: int) -> list[list[str]]:
    """Deals the directories of a tree to `count` processes."""
    folders = sorted(tree.iterdir())
    if len(folders) < 100:
        folders = sorted(tree.glob("*/*"))
    return [[str(folder) for folder in folders[first::count]] for first in range(count)]


def together(pfh: str, digest: str, places: list[list[str]], threads: int) -> tuple[float, float]:
    """Seconds, and seconds of processor time, that one process for each of `places` takes. All begin at once."""
    read, write = os.pipe()
    command = ["sh", "-c", 'read -r _; exec "$0" "$@"', pfh, "hash", "-q", "-a", digest, "-t", str(threads)]
    running = [subprocess.Popen(command + place, stdin=read, stdout=subprocess.DEVNULL) for place in places]
    os.close(read)
    time.sleep(0.02)
    start = time.perf_counter()
    # They wait for the end of this pipe.
    os.close(write)
    used = [os.wait4(process.pid, 0)[2] for process in running]
    return time.perf_counter() - start, sum(one.ru_utime + one.ru_stime for one in used)


def apart(pfh: str, root: pathlib.Path, most: float) -> None:
    """Processes share neither a walk, nor a queue, nor memory, nor descriptors: their time is the machine's own limit."""
    root.mkdir(parents=True, exist_ok=True)
    sizes, counts = trees(root), threads()
    cells = [(tree, digest, count) for tree in sizes for digest in ("none", "md5", "sha256") for count in counts]
    seconds: dict[tuple[str, str, int, bool], list[tuple[float, float]]] = collections.defaultdict(list)
    begun, draw = time.monotonic(), random.Random(1)
    for turn in range(ROUNDS + 1):
        if turn > 1 and (time.monotonic() - begun) * turn / (turn - 1) > most:
            break
        for tree, digest, count in draw.sample(cells, len(cells)) if turn > 0 else [(tree, "none", counts[-1]) for tree in sizes]:
            one = together(pfh, digest, [[str(root / tree)]], count)
            many = together(pfh, digest, parts(root / tree, count), 1)
            if turn > 0:
                seconds[tree, digest, count, True].append(one)
                seconds[tree, digest, count, False].append(many)
    print(f"Medians of {len(seconds['small', 'none', 1, True])} rounds: seconds, share of linear, seconds of processor time.\n")
    print("| tree, digest | | " + " | ".join(str(count) for count in counts) + " |")
    print("| --- | --- |" + " --- |" * len(counts))
    for tree, digest in dict.fromkeys((tree, digest) for tree, digest, _ in cells):
        for name, shared in (("threads", True), ("processes", False)):
            own = {count: [statistics.median(one) for one in zip(*seconds[tree, digest, count, shared])] for count in counts}
            shares = [f"{own[count][0]:.3f} ({100 * own[1][0] / own[count][0] / count:.0f} %; {own[count][1]:.2f})" for count in counts]
            print(f"| `{tree}`, {digest} | {name} | {' | '.join(shares)} |")


def waits(pfh: str, tree: str, count: int, most: float) -> None:
    """Samples where threads are. The first word of `syscall` is `running`, or the number of the call; a lock is told by the end of its address."""
    print(f"| {tree}, {count} threads | samples | running | waiting at a lock or for work (futex) | other system calls |")
    print("| --- | --- | --- | --- | --- |")
    for digest in DIGESTS:
        seen: collections.Counter[str] = collections.Counter()
        begun = time.monotonic()
        while time.monotonic() - begun < most:
            process = subprocess.Popen([pfh, "hash", "-q", "-a", digest, "-t", str(count), tree], stdout=subprocess.DEVNULL)
            tasks = pathlib.Path(f"/proc/{process.pid}/task")
            while process.poll() is None:
                for task in tasks.iterdir():
                    try:
                        # The first thread waits for the others all the time, and the one named ctrl-c for a signal.
                        if task.name != str(process.pid) and (task / "comm").read_text() != "ctrl-c\n":
                            words = (task / "syscall").read_text().split()
                            seen[f"futex {words[1][-3:]}" if words[0] == "202" else words[0]] += 1
                    except OSError:
                        pass
        total = sum(seen.values()) or 1
        futex = {key: value for key, value in seen.items() if key.startswith("futex")}
        calls = total - seen["running"] - sum(futex.values())
        most_often = ", ".join(f"{key[6:]} {100 * value / total:.1f} %" for key, value in sorted(futex.items(), key=lambda one: -one[1])[:4])
        shares = [100 * one / total for one in (seen["running"], sum(futex.values()), calls)]
        print(f"| {digest} | {total:,} | {shares[0]:.1f} % | {shares[1]:.1f} % ({most_often}) | {shares[2]:.1f} % |")


def main() -> None:
    match sys.argv[1:]:
        case ["times", pfh, root, *most]:
            times(str(pathlib.Path(pfh).resolve()), pathlib.Path(root), float(most[0]) if most else 3600)
        case ["apart", pfh, root, *most]:
            apart(str(pathlib.Path(pfh).resolve()), pathlib.Path(root), float(most[0]) if most else 3600)
        case ["waits", pfh, tree, count, *most]:
            waits(str(pathlib.Path(pfh).resolve()), tree, int(count), float(most[0]) if most else 5)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
