"""Plans: a listing that was cut into shards, which tasks hash on many machines."""

from __future__ import annotations

import binascii
import json
import os
import tempfile
from contextlib import contextmanager
from typing import NamedTuple

from . import _native
from ._errors import Error, ListError
from ._program import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from typing import Any

    from ._arrow import Algorithms, StrOrBytesPath
    from ._native import Record

__all__ = ["Counts", "Plan", "Shard", "hash_shard", "shard"]

#: Exit statuses of the program with which all is done, whatever was found: a file may bear the marks of a collision
#: attack.
_DONE = (0, 1)

#: Those with which some files could not be read, or nothing was written: whether the result is there tells.
_UNREAD = (3, 5)

#: The last line of a result is shorter.
_SUMMARY_BYTES = 4096

#: A header is shorter: it has the command line, which the system bounds.
_HEADER_BYTES_MAX = 16 << 20

#: Bytes of a list that are read at once.
_LIST_PART_BYTES = 1 << 20

#: What headers of results have in common with their plan.
_COMMON_FIELDS = ("algorithms", "directory", "directory_base64", "piece_bytes", "facts")


class Shard(NamedTuple):
    """A shard of a plan: a contiguous range of the listing."""

    number: int
    """The number, from 0."""
    entries: int
    """The number of records that its result has."""
    files: int
    """The number of regular files."""
    bytes: int
    """The size of the files when they were listed."""
    weight: int
    """The size, and a cost for each file."""


class Counts(NamedTuple):
    """The counts of the files of some shards, by outcome."""

    shards: int = 0
    """The number of shards."""
    files: int = 0
    """The number of files and directories with a record. A part of a file that was split counts as a file."""
    complete: int = 0
    """Files that were read and hashed to their end."""
    failed: int = 0
    """Files and directories that could not be read, that ended early, or that changed meanwhile."""
    skipped: int = 0
    """The number of paths that were left out on purpose: sockets, loops of links ..."""
    bytes: int = 0
    """Bytes that were read."""

    def plus(self, other: Counts) -> Counts:
        """Returns the sums of both."""
        return Counts(*(own + others for own, others in zip(self, other, strict=True)))


