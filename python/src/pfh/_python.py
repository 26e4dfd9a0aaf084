"""What needs no native code."""

from __future__ import annotations

import os
import sys

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO, TypeVar

    from ._arrow import StrOrBytesPath
    from ._native import Hasher, KnownFiles, Match, Records

    T = TypeVar("T")

__all__ = ["file_digest", "main_path", "match"]

_PART_BYTES = 1 << 20

#: How long a caller waits before it looks at signals, as in the native module: another thread may have got the signal.
_TICK_SECONDS = 0.02


def _apart(work: Callable[[], T]) -> T:
    """Runs `work` on a thread of its own, and waits for it.

    No signal ends a read of a device that does not answer, so an interrupted caller leaves the thread behind. It ends
    when the device answers, and the end of the interpreter does not wait for it; those of `threading` it waits for.
    """
    import _thread

    done = _thread.allocate_lock()
    done.acquire()
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            done.release()

    _thread.start_new_thread(run, ())
    while not done.acquire(timeout=_TICK_SECONDS):
        pass
    if errors:
        raise errors.pop()
    return results.pop()


def file_digest(file: StrOrBytesPath | BinaryIO, algorithm: str) -> Hasher:
    """Returns a hash object over all of a file: a path, or an open file, from where it stands.

    As :func:`hashlib.file_digest`, and for paths. For many files, :func:`pfh.hash` is faster, proves that they did not
    change meanwhile, and goes on where one cannot be read. Ctrl-C ends the reading of a path at once; a read of an open
    file ends when the system has answered it.

    >>> pfh.file_digest("disk.img", "sha256").hexdigest()

    Raises ``OSError`` if the file cannot be read, and ``ValueError`` for a file that is closed, or open as text.
    """
    if isinstance(file, (str, bytes, os.PathLike)):
        path = file

        def read() -> Hasher:
            with open(path, "rb", buffering=0) as opened:
                return file_digest(opened, algorithm)

        return _apart(read)
    hasher = _native.new(algorithm)
    if hasattr(file, "getbuffer"):
        # A file in memory; from its start, as hashlib does.
        hasher.update(file.getbuffer())  # pyright: ignore[reportAttributeAccessIssue]
        return hasher
    if not hasattr(file, "readinto"):
        raise ValueError(f"{file!r} is not a file that is open for reading bytes; open it with open(path, 'rb')")
    part = bytearray(_PART_BYTES)
    view = memoryview(part)
    while True:
        size = file.readinto(part)  # pyright: ignore[reportAttributeAccessIssue]
        if size is None:
            raise BlockingIOError("the file has nothing to read yet; take it out of non-blocking mode")
        if not size:
            return hasher
        hasher.update(view[:size])


def main_path() -> str:
    """Returns the path of the program ``pfh`` that came with this package.

    >>> subprocess.run([pfh.main_path(), "verify", "MANIFEST"], check=True)

    Raises ``FileNotFoundError`` if it was not installed with the package.
    """
    import sysconfig

    places = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    # As `pip install --user` and `--target` place it.
    places.append(sysconfig.get_path("scripts", f"{os.name}_user"))
    package = os.path.dirname(os.path.abspath(__file__))
    places.append(os.path.join(os.path.dirname(package), "bin"))
    # Another interpreter that uses the packages of this prefix: PREFIX/lib/pythonX.Y/site-packages/pfh.
    places.append(os.path.join(os.path.abspath(os.path.join(package, *[os.pardir] * 4)), "bin"))
    for place in places:
        path = os.path.join(place, "pfh")
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    raise FileNotFoundError(f"the program pfh is in none of {', '.join(places)}; install the wheel, which has it")


def match(
    files: Records | StrOrBytesPath | Iterable[StrOrBytesPath],
    known: KnownFiles | StrOrBytesPath | Iterable[StrOrBytesPath],
    *,
    algorithm: str | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Iterator[Match]:
    """Looks files up among known ones, and yields a :class:`Match` for each file that could be read.

    ``files`` are paths, which are hashed with what the known files need, or :class:`Records` of a run or a list.
    ``known`` are sets of ``pfh known build``, lists in any format, or :class:`KnownFiles`, which are opened once for
    several calls. Similar files are found by :func:`compare`.

    >>> [match.record.path_str for match in pfh.match("/evidence", "nsrl.pfhset") if not match.known]

    Raises ``ListError`` for what is neither a set nor a list.
    """
    if not isinstance(known, _native.KnownFiles):
        paths = [known] if isinstance(known, (str, bytes, os.PathLike)) else known
        known = _native.KnownFiles(*paths, algorithm=algorithm)
    if isinstance(files, _native.Records):
        records = files
    else:
        paths = [files] if isinstance(files, (str, bytes, os.PathLike)) else files
        names = [algorithm] if algorithm is not None else known.algorithms
        records = _native.hash(*paths, algorithms=names, threads=threads, memory=memory)
    return _matches(records, known)


def _matches(records: Records, known: KnownFiles) -> Iterator[Match]:
    with records:
        for record in records:
            if record.ok and record.digests:
                yield known.find(record)
