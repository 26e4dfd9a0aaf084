"""Several threads that use one object at the same time: in every interpreter, and truly at once in a free-threaded one."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest

import pfh

from .conftest import contents, run_python, sha256

THREADS = 4

#: More than is hashed before signals are checked, so that other threads come in between.
LARGE_BYTES = 3 << 20


def at_once(work: Callable[[int], object], threads: int = THREADS) -> list[object]:
    """Runs the same work on several threads that begin together; results and exceptions, by their threads."""
    barrier = threading.Barrier(threads)
    found: list[object] = [None] * threads

    def run(number: int) -> None:
        barrier.wait()
        try:
            found[number] = work(number)
        except Exception as error:
            found[number] = error

    workers = [threading.Thread(target=run, args=[number]) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return found


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="the interpreter has a global lock")
def test_the_module_needs_no_global_lock() -> None:
    # In a process of its own: other modules switch the lock on, unless the environment forbids it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    program = [sys.executable, "-c", "import pfh, sys; print(sys._is_gil_enabled())"]
    said = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    assert said.stdout == "False\n", said.stderr


@pytest.mark.parametrize("threads", [1, 2])
def test_many_messages_that_threads_share(threads: int) -> None:
    data = [b"%d" % number * (number % 40) for number in range(20_000)]
    arrow = pyarrow.array(data, pyarrow.binary())
    expected = [hashlib.md5(message).digest() for message in data]

    def work(number: int) -> object:
        messages = [data, arrow, tuple(data), pyarrow.chunked_array([arrow])][number % 4]
        return list(pfh.digest_many(messages, "md5", threads=threads))

    assert at_once(work, 8) == [expected] * 8


@pytest.mark.parametrize("stack_bytes", [1 << 30, 1 << 50])
def test_many_messages_where_the_system_refuses_threads(stack_bytes: int) -> None:
    # Two threads have room for their stacks, or none has.
    code = """
        import hashlib, os, resource, sys
        os.environ["RUST_MIN_STACK"] = sys.argv[1]
        import pfh
        data = [b"%d" % number for number in range(20_000)]
        expected = [hashlib.md5(message).digest() for message in data]
        with open("/proc/self/statm") as statm:
            used_bytes = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used_bytes + (5 << 29), resource.RLIM_INFINITY))
        assert list(pfh.digest_many(data, "md5", threads=8)) == expected
    """
    said = run_python(code, str(stack_bytes))
    assert said.returncode == 0, said.stderr


def test_one_hasher_takes_the_parts_of_all_threads() -> None:
    parts: list[tuple[bytes | bytearray, int]] = [
        (b"a" * 100, 500),
        (bytes(LARGE_BYTES), 3),
        (bytearray(LARGE_BYTES), 3),
    ]
    for part, count in parts:
        hasher = pfh.new("sha256")

        def work(number: int) -> object:
            for _ in range(count):
                hasher.update(part)
                hasher.hexdigest()
            return hasher.copy().digest_size

        assert at_once(work) == [32] * THREADS
        # The parts are equal, so the order in which they were taken does not matter; that none was torn does.
        assert hasher.digest() == sha256(bytes(part) * count * THREADS)


def test_records_that_threads_share_come_once(tree: Path) -> None:
    records = pfh.hash(*[tree] * 20)

    def work(number: int) -> object:
        taken: list[tuple[bytes, bytes | None]] = []
        while True:
            try:
                record = next(records)
            except StopIteration:
                return taken
            except RuntimeError as error:
                assert "being read by another call" in str(error)
            else:
                taken.append((record.path, record.digests.get("sha256")))

    taken: list[tuple[bytes, bytes | None]] = []
    for part in at_once(work):
        assert isinstance(part, list), part
        taken += part
    expected = [(path, sha256(data)) for path, data in contents(tree).items()] * 20
    assert sorted(taken, key=str) == sorted(expected, key=str)
    assert records.report is not None and records.report.complete == len(expected)


def test_findings_and_digests_that_threads_share_come_once(tree: Path, tmp_path: Path) -> None:
    sums = tmp_path / "SHA256SUMS"
    sums.write_bytes(b"".join(sha256(data).hex().encode() + b"  " + path + b"\n" for path, data in contents(tree).items()))
    findings = pfh.verify(sums, tree, all=True)
    parts = at_once(lambda number: [finding.path for finding in findings])
    assert sum(len(part) for part in parts if isinstance(part, list)) == findings.counts["matched"] == 103
    # So many that they come in groups, which threads receive at the same time.
    sums.write_text("".join(f"{'0' * 64}  missing-{number}\n" for number in range(200_000)))
    findings = pfh.verify(sums, tree, ignore_new=True)
    parts = at_once(lambda number: [finding.path for finding in findings], 8)
    assert sum(len(part) for part in parts if isinstance(part, list)) == findings.counts["missing"] == 200_000
    digests = iter(pfh.digest_many([b"%d" % number for number in range(50_000)]))
    parts = at_once(lambda number: list(digests))
    every = [digest for part in parts if isinstance(part, list) for digest in part]
    assert sorted(every) == sorted(hashlib.sha256(b"%d" % number).digest() for number in range(50_000))


def test_what_changes_while_it_is_hashed_has_some_digest() -> None:
    data, messages = bytearray(LARGE_BYTES), [b"message"] * 5000
    stop = threading.Event()

    def work(number: int) -> object:
        if number == 0:
            for _ in range(4):
                assert len(pfh.digest(data)) == 32
                assert len(pfh.digest_many([data, data], "md5")) == 2
                try:
                    assert len(pfh.digest_many(messages, "md5")) >= 0
                except RuntimeError as error:
                    assert "changed while it was hashed" in str(error)
            stop.set()
        while not stop.is_set():
            try:
                data[number * 1000 : number * 1000 + 100] = bytes(100)
                data.append(number)
            except BufferError:
                pass
            messages.pop() if len(messages) > 5000 else messages.append(b"other")
        return "ended"

    assert at_once(work) == ["ended"] * THREADS


def test_one_thread_takes_a_capsule_that_several_were_given() -> None:
    for _ in range(200):
        capsule = pyarrow.chunked_array([[b"a", b"b"]]).__arrow_c_stream__()

        class Keeps:
            def __arrow_c_stream__(self, requested_schema: object | None = None, capsule: object = capsule) -> object:
                return capsule

        found = at_once(lambda number: list(pfh.digest_many(Keeps())))
        assert found.count([sha256(b"a"), sha256(b"b")]) == 1, found
        refused = [one for one in found if isinstance(one, ValueError) and "used before" in str(one)]
        assert len(refused) == THREADS - 1, found


def test_other_interpreters_than_the_main_one_are_refused() -> None:
    result = run_python(
        """
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        code = "try:\\n import pfh\\nexcept ImportError as error:\\n print(error, flush=True)"
        other = interpreters.create()
        interpreters.run_string(other, code)
        interpreters.destroy(other)
        import pfh
        print(pfh.digest(b"hello", "md5").hex())
        """
    )
    lines = result.stdout.splitlines()
    assert result.returncode == 0 and len(lines) == 2 and "the main interpreter of a process only" in lines[0], result
    assert lines[1] == "5d41402abc4b2a76b9719d911017c592", result
