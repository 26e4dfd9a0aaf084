"""What the tests of engines have in common."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
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


def stat(process: int) -> list[bytes]:
    """The fields of a process after its name: state, parent ... (proc(5)); raises OSError if it is gone."""
    return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()


def programs(ticks: int = 4) -> Iterator[tuple[int, int]]:
    """The processes that run the program and have used this many hundredths of a second of a processor (4: they hash),
    with their parents.
    """
    path = os.path.realpath(pfh.main_path())
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and os.readlink(folder / "exe") == path:
                fields = stat(int(folder.name))
                if int(fields[11]) + int(fields[12]) >= ticks:
                    yield int(folder.name), int(fields[1])
        except OSError:
            continue


def is_running(process: int) -> bool:
    try:
        return stat(process)[0] != b"Z"
    except OSError:
        return False


class Killer(threading.Thread):
    """Kills the first worker whose program is in the middle of a file."""

    def __init__(self, is_worker: Callable[[int], bool]) -> None:
        super().__init__(daemon=True)
        self._is_worker = is_worker
        self.program: int | None = None

    def run(self) -> None:
        end = time.monotonic() + 60
        while self.program is None and time.monotonic() < end:
            for program, parent in programs():
                if self._is_worker(parent):
                    os.kill(parent, signal.SIGKILL)
                    self.program = program
                    return
            time.sleep(0.002)

    def program_ended(self) -> bool:
        """Whether the program of the killed process ended with it."""
        assert self.program is not None, "nothing was killed"
        end = time.monotonic() + 1
        while is_running(self.program) and time.monotonic() < end:
            time.sleep(0.01)
        return not is_running(self.program)


#: The guide, where the tests run in the repository.
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "cluster.md"


def run_guide(heading: str, names: dict[str, object]) -> list[tuple[str, str]]:
    """Runs the Python of a section of the guide, and returns what it printed beside what the guide says."""
    section = GUIDE.read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found: list[tuple[str, str]] = []
    for kind, text in re.findall(r"^```(python|text)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL):
        if kind == "text":
            found[-1] = (found[-1][0], text)
        else:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(text, names)
            found.append((printed.getvalue(), ""))
    return found


def data_of_guide(folder: Path) -> None:
    """The directory of the guide."""
    for number in range(14):
        path = folder / "data" / "ab"[number % 2] / str(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(b"%03d;" % (line * line % 997) for line in range(number, 495)))
