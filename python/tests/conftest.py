"""What several tests use."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A directory with files of several sizes, a name that is no UTF-8, and an empty file: the same bytes in every run."""
    root, source = tmp_path / "tree", random.Random(0)
    (root / "below").mkdir(parents=True)
    for number in range(100):
        (root / "below" / f"{number:03}.bin").write_bytes(source.randbytes(number * number))
    (root / "empty").write_bytes(b"")
    (root / "large").write_bytes(source.randbytes(3_000_000))
    with open(os.fsencode(root) + b"/odd-\xff", "wb") as file:
        file.write(b"odd")
    return root


def contents(root: Path) -> dict[bytes, bytes]:
    """The files of a directory by their paths."""
    found = {}
    for folder, _, names in os.walk(os.fsencode(root)):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[path] = file.read()
    return found


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def run_python(code: str, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs a program in an interpreter of its own, which may end in whatever way."""
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
