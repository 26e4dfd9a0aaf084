from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from types import TracebackType
from typing import Literal, Self, TypeAlias, final, overload

from typing_extensions import Buffer

from ._arrow import Algorithms, ArrowArrayExportable, ArrowStreamExportable, Messages, Readable, StrOrBytesPath

__all__ = [
    "AlgorithmInfo",
    "Array",
    "ArrayIterator",
    "Finding",
    "Findings",
    "Hasher",
    "KnownFiles",
    "Match",
    "Pair",
    "Pairs",
    "PairsIterator",
    "Progress",
    "Record",
    "RecordError",
    "Records",
    "Report",
    "__version__",
    "_close",
    "_forked",
    "_record",
    "algorithms",
    "compare",
    "digest",
    "digest_many",
    "hash",
    "new",
    "read",
    "verify",
]

__version__: str

_Digests: TypeAlias = (
    Records
    | Mapping[str, str | None]
    | Mapping[bytes, str | None]
    | Iterable[str | bytes | tuple[str | bytes, str | bytes | None]]
    | ArrowArrayExportable
    | ArrowStreamExportable
)

def _close() -> None: ...
def _forked() -> None: ...
def _record(line: bytes, beyond: tuple[int, int, bool, list[str]], part: tuple[int, int] | None) -> Record: ...
def digest(data: Buffer, algorithm: str = "sha256", *, key: Buffer | None = None, context: str | None = None) -> bytes:
    """Returns the digest of one message.

    ``data`` is any object with bytes. ``bytes`` are hashed where they are, everything else in copied pieces, so that
    it may change meanwhile without harm. ``algorithm`` is a name or an alias of :func:`algorithms`. ``key`` and
    ``context`` are for the algorithms that need one: ``hmac-sha256``, ``keyed-blake3``, ``blake3-derive-key`` ...

    >>> pfh.digest(b"hello", "md5").hex()
    '5d41402abc4b2a76b9719d911017c592'

    Raises ``UnknownAlgorithm``; ``OptionError`` for a key or a context that is missing, wrong, or of no use to the
    algorithm; ``TypeError`` for what has no bytes; ``BufferError`` for a buffer with gaps.
    """

def digest_many(messages: Messages, algorithm: str = "sha256", *, threads: int | None = 1) -> Array:
    """Returns the digests of many messages, hashed side by side in the lanes of a core.

    ``messages`` are a list or another sequence of bytes-like objects; an Arrow array or stream of binary or strings
    (of pyarrow, a Series of polars or pandas, nanoarrow ...), which is the fast way, since nothing is taken out of
    objects; or a numpy array: of dtype ``S`` (without the NULs at the ends of values), ``V``, or rows of ``uint8`` in
    two dimensions. Null stays null. ``threads=None`` is one for each core; by default the caller's thread works alone.

    >>> digests = pfh.digest_many([b"a", b"b"], "md5")
    >>> digests.hex()
    ['0cc175b9c0f1b6a831c399e269772661', '92eb5ffee6ae2fec3ad71c777531578f']
    >>> pyarrow.array(digests).type
    FixedSizeBinaryType(fixed_size_binary[16])

    Raises ``TypeError`` with the place of a message that has no bytes, and ``ValueError`` for an Arrow array that
    contradicts itself.
    """

def new(
    algorithm: str,
    data: Buffer | None = None,
    *,
    usedforsecurity: bool = True,
    key: Buffer | None = None,
    context: str | None = None,
) -> Hasher:
    """Returns a hash object with hashlib's interface, for every algorithm of :func:`algorithms`.

    >>> hasher = pfh.new("blake3", b"hel")
    >>> hasher.update(b"lo")
    >>> hasher.hexdigest()
    'ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f'

    ``usedforsecurity`` is hashlib's word, and changes nothing here. Raises as :func:`digest`.
    """