class Plan:
    """A plan of ``pfh shard``: a listing that was cut into shards, and their results.

    ``folder`` is the plan's folder, which every task must see. Make plans with :func:`shard`; hash them with
    :mod:`pfh.dask`, :mod:`pfh.spark`, or the program (``pfh hash --plan``) under any scheduler.

    >>> plan = pfh.Plan("plan")
    >>> pfh.dask.hash(plan, client=client)
    >>> plan.merge("SHA256SUMS")

    Raises ``ListError`` for what is no plan, or one of another version.
    """

    folder: str
    """The absolute path of the folder."""
    shards: tuple[Shard, ...]
    """The shards, in the order of the listing."""
    algorithms: list[str]
    """The names of the digests, in their order."""
    piece_bytes: int | None
    """The length of the pieces, where pieces are digested too."""
    split_bytes: int | None
    """Where long files are split: files of more bytes are hashed in parts, which may be in several shards."""

    def __init__(self, folder: StrOrBytesPath) -> None:
        self.folder = os.path.abspath(os.fsdecode(folder))
        path = os.path.join(self.folder, "plan.json")
        raw = os.fsencode(path)
        try:
            with open(path, "rb") as file:
                plan: Any = json.load(file)
        except FileNotFoundError:
            raise ListError(f"{self.folder} has no plan.json, so it is no plan; pfh.shard makes one", raw) from None
        except ValueError as error:
            raise ListError(f"{path} is not as pfh wrote it: {error}; make the plan anew", raw) from None
        if not isinstance(plan, dict) or plan.get("type") != "pfh-plan":
            raise ListError(f"{path} is not as pfh wrote it: its type is not pfh-plan; make the plan anew", raw)
        if plan.get("version") != 1:
            raise ListError(
                f"{path} has version {plan.get('version')}, and this pfh reads version 1; use the pfh that wrote it on "
                "all machines",
                raw,
            )
        try:
            self.shards = tuple(
                Shard(number, one["entries"], one["files"], one["bytes"], one["weight"])
                for number, one in enumerate(plan["lists"])
            )
            self.algorithms = [str(name) for name in plan["algorithms"]]
        except (KeyError, TypeError) as error:
            raise ListError(f"{path} is not as pfh wrote it: {error!r}; make the plan anew", raw) from None
        self.piece_bytes = plan.get("piece_bytes")
        self.split_bytes = plan.get("split_bytes")
        self._common = {name: plan.get(name) for name in _COMMON_FIELDS}

    @classmethod
    def of(cls, plan: Plan | StrOrBytesPath) -> Plan:
        """Returns a plan itself, or that of a folder."""
        return plan if isinstance(plan, cls) else cls(plan)  # type: ignore[arg-type]

    def result(self, number: int) -> str:
        """Returns the path of the result of a shard, whether it is there or not."""
        return _result(self.folder, number)

    def missing(self) -> list[int]:
        """Returns the numbers of the shards that have no result yet."""
        there = set(os.listdir(self.folder))
        return [shard.number for shard in self.shards if os.path.basename(self.result(shard.number)) not in there]

    def heaviest_first(self) -> list[int]:
        """Returns the numbers of the shards in the order in which to begin them: so none waits long for the last."""
        return [shard.number for shard in sorted(self.shards, key=lambda shard: -shard.weight)]

    def merge(self, list: StrOrBytesPath, format: str | None = None) -> None:
        """Joins the results into a list, that of one run, byte for byte.

        ``list`` is the path of the list, which appears whole. ``format`` is a format of ``pfh hash``; by default the
        usual one for the digests.

        Raises ``Error`` if a shard has no result, or one that is not its own; then the path has what it had before.
        """
        path = os.path.abspath(os.fsencode(list))
        chosen = [] if format is None else ["--format", format]
        before = _identity(path)
        status, message = run(["merge", "--quiet", "--allow-empty", *chosen, "--output", path, self.folder])
        # A list that replaces another is a file of its own.
        is_written = status in _DONE or (status in _UNREAD and _identity(path) not in (None, before))
        if not is_written:
            raise Error(message or f"pfh merge ended with status {status}")

    def records(self) -> Iterator[Record]:
        """Yields the records of all shards, in the order of one run, as :func:`read` does.

        Raises ``OSError`` if a shard has no result, and ``ListError`` for one that is damaged, of another shard or of
        another plan; ``Error`` for all three where files are split, since their parts are joined first.
        """
        for shard in self.shards:
            check = Entries(self, shard.number)
            with check, self._records_of(shard.number) as path, _native.read(path, "jsonl") as records:
                for record in records:
                    if record.part is None:
                        check.entry(record.path)
                    yield record
                check.end()

    @contextmanager
    def _records_of(self, number: int) -> Generator[str]:
        """Returns a list of the records of the files that begin in a shard: its result, if no file is split."""
        if self.split_bytes is None:
            self._check_ends(self.shards[number])
            yield self.result(number)
            return
        with tempfile.TemporaryDirectory(prefix="pfh-") as folder:
            path = os.path.join(folder, "records")
            wanted = ["--quiet", "--allow-empty", "--format=jsonl", f"--shard={number}", f"--output={path}"]
            status, message = run(["merge", *wanted, self.folder])
            if status not in _DONE + _UNREAD or not os.path.exists(path):
                raise Error(message or f"pfh merge ended with status {status}")
            yield path

    def _check_ends(self, shard: Shard) -> None:
        """Checks that a result is one of this plan and whole, from its first and its last line.

        Raises ``OSError`` if there is none, and ``ListError``.
        """
        path = self.result(shard.number)
        with open(path, "rb") as file:
            try:
                header: Any = json.loads(file.readline(_HEADER_BYTES_MAX))
                common = {name: header.get(name) for name in _COMMON_FIELDS}
            except (ValueError, AttributeError):
                raise _damaged(path, "its first line is no header") from None
        for name, expected in self._common.items():
            if common[name] != expected:
                raise _damaged(path, f"it is of another plan, by its `{name}`")
        self._check_entries(shard, _counts(path).files)

    def _check_entries(self, shard: Shard, entries: int) -> None:
        """Checks the number of records of a result. Where files are split, they were counted when they were joined.

        Raises ``ListError``.
        """
        if self.split_bytes is None and entries != shard.entries:
            path = self.result(shard.number)
            raise _damaged(path, f"it has {entries} records, and the list of the shard {shard.entries}")

    def __reduce__(self) -> tuple[type[Plan], tuple[str]]:
        return type(self), (self.folder,)

    def __repr__(self) -> str:
        return f"<pfh.Plan: {len(self.shards)} shards in {self.folder!r}>"


