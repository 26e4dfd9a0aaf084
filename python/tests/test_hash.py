"""Files and trees: records, their errors, and their tables."""

from __future__ import annotations

import copy
import gc
import hashlib
import multiprocessing
import os
import pickle
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import nanoarrow
import pandas
import polars
import pyarrow
import pytest
from rich.progress import Progress as RichProgress
from tqdm import tqdm

import pfh

from .conftest import contents, run_python, sha256


def by_path(records: pfh.Records) -> dict[bytes, bytes]:
    return {record.path: record.digests["sha256"] for record in records}


def test_records_are_those_of_the_files(tree: Path) -> None:
    expected = {path: sha256(data) for path, data in contents(tree).items()}
    for options in [{}, {"threads": 1}, {"mode": "mtp"}, {"mode": "smt"}, {"unordered": True}, {"io": "drop"}]:
        assert by_path(pfh.hash(tree, **options)) == expected, options  # type: ignore[arg-type]
    assert by_path(pfh.hash(files=expected)) == expected
    assert by_path(pfh.hash(*expected)) == expected
    assert by_path(pfh.hash(files=(Path(os.fsdecode(path)) for path in expected))) == expected


def test_the_program_of_the_wheel_gives_the_same(tree: Path) -> None:
    listed = subprocess.run([pfh.main_path(), "hash", "-a", "md5,sha256", "-f", "jsonl", tree], capture_output=True)
    records = list(pfh.hash(tree, algorithms=["md5", "sha256"]))
    listed_path = tree.parent / "list.jsonl"
    listed_path.write_bytes(listed.stdout)
    read = list(pfh.read(listed_path))
    assert [(r.path, r.size, r.mtime_ns, r.digests) for r in records] == [
        (r.path, r.size, r.mtime_ns, r.digests) for r in read
    ]


def test_a_record(tree: Path) -> None:
    path = tree / "below" / "007.bin"
    os.utime(path, ns=(5, 1_234_567_890_123_456_789))
    (record,) = pfh.hash(path, algorithms="md5, SHA-1,ssdeep", piece_bytes=20)
    data = path.read_bytes()
    assert (record.path, record.path_str) == (bytes(path), str(path))
    assert (record.size, record.bytes_read, record.mtime_ns) == (49, 49, 1_234_567_890_123_456_789)
    assert record.digests == {"md5": hashlib.md5(data).digest(), "sha1": hashlib.sha1(data).digest()}
    assert list(record.similarities) == ["ssdeep"]
    assert (record.outcome, record.ok, record.error, record.part) == ("complete", True, None, None)
    assert [(offset, length) for offset, length, _ in record.pieces] == [(0, 20), (20, 20), (40, 9)]
    assert record.pieces[2][2]["md5"] == hashlib.md5(data[40:]).digest()
    assert "md5=" in repr(record)
    (odd,) = (record for record in pfh.hash(tree) if b"odd" in record.path)
    assert os.fsencode(odd.path_str) == odd.path


def test_a_list_is_no_path(tree: Path) -> None:
    for paths in [[tree], (tree,)]:
        with pytest.raises(TypeError, match=r"a list is no path; pass `\*paths`, or `files=paths`"):
            pfh.hash(paths)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        assert len(list(pfh.hash(files=paths))) == 103


def test_none_reads_without_a_digest(tree: Path) -> None:
    path = tree / "below" / "007.bin"
    (record,) = pfh.hash(path, algorithms="none")
    assert record.ok and (record.bytes_read, record.digests, record.similarities) == (49, {}, {})


