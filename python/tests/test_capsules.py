"""Arrow arrays of others that contradict themselves, and capsules that are used twice. They are made by hand, field by
field, as no library would."""

from __future__ import annotations

import ctypes
import hashlib
import signal
from typing import Any

import pyarrow
import pytest

import pfh


class Schema(ctypes.Structure):
    pass


class CArray(ctypes.Structure):
    pass


class CStream(ctypes.Structure):
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

_FILL_TYPE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_TEXT_TYPE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
CStream._fields_ = [
    ("get_schema", _FILL_TYPE),
    ("get_next", _FILL_TYPE),
    ("get_last_error", _TEXT_TYPE),
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


class ForeignStream:
    """A stream of arrays with whatever is written into them, that ends with an error, or without one."""

    def __init__(
        self, *arrays: Foreign, errno: int = 0, text: bytes | None = None, fails_at_once: bool = False
    ) -> None:
        waiting = iter(arrays)
        self.arrays = arrays
        self.text = ctypes.create_string_buffer(text) if text is not None else None

        def get_schema(_: int, place: int) -> int:
            if fails_at_once:
                return errno
            ctypes.memmove(place, ctypes.addressof(arrays[0].schema), ctypes.sizeof(Schema))
            return 0

        def get_next(_: int, place: int) -> int:
            array = next(waiting, None)
            if array is not None:
                ctypes.memmove(place, ctypes.addressof(array.array), ctypes.sizeof(CArray))
            elif errno == 0:
                # An array that was released is the end.
                ctypes.memset(place, 0, ctypes.sizeof(CArray))
            return 0 if array is not None else errno

        def get_last_error(_: int) -> int | None:
            return ctypes.addressof(self.text) if self.text is not None else None

        release = ctypes.cast(_release, ctypes.c_void_p).value
        self.stream = CStream(
            _FILL_TYPE(get_schema), _FILL_TYPE(get_next), _TEXT_TYPE(get_last_error), release=release
        )

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return _new(ctypes.addressof(self.stream), b"arrow_array_stream", None)


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


def test_a_stream_of_tables_says_what_to_pass() -> None:
    def batches() -> Any:
        yield pyarrow.record_batch({"a": [b"x"]})
        raise RuntimeError("the source broke")

    schema = pyarrow.schema([("a", pyarrow.binary())])
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(TypeError, match="columns"):
        pfh.digest_many(reader)


#: Two similarity digests, and the same as an array.
SSDEEP = b"3:a6/G:asG" * 2
TEXTS = [None, offsets(0, 10, 20), SSDEEP]


def compare(object: Any) -> pfh.Pairs:
    return pfh.compare(object, family="ssdeep")


@pytest.mark.parametrize("take", [pfh.digest_many, compare])
def test_streams_that_fail_in_the_middle_say_why(take: Any) -> None:
    for text, said in [(b"the source broke", "error 5: the source broke"), (None, "error 5: "), (b"\xff", "error 5: ")]:
        for count in range(3):
            RELEASED.clear()
            arrays = [Foreign(b"u", TEXTS) for _ in range(count)]
            stream = ForeignStream(*(arrays or [Foreign(b"u", TEXTS)]), errno=5, text=text, fails_at_once=count == 0)
            with pytest.raises(ValueError, match=f"the Arrow stream failed with {said}"):
                take(stream)
            # The stream, and the schema and the arrays that it handed over.
            assert len(RELEASED) == (1 if count == 0 else count + 2), RELEASED


@pytest.mark.parametrize("take", [pfh.digest_many, compare])
@pytest.mark.parametrize(
    ("buffers", "fields"),
    [
        (TEXTS, {"length": -1}),
        (TEXTS, {"length": 2**62}),
        (TEXTS, {"offset": 2**62}),
        (TEXTS, {"n_buffers": 1}),
        ([None, offsets(0, 10, 5), SSDEEP], {}),
        ([None, offsets(0, -10, 20), SSDEEP], {}),
        ([None, offsets(0, 10, 20), None], {}),
    ],
)
def test_streams_of_arrays_that_lie_are_refused(take: Any, buffers: list[bytes | None], fields: dict[str, int]) -> None:
    RELEASED.clear()
    good, lie = Foreign(b"u", TEXTS), Foreign(b"u", buffers, **fields)
    with pytest.raises(ValueError, match="not valid"):
        take(ForeignStream(good, lie, good))
    # The two arrays that were taken, the schema, and the stream.
    assert len(RELEASED) == 4


def test_streams_that_end_are_used() -> None:
    RELEASED.clear()
    arrays = [Foreign(b"u", TEXTS) for _ in range(3)]
    assert len(pfh.digest_many(ForeignStream(*arrays))) == 6
    assert len(RELEASED) == 5
    assert len(compare(ForeignStream(*arrays))) == 15


def test_offsets_that_change_after_they_were_checked_lead_nowhere() -> None:
    class Changing(Foreign):
        def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
            # The first message takes longer, and signals are handled in the middle of it. The time is that of the
            # process: it goes on only while that works.
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.05)
            return super().__arrow_c_array__(requested_schema)

    def change(*_: object) -> None:
        ctypes.memmove(changing.keep[0], offsets(0, size, 1 << 40, size + 2, size=8), 4 * 8)

    first = bytes(64 << 20)
    size = len(first)
    changing = Changing(b"Z", [None, offsets(0, size, size + 1, size + 2, size=8), first + b"ab"], length=3)
    before = signal.signal(signal.SIGVTALRM, change)
    try:
        digests = list(pfh.digest_many(changing, "sha3-512"))
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert digests == [hashlib.sha3_512(message).digest() for message in (first, b"", b"")]