class Entries:
    """Compares the paths of a result with the list of its shard, one after the other, as :meth:`Plan.merge` does.

    Where files are split, that was done when their parts were joined.
    """

    def __init__(self, plan: Plan, number: int) -> None:
        self._plan, self._shard, self._count = plan, plan.shards[number], 0
        is_joined = plan.split_bytes is not None
        self._listed = None if is_joined else _listed(os.path.join(plan.folder, f"{number:05}.list"))

    def __enter__(self) -> Entries:
        return self

    def __exit__(self, *_: object) -> None:
        if self._listed is not None:
            self._listed.close()

    def entry(self, path: bytes) -> None:
        """Takes the path of the next record. Raises ``ListError`` if the list has another one in its place."""
        self._count += 1
        if self._listed is None:
            return
        listed = next(self._listed, None)
        if listed is not None and listed != path:
            own, other = os.fsdecode(path), os.fsdecode(listed)
            raise _damaged(
                self._plan.result(self._shard.number),
                f"its record {self._count} is of {own!r}, and the list of the shard has {other!r}",
            )

    def end(self) -> None:
        """Checks the number of records. Raises ``ListError``."""
        self._plan._check_entries(self._shard, self._count)


def _listed(path: str) -> Generator[bytes]:
    """Yields the paths of the list of a shard whose files are whole, without holding the list in memory."""
    with open(path, "rb") as file:
        rest = b""
        while part := file.read(_LIST_PART_BYTES):
            *entries, rest = (rest + part).split(b"\0")
            for entry in entries:
                if entry.startswith(b"{"):
                    yield _path_of_line(entry, path)
                else:
                    yield entry.partition(b" ")[2]


def _path_of_line(entry: bytes, list: str) -> bytes:
    """Returns the path of an entry that is not read.

    Raises ``ListError``.
    """
    try:
        line: Any = json.loads(entry)
        raw: str | None = line.get("path_base64")
        named: str = line["path"]
        return named.encode() if raw is None else binascii.a2b_base64(raw)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise ListError(f"{list} is not as pfh wrote it: {error!r}; make the plan anew", os.fsencode(list)) from None


def _result(folder: str, number: int) -> str:
    return os.path.join(folder, f"{number:05}.jsonl")


def _damaged(path: str, reason: str) -> ListError:
    return ListError(f"{path}: {reason}; remove it, and hash the shard again", os.fsencode(path))