def test_errors_of_files_are_records(tree: Path) -> None:
    missing = tree / "none"
    records = pfh.hash(missing, tree / "empty")
    first, second = records
    assert (first.ok, first.outcome, first.digests) == (False, "unreadable", {})
    assert first.error is not None
    assert (first.error.kind, first.error.errno, first.error.offset) == ("not-found", 2, 0)
    assert second.ok
    assert (records.files, records.failed) == (2, 1)
    assert records.report is not None
    assert (records.report.complete, records.report.unreadable, records.report.interrupted) == (1, 1, False)
    with pytest.raises(pfh.FileError, match="1 of 2 files were not read, first `.*none`"):
        records.raise_for_failures()
    with pytest.raises(OSError) as raised:
        first.raise_for_failure()
    assert isinstance(raised.value, pfh.FileError)
    with pytest.raises(FileNotFoundError) as opened:
        open(missing)
    for several in [records.raise_for_failures, first.raise_for_failure]:
        with pytest.raises(pfh.FileError) as failed:
            several()
        assert (failed.value.path, failed.value.kind, failed.value.errno) == (bytes(missing), "not-found", 2)
        assert (failed.value.filename, failed.value.strerror) == (str(missing), opened.value.strerror)
        assert f"none`: {opened.value.strerror}" in str(failed.value)
    second.raise_for_failure()
    table = pyarrow.table(pfh.hash(missing, tree / "empty"))
    assert table["error_kind"].to_pylist() == ["not-found", None]
    assert table["sha256"].to_pylist() == [None, sha256(b"")]


def test_every_consumer_of_arrow_takes_the_stream(tree: Path) -> None:
    expected = {path: sha256(data) for path, data in contents(tree).items()}
    table = pyarrow.table(pfh.hash(tree))
    assert dict(zip(table["path"].to_pylist(), table["sha256"].to_pylist(), strict=True)) == expected
    assert table["mtime"].type == pyarrow.timestamp("us", "UTC")
    frame = polars.DataFrame(pfh.hash(tree))
    assert dict(zip(frame["path"], frame["sha256"], strict=True)) == expected
    records = pfh.hash(tree)  # noqa: F841  # pyright: ignore[reportUnusedVariable]: duckdb finds it by its name
    found = duckdb.sql("select path, sha256 from records where size >= 0")
    assert found is not None and dict(found.fetchall()) == expected
    data = pandas.DataFrame.from_arrow(pfh.hash(tree))
    assert dict(zip(data["path"], data["sha256"], strict=True)) == expected
    assert len(nanoarrow.ArrayStream(pfh.hash(tree)).read_all()) == len(expected)
    assert pyarrow.table(pfh.hash(tree, include="*.none")).num_rows == 0


def test_columns_of_all_kinds(tree: Path) -> None:
    table = pyarrow.table(pfh.hash(tree, algorithms=["md5", "tlsh"], piece_bytes="1M"))
    assert table.schema.names[-3:] == ["md5", "tlsh", "pieces"]
    rows = {row["path"]: row for row in table.to_pylist()}
    large = rows[bytes(tree / "large")]
    assert [piece["length"] for piece in large["pieces"]] == [1 << 20, 1 << 20, 3_000_000 - (2 << 20)]
    assert large["tlsh"].startswith("T1")
    wanted = pyarrow.schema([(name, pyarrow.binary(16) if name == "md5" else kind) for name, kind in
                             zip(table.schema.names, table.schema.types, strict=True)])
    fixed = pyarrow.RecordBatchReader.from_stream(pfh.hash(tree, algorithms=["md5", "tlsh"], piece_bytes="1M"), wanted)
    assert fixed.read_all()["md5"].type == pyarrow.binary(16)


def test_records_are_used_once(tree: Path) -> None:
    records = pfh.hash(tree)
    table = pyarrow.table(records)
    for again in [lambda: pyarrow.table(records), lambda: list(records), lambda: next(records)]:
        with pytest.raises(pfh.Error, match="used once.*pyarrow.table"):
            again()
    assert table.num_rows == 103
    ended = pfh.hash(tree)
    assert len(list(ended)) == 103 and list(ended) == []


