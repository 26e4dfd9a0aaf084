"""The protocols of Arrow and of buffers, for type checkers. Nothing imports this at run time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol, TypeAlias

from typing_extensions import Buffer


class ArrowArrayExportable(Protocol):
    """Has an array of Arrow: pyarrow's, nanoarrow's, pfh's arrays."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


class ArrowStreamExportable(Protocol):
    """Has a stream of arrays of Arrow: Series of polars and pandas, chunked arrays of pyarrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Readable(Protocol):
    """A file that is open for reading bytes."""

    def read(self, size: int, /) -> bytes: ...


StrOrBytesPath: TypeAlias = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Algorithms: TypeAlias = str | Sequence[str]
Messages: TypeAlias = Sequence[Buffer] | ArrowArrayExportable | ArrowStreamExportable | Buffer