def _identity(path: bytes) -> tuple[int, int, int] | None:
    """Returns what tells a file from the one that had its name before; ``None`` if there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns


def shard(
    *paths: StrOrBytesPath,
    plan: StrOrBytesPath,
    shards: int | None = None,
    shard_size: int | str | None = None,
    per_file: int | str | None = None,
    split: int | str | None = None,
    algorithms: Algorithms | None = None,
    piece_bytes: int | str | None = None,
    files: Iterable[StrOrBytesPath] | None = None,
    include: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] | None = None,
    min_size: int | str | None = None,
    max_size: int | str | None = None,
    one_file_system: bool = False,
    follow_files: bool = False,
    follow_directories: bool = False,
) -> Plan:
    """Walks trees once, cuts the listing into shards, and returns the plan: ``pfh shard``.

    ``plan`` is a new folder on storage that all machines see. Make 8 to 32 ``shards`` for each task that runs at once,
    or name their mean weight, ``shard_size``. ``split`` (``"1G"``) has files of more bytes hashed in parts of that length,
    where all algorithms can be joined: BLAKE3, the CRCs and Adler-32. The other options are those of :func:`hash`; no file is opened.

    >>> plan = pfh.shard("/data", plan="plan", shards=64, algorithms="sha256,ssdeep")
    >>> plan.shards[0].files

    Raises ``Error`` if the plan cannot be made. A path that cannot be listed has a record.
    """
    if isinstance(files, (str, bytes)):
        raise TypeError("`files=` is an iterable of paths; a single path goes before it")
    arguments: list[str | bytes] = ["shard", "--quiet", "--output", os.fsencode(plan)]

    def option(name: str, value: object | None) -> None:
        if value is not None:
            arguments.append(f"--{name}={value}")

    option("shards", shards)
    option("shard-size", shard_size)
    option("per-file", per_file)
    option("split", split)
    if algorithms is not None:
        option("algorithm", algorithms if isinstance(algorithms, str) else ",".join(algorithms))
    option("piecewise", piece_bytes)
    for name, globs in (("include", include), ("exclude", exclude)):
        for glob in [globs] if isinstance(globs, str) else globs or []:
            option(name, glob)
    option("min-size", min_size)
    option("max-size", max_size)
    for name, is_wanted in (
        ("one-file-system", one_file_system),
        ("follow-files", follow_files),
        ("follow-directories", follow_directories),
    ):
        if is_wanted:
            arguments.append(f"--{name}")
    if files is not None:
        arguments.append("--files-from0=-")
    listing = (_path_bytes(file) + b"\0" for file in files or ())
    status, message = run([*arguments, "--", *map(_path_bytes, paths)], listing)
    if status not in _DONE + _UNREAD:
        raise Error(message or f"pfh shard ended with status {status}")
    return Plan(plan)


def _path_bytes(path: StrOrBytesPath) -> bytes:
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise ValueError("a path has a NUL in it; no file can have such a name")
    return raw


def hash_shard(plan: str, number: int, threads: int, memory: int | str, any_tree: bool) -> Counts:
    """Hashes a shard, unless it has a result, and returns its counts. This is the task that engines distribute.

    Any number of attempts may run at once, anywhere. The program is killed with the process that waits for it.

    Raises ``Error`` if there is no whole result then.
    """
    path = _result(plan, number)
    was_there = os.path.exists(path)
    tree = ["--any-tree"] if any_tree else []
    status, message = run(
        ["hash", "--quiet", f"--plan={plan}", f"--shard={number}", f"--threads={threads}", f"--memory={memory}", *tree]
    )
    # What was there and is not whole stays as it is.
    if status in _DONE or (status in _UNREAD and not was_there and os.path.exists(path)):
        return _counts(path)
    raise Error(f"shard {number} of {plan}: {message or f'pfh hash ended with status {status}'}")


def _counts(path: str) -> Counts:
    """Returns the counts of a result, which its last line has."""
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - _SUMMARY_BYTES))
        line = file.read().rstrip(b"\n").rpartition(b"\n")[2]
    try:
        last: Any = json.loads(line)
        if last["interrupted"]:
            raise ValueError
        failed = last["changed_while_reading"] + last["short"] + last["unreadable"]
        return Counts(1, last["files"], last["complete"], failed, last["skipped"], last["bytes"])
    except (ValueError, KeyError, TypeError):
        raise _damaged(path, "it has no end") from None