def test_what_is_read(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = lambda **options: {record.path.rsplit(b"/")[-1] for record in pfh.hash(tree, **options)}  # noqa: E731
    assert names(include="00?.bin", exclude=["003.bin"]) == {f"00{n}.bin".encode() for n in range(10) if n != 3}
    assert names(min_size="1M") == {b"large"}
    assert b"large" not in names(max_size=2_999_999)
    (tree / "link").symlink_to("large")
    assert b"link" not in names()
    assert b"link" in names(follow_files=True)
    monkeypatch.chdir(tree)
    Path("-").write_bytes(b"dash")
    assert [(record.path, record.digests["sha256"]) for record in pfh.hash("-")] == [(b"-", sha256(b"dash"))]


def test_use_that_is_wrong_says_what_to_do(tree: Path) -> None:
    with pytest.raises(TypeError, match="nothing to hash"):
        pfh.hash()
    with pytest.raises(pfh.UnknownAlgorithm, match="`sha255`; close to"):
        pfh.hash(tree, algorithms="md5,sha255")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"memory": 1000}, "too few"),
        ({"memory": "lots"}, "memory: `lots` is not a size"),
        ({"memory": -1}, "memory=-1"),
        ({"threads": 0}, "threads=0"),
        ({"threads": -3}, "threads=-3"),
        ({"mode": "fast"}, "mode: `fast`.*adaptive"),
        ({"io": "fast"}, "io: `fast`.*buffered"),
        ({"piece_bytes": 0}, "piece_bytes=0"),
        ({"algorithms": ""}, "no algorithm is named"),
        ({"algorithms": []}, "no algorithm is named"),
        ({"include": "[z-a"}, "z-a"),
        ({"algorithms": "hmac-md5"}, "key"),
        ({"algorithms": "blake3,md5", "key": bytes(32)}, "no algorithm takes a key"),
        ({"algorithms": "none", "key": b"k"}, "no algorithm takes a key"),
        ({"algorithms": "hmac-md5", "key": b"k", "context": "c"}, "no algorithm takes a context"),
    ]
    for options, message in wrong:
        with pytest.raises(pfh.OptionError, match=message):
            pfh.hash(tree, **options)
    for argument in [5, None, 1.5]:
        with pytest.raises(TypeError):
            pfh.hash(argument)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="NUL"):
        pfh.hash("a\0b")
    with pytest.raises(TypeError, match="iterable of paths"):
        pfh.hash(files="a path")
    with pytest.raises(pfh.Error, match="has not ended"):
        pfh.hash(tree).raise_for_failures()


def test_an_iterable_of_paths_that_raises(tree: Path) -> None:
    def paths() -> Any:
        yield tree / "large"
        raise KeyError("own error")

    with pytest.raises(KeyError, match="own error"):
        list(pfh.hash(files=paths()))
    with pytest.raises(Exception, match="own error"):
        pyarrow.table(pfh.hash(files=paths()))
    with pytest.raises(TypeError):
        list(pfh.hash(files=[tree / "large", 5]))  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]


def test_an_endless_iterable_is_stopped(tree: Path) -> None:
    def paths() -> Any:
        while True:
            yield tree / "empty"

    with pfh.hash(files=paths()) as records:
        assert next(records).ok
    assert records.report is not None and records.report.interrupted


def test_cancelling_and_leaving(tree: Path) -> None:
    for _ in range(20):
        records = pfh.hash(*[tree] * 50)
        next(records)
        del records
    gc.collect()
    records = pfh.hash(*[tree] * 2000)
    next(records)
    threading.Timer(0.05, records.cancel).start()
    assert len(list(records)) < 2000 * 103
    assert records.report is not None and records.report.interrupted
    stream = pfh.hash(*[tree] * 2000)
    stream.cancel()
    with pytest.raises(Exception, match="cancelled"):
        pyarrow.table(stream)


def test_failures_of_runs_that_were_stopped(tree: Path) -> None:
    missing = tree / "none"
    found = "stopped"
    # Records that come when the block ends count, too; under load they may not come in time.
    for _ in range(100):
        with pfh.hash(tree / "empty", missing) as records:
            next(records)
            while records.files < 2:
                time.sleep(0.001)
        with pytest.raises(pfh.Error) as raised:
            records.raise_for_failures()
        found = str(raised.value)
        if isinstance(raised.value, pfh.FileError):
            break
    assert "first `" in found and "none`" in found
    records = pfh.hash(*[tree] * 2000)
    next(records)
    records.cancel()
    assert len(list(records)) < 2000 * 103
    with pytest.raises(pfh.Error, match="stopped before it had read every file"):
        records.raise_for_failures()
    whole = pfh.hash(tree)
    pyarrow.table(whole)
    whole.raise_for_failures()


