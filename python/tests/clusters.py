"""What the tests of engines have in common."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import pfh

#: Every family of similarity digests.
FAMILIES = ["ssdeep", "tlsh", "sdhash", "mrsh-v2"]


def program(*arguments: str | Path, cwd: Path) -> bytes:
    """The standard output of the program."""
    return subprocess.run([pfh.main_path(), *arguments], cwd=cwd, stdout=subprocess.PIPE, check=True).stdout


def plan_of(root: Path, folder: Path, shards: int, algorithms: str = "sha256") -> pfh.Plan:
    """A plan of a tree, with a small cost for each file, so that every shard has some."""
    return pfh.shard(root, plan=folder, shards=shards, per_file=1000, algorithms=algorithms)


def is_one_run(plan: pfh.Plan, root: Path, *options: str) -> None:
    """The merged list is that of one run, byte for byte."""
    merged = Path(plan.folder).with_name("merged")
    plan.merge(merged)
    assert merged.read_bytes() == program("hash", "-q", *options, root, cwd=root.parent)
    # Nothing else is left in the plan.
    kinds = {name.suffix for name in Path(plan.folder).iterdir()}
    assert kinds == {".json", ".list", ".jsonl"}


def similar(root: Path) -> Path:
    """A tree with files that are similar, equal, too short for a digest, or have long runs in it."""
    root.mkdir()
    text = b"".join(b"%d,%d\n" % (number, number * number % 7919) for number in range(3000))
    for number in range(12):
        (root / f"{number:02}").write_bytes(text[number * 1500 :] + b"%d" % number * 400)
        (root / f"run{number:02}").write_bytes(bytes([number % 3]) * 9000 + text[: number * 100])
    (root / "equal").write_bytes((root / "03").read_bytes())
    for number in range(4):
        # With ssdeep these have digests whose parts are shorter than seven characters.
        (root / f"short{number}").write_bytes(b"short" * (1 + number // 2))
    (root / "empty").write_bytes(b"")
    with open(os.fsencode(root) + b"/odd-\xff", "wb") as file:
        file.write(text[700:])
    return root


def pairs_of_program(merged: Path, family: str) -> list[tuple[bytes, bytes, int]]:
    """The pairs that the program finds in a list."""
    lines = program("compare", "-q", "-a", family, "-f", "jsonl", "--digests", merged, cwd=merged.parent)
    return pairs_of_lines(lines.splitlines(), family)


def pairs_of_lines(lines: list[bytes], family: str) -> list[tuple[bytes, bytes, int]]:
    """The pairs of JSON Lines, sorted."""
    found = []
    for line in map(json.loads, lines):
        if line["type"] == "pair":
            score = line["distance" if family == "tlsh" else "score"]
            found.append((_raw(line, "first"), _raw(line, "second"), score))
    return sorted(found)


def _raw(line: dict[str, str], name: str) -> bytes:
    raw = line.get(f"{name}_base64")
    return os.fsencode(line[name]) if raw is None else base64.b64decode(raw)


def children(parent: int) -> list[int]:
    """The processes that a process has started and that run the program."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                own_parent = int((folder / "stat").read_bytes().rpartition(b")")[2].split()[1])
                if own_parent == parent and os.readlink(folder / "exe") == os.path.realpath(pfh.main_path()):
                    found.append(int(folder.name))
            except (OSError, IndexError):
                continue
    return found


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def bytes_read(process: int) -> int:
    """The bytes that a process has read; 0 if it is gone."""
    try:
        return int(Path(f"/proc/{process}/io").read_text().split()[1])
    except OSError:
        return 0


class Killer(threading.Thread):
    """Kills the first process among some whose program is in the middle of a file."""

    def __init__(self, candidates: Callable[[], Iterable[int]]) -> None:
        super().__init__(daemon=True)
        self._candidates = candidates
        self.killed: int | None = None
        self.program: int | None = None

    def run(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for candidate in self._candidates():
                programs = [program for program in children(candidate) if bytes_read(program) > 1_000_000]
                if programs:
                    os.kill(candidate, signal.SIGKILL)
                    self.killed, self.program = candidate, programs[0]
                    return
            time.sleep(0.002)

    def program_ended(self) -> bool:
        """Whether the program of the killed process ended with it."""
        assert self.killed is not None and self.program is not None, "nothing was killed"
        end = time.monotonic() + 1
        while is_running(self.program) and time.monotonic() < end:
            time.sleep(0.01)
        return not is_running(self.program)
