"""The program of the wheel as a process that does not outlive its caller."""

from __future__ import annotations

import os
import signal
import sys
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Thread

from ._python import main_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import IO

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

#: Bytes that are written to the program at once, as many as a pipe holds.
_INPUT_BYTES = 64 << 10

#: Seconds that an interrupted program gets to remove what it has begun, which takes no time unless a busy disk keeps it.
#: A second Ctrl-C ends it at once.
_PATIENCE = 10.0


def run(arguments: Sequence[str | bytes], input: Iterable[bytes] = ()) -> tuple[int, str]:
    """Runs the program, and returns its exit status and what it said on standard error.

    Whatever ends the call early, Ctrl-C or an exception of ``input``, ends the program as Ctrl-C does.
    """
    command = [sys.executable, "-I", "-S", "-c", _BECOME, str(os.getpid()), main_path(), *arguments]
    # In a group of its own a terminal does not interrupt it, too: it would give up at once after a second signal.
    with Popen(command, bufsize=0, stdin=PIPE, stdout=DEVNULL, stderr=PIPE, process_group=0) as process:
        assert process.stdin is not None and process.stderr is not None
        said = bytearray()
        listener = Thread(target=_keep_last, args=(process.stderr, said), name="pfh-messages", daemon=True)
        listener.start()
        try:
            _feed(process.stdin, input)
            process.wait()
        except BaseException:
            _stop(process)
            raise
        finally:
            # The program has ended, and nobody else has the other end of the pipe.
            listener.join()
    return process.returncode, said.decode(errors="replace").strip().removeprefix("pfh: ")


def _feed(pipe: IO[bytes], input: Iterable[bytes]) -> None:
    """Writes the input, and ends it. A program that reads no more has its reasons, and says so."""
    waiting = bytearray()
    try:
        for part in input:
            waiting += part
            if len(waiting) >= _INPUT_BYTES:
                _write(pipe, waiting)
                waiting.clear()
        _write(pipe, waiting)
    except BrokenPipeError:
        pass
    pipe.close()


def _write(pipe: IO[bytes], data: bytes | bytearray) -> None:
    """Writes all of the data to a pipe without a buffer, which may take a part of it."""
    left = bytes(data)
    while left:
        left = left[pipe.write(left) :]


def _keep_last(pipe: IO[bytes], said: bytearray) -> None:
    """Reads all messages, and keeps the last."""
    while part := pipe.read(_MESSAGE_BYTES):
        said += part
        del said[:-_MESSAGE_BYTES]


def _stop(process: Popen[bytes]) -> None:
    """Interrupts the program, once, and waits for its end. Its input stays open: a list that ended would be whole."""
    try:
        process.send_signal(signal.SIGINT)
        process.wait(_PATIENCE)
    except TimeoutExpired:
        pass
    finally:
        # Nothing happens if it has ended.
        process.kill()
        process.wait()