def hash(
    *paths: StrOrBytesPath,
    algorithms: Algorithms | None = None,
    files: Iterable[StrOrBytesPath] | None = None,
    include: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] | None = None,
    min_size: int | str | None = None,
    max_size: int | str | None = None,
    one_file_system: bool = False,
    follow_files: bool = False,
    follow_directories: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    mode: Literal["adaptive", "mtp", "smt"] = "adaptive",
    io: Literal["buffered", "drop", "direct"] = "buffered",
    piece_bytes: int | str | None = None,
    unordered: bool = False,
    key: Buffer | None = None,
    context: str | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Records:
    """Begins to hash files and trees on all cores, and returns their records.

    The records come in the order of the walk while the run goes on. Take them one by one, or hand all of them to
    pyarrow, polars, pandas or DuckDB as a table; each record is used once.

    >>> for record in pfh.hash("/data", algorithms="sha256,md5"):
    ...     print(record.path_str, record.digests["md5"].hex() if record.ok else record.error)
    >>> table = pyarrow.table(pfh.hash("/data"))
    >>> frame = polars.DataFrame(pfh.hash("/data", exclude="*.tmp"))
    >>> duckdb.sql("select path from records where size > 1e9")     # with records = pfh.hash("/data")

    A file that cannot be read is a record whose ``outcome`` is not ``complete`` and whose ``error`` says why; a missing
    path too. ``records.raise_for_failures()`` raises after the end, where that is wanted.

    Files: ``paths`` are files and directories, and ``files`` an iterable of further ones, which is taken while
    the run goes on. ``include`` and ``exclude`` are patterns of names, as of the program; ``min_size`` and ``max_size``
    bound regular files. Links among ``paths`` are followed, others with ``follow_files`` and ``follow_directories``.
    ``bytes`` are a path, too: :func:`digest` hashes a message.

    Digests: ``algorithms`` are names of algorithms and of similarity families (``ssdeep``, ``tlsh``,
    ``sdhash``, ``mrsh-v2``), SHA-256 by default; ``"none"`` reads without a digest, and an empty list is refused.
    ``piece_bytes`` also digests every piece of that many bytes.

    Speed: ``threads`` are as many as cores by default, ``memory`` bounds all buffers (256 MiB by default); sizes are
    numbers or text such as ``"64M"``. ``mode`` and ``io`` are those of the program. ``unordered`` gives records as they
    finish. ``progress`` is called about ten times a second by the thread that takes the records, and draws whatever
    you like: ``lambda p: bar.update(p.new_bytes)`` with tqdm, ``lambda p: bar.update(task, completed=p.bytes)`` with
    rich.

    Ctrl-C ends the run and raises ``KeyboardInterrupt``, also from inside of a consumer. Leaving a ``with`` block stops
    the run, and so does dropping the records.

    Raises ``UnknownAlgorithm``; ``OptionError`` for a value that cannot be, and for a ``key`` or a ``context`` that no
    algorithm takes; ``StartError`` if the system refuses threads, memory or open files.
    """

def read(
    list: StrOrBytesPath | Readable,
    format: str | None = None,
    *,
    algorithm: str | None = None,
    algorithms: Algorithms | None = None,
    strict: bool = True,
) -> Records:
    """Reads a list of digests in any format that pfh reads, and returns its entries as records.

    ``list`` is a path, also of a zip archive, or a file that is open for reading bytes. ``format`` is the name of a
    format; it is recognised by default. ``algorithm`` is that of digests whose algorithm the list does not name.
    ``algorithms`` name the columns of a table; by default they are those of the header and of the first 256 entries.
    A line that cannot be read raises, and so does the end of a list that has not all files of its run: it was cut, or
    the run was interrupted. With ``strict=False`` the line is left out, and ``records.broken`` tells of both.

    >>> {record.path_str: record.digests["sha256"] for record in pfh.read("SHA256SUMS")}

    Raises ``ListError`` with the line, ``OSError`` if the list cannot be opened, and ``TypeError`` or ``ValueError``
    for a file whose ``read(n)`` returns no bytes, or more than ``n``.
    """

