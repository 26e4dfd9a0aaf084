"""Ctrl-C, the end of the interpreter, and other ends in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from .conftest import run_python

#: What waits, each in its own way. `path` is a pipe that nobody writes to.
WAITS = {
    "iterating": "list(pfh.hash(path))",
    "pyarrow": "import pyarrow\nwith pfh.hash(path) as records:\n    ready(); pyarrow.table(records)",
    "polars": "import polars\nwith pfh.hash(path) as records:\n    ready(); polars.DataFrame(records)",
    "pandas": "import pandas\nwith pfh.hash(path) as records:\n    ready(); pandas.DataFrame.from_arrow(records)",
    # Its first query imports more, and an interruption that comes meanwhile is lost.
    "duckdb": "import duckdb, pyarrow\nfew = pyarrow.table({'a': [1]}); duckdb.sql('select a from few').fetchall()\n"
    "records = pfh.hash(path); ready(); duckdb.sql('select count(*) from records').fetchall()",
    "reading a list": "list(pfh.read(path))",
    "verifying": "pfh.verify(path)",
    "one message": "data = bytes(2_000_000_000); ready(); pfh.digest(data, 'whirlpool')",
    "many messages": "data = [bytes(100)] * 10_000_000; ready(); pfh.digest_many(data, 'whirlpool')",
    "many threads": "data = [bytes(100)] * 10_000_000; ready(); pfh.digest_many(data, 'whirlpool', threads=2)",
    "a long message": "data = [bytes(2_000_000_000)]; ready(); pfh.digest_many(data, 'whirlpool')",
    "progress": "list(pfh.hash(path, progress=lambda p: None))",
}

#: A busy machine may keep a process for a while: the limit of a tenth of a second is measured, and this is tested.
SECONDS_MAX = 1.0


@pytest.mark.parametrize("name", WAITS)
def test_ctrl_c_ends_what_waits(name: str, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    code = """
        import sys, time, pfh
        path = sys.argv[1]
        is_ready = False
        def ready():
            global is_ready
            if not is_ready:
                print("ready", flush=True)
            is_ready = True
        code = sys.argv[2]
        if "ready()" not in code:
            ready()
        try:
            exec(code)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            raise
    """
    program = [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code), str(path), WAITS[name]]
    # Kept open, so that the reader neither waits for a writer nor finds the end.
    keep = os.open(path, os.O_RDWR)
    try:
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            # Consumers import more when they are called first.
            time.sleep(1.0)
            began = time.monotonic()
            child.send_signal(signal.SIGINT)
            try:
                output, errors = child.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                child.kill()
                raise
            seconds = time.monotonic() - began
    finally:
        os.close(keep)
    assert "KeyboardInterrupt" in errors, errors
    assert child.returncode == -signal.SIGINT, (child.returncode, errors)
    assert "panicked" not in errors and "Fatal" not in errors, errors
    assert output == "interrupted\n"
    assert seconds < SECONDS_MAX, seconds


def test_other_signals_raise_what_their_handlers_raise(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    result = run_python(
        """
        import os, signal, sys, pfh, pyarrow
        os.open(sys.argv[1], os.O_RDWR)
        # It imports more when it is called first.
        pyarrow.table({"a": [1]})
        class TooLate(Exception):
            pass
        def handler(*_):
            raise TooLate("too late")
        signal.signal(signal.SIGALRM, handler)
        for take in [list, pyarrow.table]:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            try:
                take(pfh.hash(sys.argv[1]))
            except Exception as error:
                print(type(error).__name__, error)
        """,
        str(path),
    )
    lines = result.stdout.splitlines()
    assert lines[0] == "TooLate too late" and "too late" in lines[1], result


@pytest.mark.parametrize(
    "code",
    [
        "next(records)",
        "pyarrow.table(records)",
        "pfh.digest(bytes(2_000_000_000), 'whirlpool')",
        "pfh.digest_many([bytes(100)] * 10_000_000, 'whirlpool')",
        "pfh.digest_many([bytes(100)] * 10_000_000, 'whirlpool', threads=2)",
        "pfh.verify(path)",
        "list(pfh.read(path))",
        "list(pfh.hash(files=endless()))",
    ],
)
def test_the_interpreter_ends_while_a_thread_waits(code: str, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    result = run_python(
        f"""
        import os, sys, threading, time, pfh, pyarrow
        path = sys.argv[1]
        os.open(path, os.O_RDWR)
        records = pfh.hash(path)
        def endless():
            while True:
                yield "/etc/hostname"
        thread = threading.Thread(target=lambda: {code}, daemon=True)
        thread.start()
        time.sleep(0.3)
        print("end", flush=True)
        """,
        str(path),
    )
    assert (result.returncode, result.stdout) == (0, "end\n"), result
    assert "panicked" not in result.stderr and "Fatal" not in result.stderr, result.stderr


def test_the_interpreter_ends_with_everything_alive(tree: Path) -> None:
    result = run_python(
        """
        import sys, pfh, pyarrow
        records = pfh.hash(*[sys.argv[1]] * 100)
        next(records)
        stream = pfh.hash(*[sys.argv[1]] * 100).__arrow_c_stream__()
        reader = pyarrow.RecordBatchReader.from_stream(pfh.hash(*[sys.argv[1]] * 100))
        reader.read_next_batch()
        pfh.keeps = [records, stream, reader, pfh.new("md5"), pfh.digest_many([b"x"]), iter(pfh.digest_many([b"x"]))]
        sys.keeps = pfh.keeps
        sys.exit(7)
        """,
        str(tree),
    )
    assert (result.returncode, result.stderr) == (7, ""), result
