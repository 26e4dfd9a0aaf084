"""Exceptions. A file that cannot be read is no exception but a record."""

from __future__ import annotations

import os

__all__ = ["Error", "FileError", "ListError", "OptionError", "StartError", "UnknownAlgorithm"]


class Error(Exception):
    """An error of use. Every exception of pfh is one of these; it says what to do."""


class UnknownAlgorithm(Error, ValueError):
    """A name is none of an algorithm, nor of a family of similarity digests."""


class OptionError(Error, ValueError):
    """A value of an option cannot be: it is too small, too large, or no word of the option."""


class StartError(Error, OSError):
    """The system refused what a run needs: memory, threads, open files or temporary files."""


class ListError(Error, ValueError):
    """A list, or a line of it, cannot be read.

    ``path`` is the list in raw bytes, and ``line`` the number of the line, or ``None``.
    """

    path: bytes
    line: int | None

    def __init__(self, message: str, path: bytes = b"", line: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[type[ListError], tuple[str, bytes, int | None]]:
        return type(self), (str(self), self.path, self.line)


class FileError(Error, OSError):
    """A file was not read to its end. Raised only by the methods ``raise_for_failure`` and ``raise_for_failures``.

    ``path`` is the file in raw bytes, ``kind`` a word such as ``permission-denied``; of several files, those of the
    first. ``filename``, ``errno`` and ``strerror`` are as of every ``OSError``: the path as text, and the number and the
    words of the system, both ``None`` where the system reported no error, as of a file that changed meanwhile.
    """

    path: bytes
    kind: str

    def __init__(self, message: str, path: bytes = b"", kind: str = "", errno: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.kind = kind
        self.errno = errno
        self.filename = os.fsdecode(path) if path else None
        self.strerror = None if errno is None else os.strerror(errno)

    def __str__(self) -> str:
        # That of OSError repeats the number, the words and the name instead.
        return str(self.args[0])

    def __reduce__(self) -> tuple[type[FileError], tuple[str, bytes, str, int | None]]:
        return type(self), (str(self), self.path, self.kind, self.errno)


for _class in (Error, UnknownAlgorithm, OptionError, StartError, ListError, FileError):
    _class.__module__ = "pfh"
del _class