def compare(
    a: _Digests,
    b: _Digests | None = None,
    *,
    family: str,
    threshold: int | None = None,
    threads: int | None = None,
) -> Pairs:
    """Finds the pairs of similar digests: all pairs among ``a``, or with ``b`` those of one of each.

    ``a`` and ``b`` are records, a mapping of names to digests, pairs of a name and a digest, digests alone (their names
    are their places, from 0), or an Arrow array of strings. ``family`` is ``ssdeep``, ``tlsh``, ``sdhash`` or
    ``mrsh-v2``. ``threshold`` is the lowest score (1 by default); with TLSH, the largest distance (30).

    In a table, names are text: bytes that are no UTF-8 become U+FFFD. Pairs themselves have them (``os.fsdecode``).

    >>> pairs = pfh.compare(pfh.hash("/samples", algorithms="tlsh"), family="tlsh", threshold=50)
    >>> polars.DataFrame(pairs).sort("score")

    Raises ``UnknownAlgorithm`` for a family that there is not, ``OptionError`` for what is no digest of it, and for
    records of which none has one by their algorithms.
    """

def verify(
    list: StrOrBytesPath | Readable,
    root: StrOrBytesPath | None = None,
    *,
    all: bool = False,
    algorithm: str | None = None,
    strip_prefix: StrOrBytesPath | None = None,
    backslashes: bool = False,
    strict: bool = True,
    sample: float | None = None,
    seed: int | None = None,
    structure: bool = False,
    size_first: bool = False,
    ignore_missing: bool = False,
    ignore_new: bool = False,
    include: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] | None = None,
    one_file_system: bool = False,
    follow_files: bool = False,
    follow_directories: bool = False,
    threads: int | None = None,
    memory: int | str | None = None,
    key: Buffer | None = None,
    context: str | None = None,
) -> Findings:
    """Compares the files that a list expects with those that are there, and returns what became of each.

    ``list`` is as of :func:`read`: a manifest of BagIt, the output of ``sha256sum``, a list of pfh ... ``root`` is the
    directory (or the file) that its paths start from; by default that is where the list lies for BagIt and OCFL, and
    the current directory otherwise. Every file below it is read, so moved, copied and new files are found too.
    ``all`` also lists files that matched. ``strip_prefix`` is a directory that all paths of the list begin with.

    ``structure`` compares names and sizes only. ``size_first`` compares them before any file is read, and leaves out
    files whose size differs. ``sample`` reads only this share of the files, in percent, chosen at random; ``seed``
    repeats the choice of the same seed. ``ignore_new`` looks for no files that the list does not have; then moved files
    are missing. With ``ignore_missing`` missing files are no failures. The findings tell what was asked.

    >>> findings = pfh.verify("bag/manifest-sha256.txt")
    >>> findings.ok, findings.counts["changed"]
    >>> [(finding.class_, finding.path_str, finding.reason) for finding in findings]

    A list of which lines, or the end, cannot be read raises; with ``strict=False``, ``findings.broken`` tells of it,
    and they are not ``ok``.

    Raises ``ListError`` for a list that is of no use; ``OptionError`` for a share that is not above 0 and up to 100,
    and for options that exclude each other; and as :func:`hash`.
    """

def algorithms() -> list[AlgorithmInfo]:
    """Returns the registry of algorithms: those without keys, then those with one.

    >>> [info.name for info in pfh.algorithms() if info.status == "current"]
    """

@final
class AlgorithmInfo:
    """A line of the registry of algorithms."""

    @property
    def name(self) -> str:
        """The name, as in columns and lists."""

    @property
    def aliases(self) -> list[str]:
        """Further names by which it is found."""

    @property
    def digest_size(self) -> int:
        """The length of the digest in bytes."""

    @property
    def block_size(self) -> int:
        """The length of the block in bytes; 1 where there is none."""

    @property
    def status(self) -> Literal["current", "legacy", "broken", "checksum"]:
        """How far it may be trusted: `current`, `legacy`, `broken` or `checksum`."""

    @property
    def backend(self) -> str:
        """The code that this processor gets: `sha-ni`, `avx512`, `portable` …"""

    @property
    def reference(self) -> str:
        """The standard or paper that defines it."""

    @property
    def keyed(self) -> bool:
        """Whether it needs `key=` or `context=`."""

