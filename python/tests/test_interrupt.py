"""Ctrl-C, the end of the interpreter, and other ends in the middle."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import pfh

from .clusters import plan_of, program, programs
from .conftest import run_python
from .skips import skip_without, skipped


def duckdb(query: str, threads: int) -> str:
    """Code by which DuckDB takes records."""
    return f"""
import duckdb
duckdb.sql("set threads = {threads}")
records = pfh.hash(path, progress=ready)
try:
    duckdb.sql("{query}").fetchall()
except RuntimeError as error:
    # Where DuckDB looks for signals itself, it says so in a word of its own, whatever it reads.
    assert str(error) == "Query interrupted"
    raise KeyboardInterrupt from error
"""


def comparing(seconds: int) -> str:
    """Code that compares digests again and again, and is interrupted this long after it has begun, or a second later."""
    return f"""
import base64, os, threading
def digest():
    text = base64.b64encode(os.urandom(72)).decode()
    return "3072:" + text[:64] + ":" + text[64:]
digests = [digest() for _ in range(30_000)] * 20
threading.Timer({seconds}, ready).start()
while True:
    pfh.compare(digests, family="ssdeep")
"""


#: What waits, each in its own way. `path` is a pipe that nobody writes to.
WAITS = {
    "iterating": "list(pfh.hash(path))",
    # Consumers import more when they are called first, and DuckDB loses an interruption that comes meanwhile; so they
    # are ready when they wait for records, and pfh tells of its progress.
    "pyarrow": "import pyarrow\nwith pfh.hash(path, progress=ready) as records:\n    pyarrow.table(records)",
    "polars": "import polars\nwith pfh.hash(path, progress=ready) as records:\n    polars.DataFrame(records)",
    "pandas": "import pandas\nwith pfh.hash(path, progress=ready) as records:\n    pandas.DataFrame.from_arrow(records)",
    "duckdb": duckdb("select count(*) from records", 1),
    # It pulls on whichever of its threads comes first: the others, the main one too, wait for its lock meanwhile.
    "duckdb on several threads": duckdb("select count(*) from records", 4),
    # Or the main thread does something else, is interrupted there, and waits for the end of what the others do.
    "duckdb at other work": duckdb(
        "select * from (select max(place) from (select row_number() over () as place from records)),"
        " (select sum(range) from range(20_000_000_000))",
        4,
    ),
    "a lock of native code": """
import ctypes, pyarrow, threading
native, mutex, is_locked = ctypes.CDLL(None), ctypes.create_string_buffer(64), threading.Event()
reader = pyarrow.RecordBatchReader.from_stream(pfh.hash(path, progress=ready))
def pull():
    native.pthread_mutex_lock(mutex)
    is_locked.set()
    try:
        reader.read_all()
    finally:
        native.pthread_mutex_unlock(mutex)
