"""Arrow arrays of others that contradict themselves, and capsules that are used twice. They are made by hand, field by
field, as no library would."""

from __future__ import annotations

import ctypes
import hashlib
from typing import Any

import pyarrow
import pytest

import pfh


class Schema(ctypes.Structure):
    pass


class CArray(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]
CArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
RELEASED: list[int] = []
_RELEASE_TYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@_RELEASE_TYPE
def _release(pointer: int) -> None:
    RELEASED.append(pointer)


class Foreign:
    """An array with whatever is written into it."""

    def __init__(self, format: bytes, buffers: list[bytes | None], **fields: int) -> None:
        self.schema_name, self.array_name = b"arrow_schema", b"arrow_array"
        self.keep: list[Any] = [ctypes.create_string_buffer(buffer, len(buffer)) for buffer in buffers if buffer]
        kept = iter(self.keep)
        pointers = [ctypes.cast(next(kept), ctypes.c_void_p).value if buffer else None for buffer in buffers]
        self.pointers = (ctypes.c_void_p * max(len(pointers), 1))(*pointers)
        release = ctypes.cast(_release, ctypes.c_void_p).value
        self.schema = Schema(format=format, release=release)
        self.array = CArray(length=2, null_count=0, n_buffers=len(buffers), release=release)
        self.array.buffers = ctypes.cast(self.pointers, ctypes.POINTER(ctypes.c_void_p))
        for name, value in fields.items():
            setattr(self.array, name, value)

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        schema = _new(ctypes.addressof(self.schema), self.schema_name, None)
        return schema, _new(ctypes.addressof(self.array), self.array_name, None)


def offsets(*numbers: int, size: int = 4) -> bytes:
    return b"".join(number.to_bytes(size, "little", signed=True) for number in numbers)


def view(length: int, prefix: bytes, buffer: int, offset: int) -> bytes:
    return offsets(length) + prefix + offsets(buffer, offset)


GOOD = [None, offsets(0, 2, 3), b"abc"]


def test_a_good_one_is_hashed_and_released_once() -> None:
    RELEASED.clear()
    foreign = Foreign(b"z", GOOD)
    assert list(pfh.digest_many(foreign)) == [hashlib.sha256(m).digest() for m in (b"ab", b"c")]
    assert sorted(RELEASED) != [] and len(RELEASED) == len(set(RELEASED)) == 2


@pytest.mark.parametrize(
    ("format", "buffers", "fields"),
    [
        (b"z", GOOD, {"length": -1}),
        (b"z", GOOD, {"offset": -1}),
        (b"z", GOOD, {"length": 2**62}),
        (b"z", GOOD, {"length": 2**62, "offset": 2**62}),
        (b"z", GOOD, {"n_buffers": 2}),
        (b"z", GOOD, {"n_buffers": -1}),
        (b"z", GOOD, {"null_count": 1}),
        (b"z", [None, None, b"abc"], {}),
        (b"z", [None, offsets(0, 2, 3), None], {}),
        (b"z", [None, offsets(0, 3, 2), b"abc"], {}),
        (b"z", [None, offsets(-1, 2, 3), b"abc"], {}),
        (b"z", [None, offsets(0, 2, -3), b"abc"], {}),
        (b"Z", [None, offsets(0, -(2**40), 3, size=8), b"abc"], {}),
        (b"w:4", [None, None], {}),
        (b"w:2000000000", [None, b"abcd"], {"length": 2**40}),
        (b"vz", [None, view(20, b"abcd", 0, 0) * 2, b"x" * 10, offsets(10, size=8)], {}),
        (b"vz", [None, view(20, b"abcd", 1, 0) * 2, b"x" * 30, offsets(30, size=8)], {}),
        (b"vz", [None, view(20, b"abcd", 0, -1) * 2, b"x" * 30, offsets(30, size=8)], {}),
        (b"vz", [None, view(-5, b"abcd", 0, 0) * 2, b"x" * 30, offsets(30, size=8)], {}),
        (b"vz", [None, view(20, b"abcd", 0, 0) * 2, b"x" * 30, offsets(-30, size=8)], {}),
        (b"vz", [None, view(20, b"abcd", 0, 0) * 2, b"x" * 30, None], {}),
    ],
)
def test_arrays_that_contradict_themselves_are_refused(
    format: bytes, buffers: list[bytes | None], fields: dict[str, int]
) -> None:
    RELEASED.clear()
    with pytest.raises(ValueError, match="not valid"):
        pfh.digest_many(Foreign(format, buffers, **fields))
    assert len(RELEASED) == 2, "refused arrays are released, too"


def test_views_that_are_right_are_hashed() -> None:
    inline = offsets(3) + b"abc".ljust(12, b"\0")
    foreign = Foreign(b"vz", [None, inline + view(20, b"xxxx", 0, 5), b"x" * 30, offsets(30, size=8)])
    assert list(pfh.digest_many(foreign)) == [hashlib.sha256(m).digest() for m in (b"abc", b"x" * 20)]


def test_other_formats_are_no_messages() -> None:
    for format in [b"i", b"+s", b"", b"w:x", b"w:-1", b"tss:"]:
        with pytest.raises(TypeError):
            pfh.digest_many(Foreign(format, GOOD))


def test_capsules_of_other_names_and_no_capsules() -> None:
    foreign = Foreign(b"z", GOOD)
    foreign.array_name = b"something"
    with pytest.raises(TypeError, match="no `arrow_array`"):
        pfh.digest_many(foreign)

    class Wrong:
        def __init__(self, value: object) -> None:
            self.value = value

        def __arrow_c_array__(self, requested_schema: object | None = None) -> Any:
            return self.value

    for value in [None, (), (1, 2), (1, 2, 3), "capsule"]:
        with pytest.raises(TypeError):
            pfh.digest_many(Wrong(value))

    class Raises:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            raise KeyError("own error")

    with pytest.raises(KeyError, match="own error"):
        pfh.digest_many(Raises())


def test_a_capsule_is_used_once() -> None:
    class Keeps:
        def __init__(self, exported: Any) -> None:
            self.exported = exported

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
            return self.exported

    keeps = Keeps(pyarrow.chunked_array([[b"x"]]).__arrow_c_stream__())
    assert len(pfh.digest_many(keeps)) == 1
    with pytest.raises(ValueError, match="used before"):
        pfh.digest_many(keeps)


def test_a_stream_that_fails_says_why() -> None:
    def batches() -> Any:
        yield pyarrow.record_batch({"a": [b"x"]})
        raise RuntimeError("the source broke")

    schema = pyarrow.schema([("a", pyarrow.binary())])
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(TypeError, match="columns"):
        pfh.digest_many(reader)