@final
class Hasher:
    """A hash object with hashlib's interface."""

    @property
    def name(self) -> str:
        """The canonical name of the algorithm."""

    @property
    def digest_size(self) -> int:
        """The length of the digest in bytes."""

    @property
    def block_size(self) -> int:
        """The length of the algorithm's block in bytes; 1 where it has none."""

    def update(self, data: Buffer) -> None:
        """Takes the next bytes of the message. An interrupt leaves the object as it was. A handler of a signal finds
        it as it was before the call, and cannot update it (``RuntimeError``).
        """

    def digest(self) -> bytes:
        """Returns the digest of the bytes so far; more may follow."""

    def hexdigest(self) -> str:
        """Returns the digest of the bytes so far as hexadecimal digits; more may follow."""

    def copy(self) -> Hasher:
        """Returns an independent object that goes on from the bytes so far."""

@final
class Array:
    """Digests of many messages, as `digest_many` returns them."""

    @property
    def algorithm(self) -> str:
        """The algorithm of the digests."""

    @property
    def digest_size(self) -> int:
        """The length of a digest in bytes."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, place: int, /) -> bytes | None: ...
    @overload
    def __getitem__(self, place: slice, /) -> Array: ...
    def __iter__(self) -> ArrayIterator: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def hex(self) -> list[str | None]:
        """Returns the digests as hexadecimal digits; `None` for null."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...

@final
class ArrayIterator(Iterator[bytes | None]):
    """Iterates over the digests of an array."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> bytes | None: ...

@final
class Record:
    """The record of one file."""

    @property
    def path(self) -> bytes:
        """The path in raw bytes, as it was named and the walk extended it."""

    @property
    def path_str(self) -> str:
        """The path as text, by `os.fsdecode`."""

    @property
    def size(self) -> int | None:
        """The size in bytes; `None` if it is not known."""

    @property
    def mtime_ns(self) -> int | None:
        """The time of the last modification, in nanoseconds since 1970; `None` if it is not known."""

    @property
    def outcome(self) -> Literal["complete", "changed-while-reading", "short", "unreadable", "skipped", "not-reached"]:
        """The outcome of reading the file, as a word: `complete`, `unreadable` …"""

    @property
    def ok(self) -> bool:
        """Whether every byte was read and hashed."""

    @property
    def bytes_read(self) -> int:
        """Bytes that were read."""

    @property
    def digests(self) -> dict[str, bytes]:
        """The digests by the names of their algorithms; empty unless the file is complete."""

    @property
    def similarities(self) -> dict[str, str | None]:
        """The similarity digests by their families, as text; `None` where a family has none of the file."""

    @property
    def pieces(self) -> tuple[tuple[int, int, dict[str, bytes]], ...]:
        """The digests of pieces: offset, length and digests of each."""

    @property
    def part(self) -> tuple[int, int] | None:
        """The offset and the length of the part that the digests are of, where a list has digests of parts."""

    @property
    def error(self) -> RecordError | None:
        """The error that stopped the reading; `None` if nothing did."""

    def raise_for_failure(self) -> None:
        """Raises `FileError` if the file was to be read and was not."""

    def as_dict(self) -> dict[str, object]:
        """Returns a dictionary of the values, with the names of columns of tables: `pandas.DataFrame(record.as_dict() for
        record in records)`. `mtime_ns` is here in nanoseconds since 1970, and there is no `mtime`. Digests are bytes.
        """

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Record: ...
    def __deepcopy__(self, memo: object, /) -> Record: ...
    def __reduce__(self) -> tuple[Callable[..., Record], tuple[object, ...]]: ...

@final
class RecordError:
    """The error that stopped the reading of a file."""

    @property
    def kind(self) -> str:
        """The kind, as a word: `not-found`, `permission-denied`, `io` …"""

    @property
    def message(self) -> str:
        """The message for people, without the path."""

    @property
    def errno(self) -> int | None:
        """The number of the system's error, if there is one."""

    @property
    def offset(self) -> int:
        """Offset of the first byte that could not be read."""

