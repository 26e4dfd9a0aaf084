"""Digests of messages, files and trees, at the speed of the hardware.

============================  =========================================================
one message                   :func:`digest`, :func:`new`, :func:`file_digest`
many messages                 :func:`digest_many`
files and trees               :func:`hash`
lists of digests              :func:`read`, :func:`verify`
known and similar files       :func:`match`, :class:`KnownFiles`, :func:`compare`
many machines                 :func:`shard`, :class:`Plan`; :mod:`pfh.dask`, :mod:`pfh.spark`
what there is                 :func:`algorithms`, :func:`main_path`
============================  =========================================================

A file that cannot be read is a record with another outcome than ``complete``, never an exception; an error of use is
one, and says what to do. Whatever waits can be interrupted by Ctrl-C.
"""

from __future__ import annotations

import atexit as _atexit
import os as _os

from . import _interpreter

# Before the native module is loaded.
_interpreter.check()

from . import _native
from ._errors import Error, FileError, ListError, OptionError, StartError, UnknownAlgorithm
from ._native import (
    AlgorithmInfo,
    Array,
    Finding,
    Findings,
    Hasher,
    KnownFiles,
    Match,
    Pair,
    Pairs,
    Progress,
    Record,
    RecordError,
    Records,
    Report,
    __version__,
    algorithms,
    compare,
    digest,
    digest_many,
    hash,
    new,
    read,
    verify,
)
from ._python import file_digest, main_path, match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._plan import Counts, Plan, Shard, shard
else:

    def __getattr__(name: str) -> object:
        # Imported when they are used: they take what costs more time than all else here.
        if name not in ("Counts", "Plan", "Shard", "shard"):
            raise AttributeError(f"module 'pfh' has no attribute {name!r}")
        from . import _plan

        return globals().setdefault(name, getattr(_plan, name))


__all__ = [
    "AlgorithmInfo",
    "Array",
    "Counts",
    "Error",
    "FileError",
    "Finding",
    "Findings",
    "Hasher",
    "KnownFiles",
    "ListError",
    "Match",
    "OptionError",
    "Pair",
    "Pairs",
    "Plan",
    "Progress",
    "Record",
    "RecordError",
    "Records",
    "Report",
    "Shard",
    "StartError",
    "UnknownAlgorithm",
    "__version__",
    "algorithms",
    "compare",
    "digest",
    "digest_many",
    "file_digest",
    "hash",
    "main_path",
    "match",
    "new",
    "read",
    "shard",
    "verify",
]

# Threads that wait come back before the interpreter ends.
_atexit.register(_native._close)
# Those of the parent do not exist in a child, which would wait for them.
_os.register_at_fork(after_in_child=_native._forked)