threading.Thread(target=pull).start()
is_locked.wait()
native.pthread_mutex_lock(mutex)
""",
    "reading a list": "list(pfh.read(path))",
    "verifying": "pfh.verify(path)",
    "one message": "data = bytes(2_000_000_000); ready(); pfh.digest(data, 'whirlpool')",
    "many messages": "data = [bytes(100)] * 10_000_000; ready(); pfh.digest_many(data, 'whirlpool')",
    "many threads": "data = [bytes(100)] * 10_000_000; ready(); pfh.digest_many(data, 'whirlpool', threads=2)",
    "a long message": "data = [bytes(2_000_000_000)]; ready(); pfh.digest_many(data, 'whirlpool')",
    # Parsing, indexing, or searching.
    "comparing": comparing(0),
    "comparing for a while": comparing(1),
    "comparing for long": comparing(5),
    "progress": "list(pfh.hash(path, progress=lambda p: None))",
}

#: A busy machine may keep a process for a while: the limit of a tenth of a second is measured, and this is tested.
SECONDS_MAX = 1.0


def interrupt(code: str, *arguments: str, wait: float = 1.0, seconds_max: float = SECONDS_MAX) -> None:
    """Runs code until it waits, sends Ctrl-C, and expects that it ends what waits, and then the process."""
    wrapper = """
        import sys, time, pfh
        path = sys.argv[2]
        is_ready = False
        def ready(progress=None):
            global is_ready
            if not is_ready:
                print("ready", flush=True)
            is_ready = True
        code = sys.argv[1]
        if "ready" not in code:
            ready()
        try:
            exec(code)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            raise
    """
    program = [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(wrapper), code, *arguments]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        # By then it waits.
        time.sleep(wait)
        began = time.monotonic()
        child.send_signal(signal.SIGINT)
        try:
            output, errors = child.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
        seconds = time.monotonic() - began
    assert "KeyboardInterrupt" in errors, errors
    assert child.returncode == -signal.SIGINT, (child.returncode, errors)
    assert "panicked" not in errors and "Fatal" not in errors, errors
    assert output == "interrupted\n"
    assert seconds < seconds_max, seconds


@pytest.mark.parametrize("name", WAITS)
def test_ctrl_c_ends_what_waits(name: str, tmp_path: Path) -> None:
    skip_without(WAITS[name])
    path = tmp_path / "pipe"
    os.mkfifo(path)
    # Kept open, so that the reader neither waits for a writer nor finds the end.
    keep = os.open(path, os.O_RDWR)
    try:
        interrupt(WAITS[name], str(path))
    finally:
        os.close(keep)


#: What reads a device that does not answer: `path` is a directory on it, whose file `large` stalls, and the list
#: `sums` is elsewhere.
STALLS = {
    "iterating": "list(pfh.hash(path))",
    "pyarrow": "import pyarrow\nwith pfh.hash(path, progress=ready) as records:\n    pyarrow.table(records)",
    "reading a list": "list(pfh.read(path + '/large'))",
    "verifying": "pfh.verify(sys.argv[3], root=path)",
    "verifying by a list": "pfh.verify(path + '/large')",
    "known files": "pfh.KnownFiles(path + '/large')",
    "matching": "list(pfh.match(path, sys.argv[3]))",
    "comparing": "pfh.compare(pfh.hash(path, algorithms='tlsh'), family='tlsh')",
    "one file": "next(iter(pfh.hash(path + '/large')))",
}

#: Far more than the limit, so that a wait for the device cannot pass.
STALL_SECONDS = 20


@pytest.fixture
def stalled(tmp_path: Path) -> Iterator[Path]:
    """A directory on a device that does not answer the first read of the file `large`."""
    if not os.path.exists("/dev/fuse"):
        skipped("fuse", "there is no /dev/fuse")
    real, shown, device = tmp_path / "real", tmp_path / "shown", tmp_path / "device.toml"
    real.mkdir()
    shown.mkdir()
    (real / "large").write_bytes(bytes(3_000_000))
    (real / "small").write_bytes(b"small")
    device.write_text(
        f"bytes_per_second = 1e9\nat_once = 8\n[[stall]]\nfile = 'large'\nseconds = {STALL_SECONDS}\n"
    )
    mount = [pfh.main_path(), "lab", "mount", str(real), str(shown), "--device", str(device), "--until-closed"]
    with subprocess.Popen(mount, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stderr is not None
        said = process.stderr.readline()
        if "the mount failed" in said:
            skipped("fuse", said.strip())
        assert said.startswith("mounted"), said
        yield shown
        process.stdin.close()
    assert process.returncode == 0


@pytest.mark.parametrize("name", STALLS)
def test_ctrl_c_ends_what_waits_for_a_device(name: str, stalled: Path, tmp_path: Path) -> None:
    sums = tmp_path / "SHA256SUMS"
    sums.write_text("".join(f"{'0' * 64}  {name}\n" for name in ["large", "small"]))
    interrupt(STALLS[name], str(stalled), str(sums))


#: Listings that last: `pfh.shard` is interrupted in the middle of each.
LISTINGS = {
    "waiting for the next file": "files=waits()",
    "taking more files": "files=more()",
    "walking": "*[sys.argv[2]] * 10_000",
}


def programs_left(folder: Path) -> list[int]:
    """The programs that were called for something in a folder, whoever is their parent now."""
    found: list[int] = []
    for process, _ in programs(ticks=0):
        with contextlib.suppress(OSError):
            if os.fsencode(folder) in Path(f"/proc/{process}/cmdline").read_bytes():
                found.append(process)
    return found


@pytest.mark.parametrize("name", LISTINGS)
def test_ctrl_c_leaves_nothing_of_a_plan(name: str, tree: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    interrupt(
        f"""
