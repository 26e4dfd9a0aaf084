"""What needs no native code."""

from __future__ import annotations

import os
import sys
import warnings

from . import _native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from ._arrow import StrOrBytesPath
    from ._native import Hasher, KnownFiles, Match, Records

__all__ = ["file_digest", "main_path", "match"]

_PART_BYTES = 1 << 20


def file_digest(file: StrOrBytesPath | BinaryIO, algorithm: str) -> Hasher:
    """Returns a hash object over all of a file: a path, or an open file, from where it stands.

    As :func:`hashlib.file_digest`, and for paths. For many files, :func:`pfh.hash` is faster, proves that they did not
    change meanwhile, and goes on where one cannot be read.

    >>> pfh.file_digest("disk.img", "sha256").hexdigest()

    Raises ``OSError`` if the file cannot be read, and ``ValueError`` for a file that is closed, or open as text.
    """
    if isinstance(file, (str, bytes, os.PathLike)):
        with open(file, "rb", buffering=0) as opened:
            return file_digest(opened, algorithm)
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
    """Looks files up among known ones, and yields a :class:`Match` for each file.

    ``files`` are paths, which are hashed with what the known files need, or :class:`Records` of a run or a list.
    ``known`` are sets of ``pfh known build``, lists in any format, or :class:`KnownFiles`, which are opened once for
    several calls. Similar files are found by :func:`compare`.

    >>> [match.record.path_str for match in pfh.match("/evidence", "nsrl.pfhset") if not match.known]

    A file that cannot be read, or has no digest, comes out too, as a match whose ``known`` is ``None``: nobody can tell
    what it is. ``match.record.error`` says why it was not read, and ``match.record.raise_for_failure()`` raises
    where that is wanted.

    Warns where files could be taken for unknown that are known: of listed files without a digest, of sets and lists
    with digests by other algorithms than those of ``files``, and at the end where nothing was found by an algorithm
    that was guessed from the length of digests; ``algorithm`` states it.

    Raises ``ListError`` for what is neither a set nor a list.
    """
    if not isinstance(known, _native.KnownFiles):
        paths = [known] if isinstance(known, (str, bytes, os.PathLike)) else known
        known = _native.KnownFiles(*paths, algorithm=algorithm)
    if isinstance(files, _native.Records):
        records = files
    else:
        paths = [files] if isinstance(files, (str, bytes, os.PathLike)) else list(files)
        names = [algorithm] if algorithm is not None else known.algorithms
        # Nothing to hash is an error where somebody names it, and not where an iterable is empty.
        none = None if paths else ()
        records = _native.hash(*paths, files=none, algorithms=names or "none", threads=threads, memory=memory)
    if known.without_digest > 0:
        warnings.warn(f"{known.without_digest} known files have no digest by which they can be found", stacklevel=2)
    return _matches(records, known, dict(enumerate(known._guesses)) if algorithm is None else {})


def _matches(records: Records, known: KnownFiles, guesses: dict[int, tuple[str, str]]) -> Iterator[Match]:
    with records:
        told: set[frozenset[str]] = set()
        for record in records:
            match = known.find(record)
            algorithms = frozenset(record.digests)
            # A file that was not read has none, which tells nothing about the known ones.
            if record.ok and algorithms not in told:
                told.add(algorithms)
                if names := known.not_told_by(sorted(algorithms)):
                    lacking = f"by {', '.join(sorted(algorithms))}" if algorithms else "by which files are looked up"
                    text = f"{', '.join(names)}: some files have no digest {lacking}, and are not found"
                    warnings.warn(text, stacklevel=2)
            for place in match._confirmed:
                guesses.pop(place, None)
            yield match
    for path, algorithm in guesses.values():
        text = f"{path}: nothing was found; its digests were taken for {algorithm} because of their length"
        warnings.warn(text, stacklevel=2)