@final
class Records(Iterator[Record]):
    """Records, each used once."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> Record: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, *exception: type[BaseException] | BaseException | TracebackType | None
    ) -> None: ...
    def cancel(self) -> None:
        """Stops the run, from any thread. Records that are finished by then still come; a stream ends with an error."""

    @property
    def files(self) -> int:
        """Files whose record is finished, whatever the outcome."""

    @property
    def bytes(self) -> int:
        """Bytes read so far."""

    @property
    def failed(self) -> int:
        """Files so far that were not read to their end."""

    @property
    def format(self) -> str | None:
        """The format of the list; `None` for a run."""

    @property
    def algorithms(self) -> list[str]:
        """The kinds of digests that records have, in their order."""

    @property
    def broken(self) -> list[str]:
        """Lines that could not be read, and a missing end of the list, with `strict=False`: the first thousand."""

    @property
    def report(self) -> Report | None:
        """The counts and times of a run that has ended; `None` before, and for a list."""

    def raise_for_failures(self) -> None:
        """Raises `FileError` if a file was not read to its end, and `Error` if the run was stopped before it had read
        every file. The run must have ended. The exception that ended a stream is raised as it is.
        """

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def _repr_html_(self) -> str: ...

@final
class Report:
    """The counts and times of a run."""

    @property
    def files(self) -> int:
        """Files and directories with a record."""

    @property
    def complete(self) -> int:
        """Files that were read and hashed to their end."""

    @property
    def changed(self) -> int:
        """Files that changed while they were read."""

    @property
    def short(self) -> int:
        """Files that ended early."""

    @property
    def unreadable(self) -> int:
        """Files and directories that an error stopped."""

    @property
    def skipped(self) -> int:
        """Files that were left out on purpose."""

    @property
    def bytes(self) -> int:
        """Bytes that were read."""

    @property
    def seconds(self) -> float:
        """The time that the run took, in seconds."""

    @property
    def interrupted(self) -> bool:
        """Whether the run was stopped before it had seen every file."""

@final
class Progress:
    """The numbers that a callback of progress gets."""

    @property
    def files(self) -> int:
        """Files so far."""

    @property
    def bytes(self) -> int:
        """Bytes so far."""

    @property
    def failed(self) -> int:
        """Files so far that were not read to their end."""

    @property
    def new_files(self) -> int:
        """Files since the last call."""

    @property
    def new_bytes(self) -> int:
        """Bytes since the last call."""

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""

    @property
    def done(self) -> bool:
        """Whether this is the last call."""

@final
class KnownFiles:
    """Known files, in which records are looked up: sets of `pfh known build`, and lists in any format."""

    def __new__(
        cls,
        *known: str | bytes | PathLike[str] | PathLike[bytes],
        algorithm: str | None = None,
        class_: Literal["good", "bad", "other"] | None = None,
        strict: bool = True,
        memory: int | str | None = None,
    ) -> Self: ...
    @property
    def algorithms(self) -> list[str]:
        """The algorithms with which files are to be hashed, so that each known file can be found."""

    @property
    def broken(self) -> list[str]:
        """Lines, and ends, of lists that could not be read, with `strict=False`."""

    @property
    def without_digest(self) -> int:
        """The number of files in lists that no file can be found to be, because their line has no digest for it."""

    @property
    def guessed(self) -> list[tuple[str, str]]:
        """Digests whose algorithm was guessed from their length: the name of the set or the list, and the algorithm."""

    @property
    def _guesses(self) -> list[tuple[str, str]]:
        """The guesses one by one: the path of the set or the list, and the algorithm."""

    def __len__(self) -> int: ...
    def not_told_by(self, algorithms: list[str]) -> list[str]:
        """The sets and lists of which some files cannot be found by digests of these algorithms alone."""

    def find(self, record: Record) -> Match:
        """Returns the known file that a record is."""

@final
class Match:
    """A record, and the known file that it is."""

    @property
    def record(self) -> Record:
        """The record of the file."""

    @property
    def known(self) -> bool | None:
        """Whether the file is known; `None` if nobody can tell, because it could not be read or has no digest."""

    @property
    def class_(self) -> Literal["good", "bad", "other"] | None:
        """The meaning of being known: `bad`, `other` or `good`; `None` for a file that is not."""

    @property
    def set(self) -> str | None:
        """The name of the set or the list that knows it."""

    @property
    def name(self) -> bytes | None:
        """The name of the known file in raw bytes; empty where the set keeps none."""

    @property
    def product(self) -> str | None:
        """The product that has the known file; empty where the set keeps none."""

    @property
    def entries(self) -> int:
        """The number of known files that it is."""

    @property
    def _confirmed(self) -> list[int]:
        """The places of the guesses of `KnownFiles` that this match confirms."""

@final
class Pairs:
    """Pairs of similar digests, in the order of the digests."""

    @property
    def family(self) -> str:
        """The family of the digests."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, place: int, /) -> Pair: ...
    @overload
    def __getitem__(self, place: slice, /) -> list[Pair]: ...
    def __iter__(self) -> PairsIterator: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def _repr_html_(self) -> str: ...