def test_a_run_that_is_at_its_end_is_not_stopped(tree: Path) -> None:
    stopped = 0
    for _ in range(50):
        with pfh.hash(tree / "empty") as records:
            assert next(records).ok
        try:
            records.raise_for_failures()
        except pfh.Error:
            stopped += 1
    # Where other work keeps the threads of a run from ending in time, it is stopped.
    assert stopped < 5


def test_two_threads_cannot_take_at_once(tree: Path) -> None:
    fifo = tree.parent / "fifo"
    os.mkfifo(fifo)
    is_waiting = threading.Event()
    records = pfh.hash(fifo, progress=lambda _: is_waiting.set())
    taken: list[pfh.Record] = []
    thread = threading.Thread(target=lambda: taken.extend(records))
    thread.start()
    assert is_waiting.wait(60)
    with pytest.raises(RuntimeError, match="another call"):
        next(records)
    fifo.write_bytes(b"hello")
    thread.join()
    assert taken[0].digests["sha256"] == sha256(b"hello")


def test_progress_goes_with_tqdm_and_rich(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told: list[pfh.Progress] = []
    records = pfh.hash(*[tree] * 100, progress=told.append)
    count = len(list(records))
    assert told[-1].done and not any(progress.done for progress in told[:-1])
    assert (told[-1].files, told[-1].bytes) == (count, sum(len(data) for data in contents(tree).values()) * 100)
    assert sum(progress.new_bytes for progress in told) == told[-1].bytes
    assert capsys.readouterr() == ("", ""), "it draws nothing by itself"
    with tqdm(unit="B", unit_scale=True) as bar:
        pyarrow.table(pfh.hash(tree, progress=lambda p: bar.update(p.new_bytes)))
        assert bar.n == told[-1].bytes / 100
    with RichProgress() as rich:
        task = rich.add_task("hash", total=None)
        list(pfh.hash(tree, progress=lambda p: rich.update(task, completed=p.bytes)))
        assert rich.tasks[0].completed == told[-1].bytes / 100

    def fails(_: pfh.Progress) -> None:
        raise KeyError("own error")

    with pytest.raises(KeyError, match="own error"):
        list(pfh.hash(tree, progress=fails))


def test_short_forms(tree: Path) -> None:
    records = pfh.hash(tree, algorithms="md5")
    assert "running" in repr(records) and "<table>" in records._repr_html_()
    list(records)
    assert "ended, 103 files, 0 failed" in repr(records)
    assert "103" in records._repr_html_() and "\n" not in records._repr_html_()
    assert "103 complete" in repr(records.report)


def test_memory_is_bounded(tree: Path) -> None:
    result = run_python(
        """
        import resource, sys, pfh
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in pfh.hash(*[sys.argv[1]] * 500, memory="16M", threads=2):
            pass
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
        """,
        str(tree),
    )
    assert int(result.stdout) < 40_000, result


def work(path: str) -> int:
    return len(list(pfh.hash(path)))


def test_processes_that_fork_and_that_do_not(tree: Path) -> None:
    assert len(list(pfh.hash(tree))) == 103
    for method in ["fork", "spawn"]:
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(work, [str(tree)] * 4) == [103] * 4


def test_a_fork_during_a_run_says_so(tree: Path) -> None:
    result = run_python(
        """
        import gc, os, sys, pfh, warnings
        warnings.simplefilter("ignore")
        records = pfh.hash(*[sys.argv[1]] * 100)
        next(records)
        if os.fork() == 0:
            try:
                next(records)
            except pfh.Error as error:
                print(error, flush=True)
            # Dropping it does not wait for threads that do not exist here; a run of its own works.
            del records
            gc.collect()
            print(len(list(pfh.hash(sys.argv[1]))), flush=True)
            os._exit(0)
        print(os.wait()[1], len(list(records)))
        """,
        str(tree),
    )
    lines = result.stdout.splitlines()
    assert "forked" in lines[0] and lines[1] == "103" and lines[2] == f"0 {100 * 103 - 1}", result


#: Objects that wait for a thread, and code that uses each; in the child and the parent.
FORKED = {
    "findings": ("pfh.verify(sums, root=root)", "len(list({}))"),
    "a list": ("pfh.read(sums)", "len(list({}))"),
    "a stream": ("pyarrow.RecordBatchReader.from_stream(pfh.hash(root))", "{}.read_all().num_rows"),
}


@pytest.mark.parametrize("name", FORKED)
def test_a_fork_says_so_of_whatever_waits_for_threads(name: str, tmp_path: Path) -> None:
    # Far more than a thread hands over before somebody takes some of it.
    count, root, sums = 3000, tmp_path / "root", tmp_path / "SHA256SUMS"
    root.mkdir()
    for number in range(count):
        (root / f"{number:04}").write_bytes(b"")
    sums.write_text("".join(f"{'0' * 64}  {number:04}\n" for number in range(count)))
    began, used = FORKED[name]
    result = run_python(
        f"""
        import gc, os, signal, sys, pfh, pyarrow, warnings
        warnings.simplefilter("ignore")
        root, sums = sys.argv[1:]
        waiting = {began}
        if os.fork() == 0:
            # A child that waits for ever ends, too.
            signal.alarm(20)
            try:
                {used.format("waiting")}
            except (pfh.Error, OSError, ValueError, RuntimeError) as error:
                print(error, flush=True)
            del waiting
            gc.collect()
            waiting = {began}
            print({used.format("waiting")}, flush=True)
            os._exit(0)
        print(os.wait()[1], {used.format("waiting")})
        """,
        str(root),
        str(sums),
    )
    lines = result.stdout.splitlines()
    assert len(lines) == 3 and "forked" in lines[0] and lines[1:] == [str(count), f"0 {count}"], result


def test_files_that_change_while_they_are_read(tree: Path) -> None:
    path = tree / "large"
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            with open(path, "r+b") as file:
                file.write(os.urandom(100))
                file.truncate(3_000_000 if done.wait(0.0005) else 2_900_000)

    thread = threading.Thread(target=change)
    thread.start()
    outcomes: set[str] = set()
    end = time.monotonic() + 60
    try:
        # A run may come between two changes, and one of them soon meets a change.
        while not outcomes - {"complete"} and time.monotonic() < end:
            outcomes |= {record.outcome for record in pfh.hash(path)}
    finally:
        done.set()
        thread.join()
    assert outcomes <= {"complete", "changed-while-reading", "short"} and outcomes - {"complete"}, outcomes


def test_records_in_sets_and_copies(tree: Path) -> None:
    records = [*pfh.hash(tree, piece_bytes="1M"), *pfh.hash(tree / "none")]
    again = [*pfh.hash(tree, piece_bytes="1M"), *pfh.hash(tree / "none")]
    assert records == again and [*map(hash, records)] == [*map(hash, again)]
    assert len({*records, *again}) == len({*map(hash, records)}) == len(records)
    assert all(copy.copy(record) is record and copy.deepcopy([record])[0] is record for record in records)


def test_records_survive_pickling(tree: Path) -> None:
    (tree / "below" / "zeros").write_bytes(bytes(9000))
    algorithms = "md5,sha256,crc32,ssdeep,tlsh,sdhash,mrsh-v2"
    records = [*pfh.hash(tree, tree / "none", algorithms=algorithms, piece_bytes=4000)]
    pieces: list[str | Path] = ["-a", "md5,tlsh", "--piecewise", "4k"]
    for name, options in {"jsonl": pieces, "csv": [], "gnu": []}.items():
        command: list[str | Path] = [pfh.main_path(), "hash", *options, "-f", name, tree, tree / "none"]
        listed = tree.parent / name
        listed.write_bytes(subprocess.run(command, capture_output=True).stdout)
        records += pfh.read(listed)
    assert {record.ok for record in records} == {True, False} and any(record.part for record in records)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(records, protocol))
        assert again == records and [*map(repr, again)] == [*map(repr, records)]
        assert [one.pieces for one in again] == [one.pieces for one in records]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(copy.copy, records[:3]) == records[:3]