import os, sys, threading, time
def more():
    while True:
        yield sys.argv[2]
def waits():
    yield sys.argv[2]
    threading.Event().wait()
def look():
    while not os.path.exists(sys.argv[3]):
        time.sleep(0.01)
    ready()
threading.Thread(target=look, daemon=True).start()
pfh.shard({LISTINGS[name]}, plan=sys.argv[3], shards=2)
""",
        str(tree),
        str(plan),
        # The walk of a million files has begun, and does not last for ever.
        wait=0.05,
        # A program that was killed would leave the folder; whether it is removed quickly is up to the disk.
        seconds_max=10 * SECONDS_MAX,
    )
    assert not plan.exists()
    assert not programs_left(tmp_path)


def test_ctrl_c_leaves_no_list_of_a_merge(tree: Path, tmp_path: Path) -> None:
    plan, merged = plan_of(tree, tmp_path / "plan", 2), tmp_path / "list"
    program("hash", "-q", "--plan", plan.folder, "--shard", "0/1", cwd=tmp_path)
    # The merge waits for the second result, which another process has for itself until it is asked to give it back.
    asked = signal.signal(signal.SIGIO, signal.SIG_IGN)
    try:
        with open(plan.result(1), "rb+") as result:
            fcntl.fcntl(result, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            interrupt("pfh.Plan(sys.argv[2]).merge(sys.argv[3])", plan.folder, str(merged))
    finally:
        signal.signal(signal.SIGIO, asked)
    assert not merged.exists() and not [name for name in os.listdir(tmp_path) if name.startswith(".pfh")]
    assert not programs_left(tmp_path)


def test_files_that_raise_leave_nothing_of_a_plan(tree: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan"

    def files() -> Iterator[Path]:
        yield tree
        while not plan.exists():
            time.sleep(0.01)
        raise KeyError("own error")

    with pytest.raises(KeyError, match="own error"):
        pfh.shard(files=files(), plan=plan, shards=2)
    assert not plan.exists()


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


@pytest.mark.parametrize("whose", ["thread", "handler"])
def test_ctrl_c_leaves_the_streams_of_others(whose: str, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    result = run_python(
        """
        import os, signal, sys, threading, time, pfh, pyarrow
        path, whose = sys.argv[1:]
        writer = os.open(path, os.O_RDWR)
        is_waiting = threading.Event()
        def begin():
            return pyarrow.RecordBatchReader.from_stream(pfh.hash(path, progress=lambda _: is_waiting.set()))
        begun = []
        if whose == "handler":
            # With Python's own, a stream would end: so one is there first.
            pyarrow.RecordBatchReader.from_stream(pfh.hash(files=[]))
            signal.signal(signal.SIGINT, lambda *_: print("handled", flush=True))
            begun = [begin()]
        thread = threading.Thread(target=lambda: print((begun or [begin()])[0].read_all().num_rows))
        thread.start()
        is_waiting.wait()
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            print("handled", flush=True)
        # More than a tick, after which it would have ended.
        time.sleep(0.2)
        os.write(writer, b"data")
        os.close(writer)
        thread.join()
        """,
        str(path),
        whose,
    )
    assert (result.stdout, result.stderr, result.returncode) == ("handled\n1\n", "", 0), result


def test_a_handler_may_ask_the_object_that_is_being_updated() -> None:
    result = run_python(
        """
        import signal, pfh
        hasher = pfh.new("whirlpool", b"before")
        before, data, found = hasher.hexdigest(), bytes(100_000_000), []
        def handler(*_):
            found.append(hasher.hexdigest() == hasher.copy().hexdigest() == before)
            try:
                hasher.update(b"more")
            except RuntimeError as error:
                found.append(str(error))
        signal.signal(signal.SIGVTALRM, handler)
        # Far less than the update takes. It counts while the process works, and not while others keep it waiting.
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.01)
        hasher.update(data)
        print(*found, sep="\\n")
        print(hasher.digest() == pfh.digest(b"before" + data, "whirlpool"))
        """
    )
    said = "this hash object is being updated by the call that was interrupted; update a copy"
    assert result.stdout == f"True\n{said}\nTrue\n", result


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


#: Threads that begin one run after the other when the interpreter ends: `path` is a directory, `sums` a list.
LOOPS = {
    "hash": "list(pfh.hash(path))",
    "read": "list(pfh.read(sums))",
    "verify": "list(pfh.verify(sums, path))",
    "match": "list(pfh.match(path, sums))",
    "progress": "list(pfh.hash(path, progress=lambda _: sum(range(1000))))",
    "records in a stream": "import pyarrow; pyarrow.table(pfh.hash(path))",
}


@pytest.mark.parametrize("name", LOOPS)
def test_the_interpreter_ends_while_a_thread_begins_runs(name: str, tmp_path: Path) -> None:
    folder, sums = tmp_path / "folder", tmp_path / "SHA256SUMS"
    folder.mkdir()
    (folder / "file").write_bytes(b"data")
    sums.write_text(f"{'0' * 64}  file\n")
    for _ in range(10):
        result = run_python(
            f"""
            import sys, threading, time, pfh
            path, sums = sys.argv[1:]
            def loop():
                while True:
                    {LOOPS[name]}
            threading.Thread(target=loop, daemon=True).start()
            time.sleep(0.3)
            """,
            str(folder),
            str(sums),
        )
        assert result.returncode == 0 and "Fatal" not in result.stderr and "FATAL" not in result.stderr, result


#: Python code that pfh calls on threads of its own, and that waits a little, again and again.
CALLED = {
    "files": "take = lambda: list(pfh.hash(files=waiting('/etc/hostname')))",
    "a file": "take = lambda: list(pfh.read(File()))",
}


@pytest.mark.parametrize("name", CALLED)
def test_the_interpreter_ends_while_pfh_calls_python_code(name: str) -> None:
    for _ in range(3):
        result = run_python(
            f"""
            import threading, time, pfh
            def waiting(what):
                while True:
                    time.sleep(0.05)
                    yield what
            class File:
                def __init__(self):
                    self.parts = waiting(b"0" * 64 + b"  name\\n")
                def read(self, count):
                    return next(self.parts)
            {CALLED[name]}
            threading.Thread(target=take, daemon=True).start()
            # The end of the interpreter takes a while, in which the code would go on.
            much = [[number] for number in range(2_000_000)]
            much.append(much)
            time.sleep(0.2)
            """
        )
        assert result.returncode == 0 and "Fatal" not in result.stderr and "FATAL" not in result.stderr, result


def test_a_child_that_was_forked_does_not_wait_for_threads_of_its_parent() -> None:
    result = run_python(
        """
        import os, threading, time, pfh
        data = bytes(2_000_000_000)
        threading.Thread(target=lambda: pfh.digest(data, "whirlpool"), daemon=True).start()
        time.sleep(0.3)
        began = time.monotonic()
        if os.fork() == 0:
            raise SystemExit(0)
        os.wait()
        print(time.monotonic() - began)
        """
    )
    assert result.returncode == 0 and float(result.stdout) < 1.5, result
