"""The program of the wheel as a process that does not outlive its caller."""

from __future__ import annotations

import os
import subprocess
import sys

from ._python import main_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["run"]

#: Becomes the program, which the system kills when the thread that waits for it is gone, whatever ended that: Linux
#: keeps this wish over exec. It is expressed in the process itself, because nothing but exec is safe between fork and
#: exec while other threads run; the parent may have ended before that.
_BECOME = """\
import ctypes, os, signal, sys
if ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL, 0, 0, 0):
    sys.exit(os.strerror(ctypes.get_errno()))
if os.getppid() != int(sys.argv[1]):
    sys.exit("the process that wanted the program has ended")
os.execv(sys.argv[2], sys.argv[2:])
"""

#: Most bytes of messages that are kept: the last ones, which tell why it ended.
_MESSAGE_BYTES = 16 << 10


def run(arguments: Sequence[str | bytes], input: bytes | None = None) -> tuple[int, str]:
    """Runs the program, and returns its exit status and what it said on standard error."""
    program = main_path()
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _BECOME, str(os.getpid()), program, *arguments],
        input=b"" if input is None else input,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    message = ended.stderr[-_MESSAGE_BYTES:].decode(errors="replace").strip().removeprefix("pfh: ")
    return ended.returncode, message