def test_records_as_dictionaries(tree: Path) -> None:
    records = [*pfh.hash(tree, tree / "none", algorithms="md5,ssdeep")]
    frame = pandas.DataFrame(record.as_dict() for record in records)
    table = pyarrow.table(pfh.hash(tree, tree / "none", algorithms="md5,ssdeep"))
    assert [*frame.columns] == [name for name in table.column_names if name != "mtime"]
    assert list(frame["path"]) == table["path"].to_pylist() == [record.path for record in records]
    assert list(frame["md5"])[:-1] == table["md5"].to_pylist()[:-1]
    rows = [record.as_dict() for record in records]
    kinds = polars.DataFrame(rows, infer_schema_length=None)["error_kind"]
    assert kinds.to_list() == table["error_kind"].to_pylist()
    assert records[0].as_dict()["mtime_ns"] == records[0].mtime_ns


def test_exceptions_in_a_stream_come_out(tree: Path) -> None:
    class Odd(Exception):
        pass

    def paths() -> Iterator[Path]:
        yield tree / "large"
        raise Odd("in files, with a NUL (\0), which ends texts of C")

    def progress(_: pfh.Progress) -> None:
        raise Odd("in progress")

    take: list[Callable[[pfh.Records], object]] = [pyarrow.table, polars.DataFrame]
    for consume in take:
        for begin in [lambda: pfh.hash(files=paths()), lambda: pfh.hash(tree, progress=progress)]:
            records = begin()
            with pytest.raises(Odd) as raised, records:
                consume(records)
            # That of the consumer, which has the text alone.
            assert "Odd: in " in str(raised.value.__context__) and raised.value.__traceback__ is not None
            with pytest.raises(Odd):
                records.raise_for_failures()
            records = begin()
            with pytest.raises(Exception, match="Odd: in "):
                consume(records)
            with pytest.raises(Odd):
                records.raise_for_failures()
            # Whoever has dealt with it, or has another exception, gets it only there.
            with begin() as records:
                with pytest.raises(Exception, match="Odd: in "):
                    consume(records)
            with pytest.raises(LookupError), begin() as records:
                with pytest.raises(Exception, match="Odd: in "):
                    consume(records)
                raise LookupError
    listed = tree.parent / "broken"
    listed.write_text("nonsense\n" + f"{hashlib.md5(b'x').hexdigest()}  a\n" * 3)
    with pytest.raises(pfh.ListError, match="line 1"):
        with pfh.read(listed, "gnu") as records:
            pyarrow.table(records)