@final
class PairsIterator(Iterator[Pair]):
    """Iterates over pairs."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> Pair: ...

@final
class Pair:
    """Two digests that are similar."""

    @property
    def first(self) -> str:
        """The name of the first, or its place."""

    @property
    def second(self) -> str:
        """The name of the second."""

    @property
    def score(self) -> int:
        """The score, 0 to 100; with TLSH the distance."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Findings(Iterator[Finding]):
    """The fates of the files of a list. Each finding is taken once, alone or as a row of a table."""

    def __iter__(self) -> Self: ...
    def __next__(self) -> Finding: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    @property
    def ok(self) -> bool:
        """Whether everything that was expected is there and unchanged, as far as was asked: see `sample`, `structure` and
        `ignore_missing`. New files and copies are no failures; that no file was compared is one."""

    @property
    def sample(self) -> float | None:
        """The share of files that were to be read, in percent; `None` if it was all of them."""

    @property
    def seed(self) -> int | None:
        """The number that decided the choice of the sample; `None` without one."""

    @property
    def structure(self) -> bool:
        """Whether names and sizes alone were compared; then no file was read, and those that agree are `not-checked`."""

    @property
    def ignore_new(self) -> bool:
        """Whether files that the list does not have were not looked for."""

    @property
    def ignore_missing(self) -> bool:
        """Whether missing files were no failures."""

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of files by class."""

    @property
    def algorithms(self) -> list[str]:
        """The algorithms that were compared."""

    @property
    def root(self) -> bytes:
        """The place that the paths of findings start from, in raw bytes."""

    @property
    def files(self) -> int:
        """Files that were read to their ends."""

    @property
    def broken(self) -> list[str]:
        """Lines of the list that could not be read, and that its end is missing, with `strict=False`."""

@final
class Finding:
    """The fate of one file."""

    @property
    def class_(
        self,
    ) -> Literal["matched", "changed", "moved", "copied", "new", "missing", "unreadable", "not-checked"]:
        """The class: `matched`, `changed`, `moved`, `copied`, `new`, `missing`, `unreadable` or `not-checked`."""

    @property
    def path(self) -> bytes:
        """The path below the root, in raw bytes: where the file is, or else where it was expected."""

    @property
    def path_str(self) -> str:
        """The path as text, by `os.fsdecode`."""

    @property
    def expected_path(self) -> bytes | None:
        """Where the file was expected, in raw bytes; of a copy, the file whose contents it has."""

    @property
    def line(self) -> int | None:
        """The line of the list; `None` for a file that was not expected."""

    @property
    def expected_size(self) -> int | None:
        """The size that was expected."""

    @property
    def found_size(self) -> int | None:
        """The size that was found."""

    @property
    def expected(self) -> dict[str, bytes] | None:
        """The digests that were expected, by their algorithms."""

    @property
    def found(self) -> dict[str, bytes] | None:
        """The digests that were found, by their algorithms."""

    @property
    def reason(self) -> str:
        """The reason in words, where the class alone does not tell it; else empty."""