def test_cycles_through_a_callback_are_collected(tree: Path) -> None:
    class Owner:
        records: pfh.Records

    def begin(take: bool) -> tuple[Owner, weakref.ref[Owner]]:
        owner = Owner()
        owner.records = pfh.hash(tree, progress=lambda _, owner=owner: None)  # type: ignore[misc]
        if take:
            list(owner.records)
        return owner, weakref.ref(owner)

    for take in [True, False]:
        owner, seen = begin(take)
        gc.collect()
        assert seen() is owner
        del owner
        gc.collect()
        assert seen() is None
    # A stream keeps what it calls.
    told: list[int] = []

    def stream() -> Any:
        owner = Owner()

        def progress(now: pfh.Progress) -> None:
            assert owner is not None
            told.append(now.files)

        owner.records = pfh.hash(tree, progress=progress)
        return pyarrow.RecordBatchReader.from_stream(owner.records)

    reader = stream()
    gc.collect()
    assert reader.read_all().num_rows == 103 and told[-1] == 103


@pytest.mark.parametrize("number", [-1, -(1 << 70), 1 << 70, 1 << 200])
def test_numbers_out_of_range_name_the_argument(tree: Path, number: int) -> None:
    calls: dict[str, Callable[[], object]] = {
        "threads": lambda: pfh.hash(tree, threads=number),
        "memory": lambda: pfh.hash(tree, memory=number),
        "min_size": lambda: pfh.hash(tree, min_size=number),
        "piece_bytes": lambda: pfh.hash(tree, piece_bytes=number),
        "threshold": lambda: pfh.compare([], family="tlsh", threshold=number),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=rf"^{name}={number} is not from [01] to "):
            call()
    for family, most in [("ssdeep", "100"), ("tlsh", "4294967295")]:
        with pytest.raises(pfh.OptionError, match=f"^threshold={number} is not from 0 to {most}$"):
            pfh.compare([], family=family, threshold=number)
    with pytest.raises(pfh.OptionError, match=f"^threads={number} is not from 1 to 4096"):
        pfh.digest_many([], threads=number)
