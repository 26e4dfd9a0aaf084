"""Messages: digest, digest_many, new, file_digest."""

from __future__ import annotations

import array
import hashlib
import hmac
import io
import mmap
import random
import sys
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import pfh

SHARED = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b", "blake2s"]


def messages(count: int, longest: int, seed: int = 1) -> list[bytes]:
    generator = random.Random(seed)
    return [generator.randbytes(generator.randrange(longest + 1)) for _ in range(count)]


@pytest.mark.parametrize("name", SHARED)
def test_digests_are_those_of_hashlib(name: str) -> None:
    for data in [b"", b"abc", bytes(1000), *messages(50, 5000)]:
        expected = hashlib.new(name, data).digest()
        assert pfh.digest(data, name) == expected
        assert pfh.new(name, data).digest() == expected
    many = [b"", *messages(3000, 300), bytes(2_000_000), b"end", *messages(3, 3_000_000)]
    expected_many = [hashlib.new(name, data).digest() for data in many]
    for threads in [1, 3, None]:
        assert list(pfh.digest_many(many, name, threads=threads)) == expected_many
        assert list(pfh.digest_many(pyarrow.array(many, pyarrow.binary()), name, threads=threads)) == expected_many


def test_every_algorithm_of_the_registry_has_the_interface_of_hashlib() -> None:
    for info in pfh.algorithms():
        key = bytes(32) if info.keyed and info.name != "blake3-derive-key" else None
        context = "context" if info.name == "blake3-derive-key" else None
        hasher = pfh.new(info.name, key=key, context=context)
        assert (hasher.name, hasher.digest_size, hasher.block_size) == (info.name, info.digest_size, info.block_size)
        hasher.update(b"hel")
        other = hasher.copy()
        hasher.update(memoryview(b"lo"))
        whole = pfh.digest(b"hello", info.name, key=key, context=context)
        assert hasher.digest() == whole == hasher.digest()
        assert hasher.hexdigest() == whole.hex()
        assert len(whole) == info.digest_size
        assert other.digest() == pfh.digest(b"hel", info.name, key=key, context=context)
        for alias in info.aliases:
            assert pfh.new(alias).name == info.name
    assert pfh.digest(b"x", "crc32") == zlib.crc32(b"x").to_bytes(4, "big")
    assert pfh.digest(b"x", "hmac-sha256", key=b"k") == hmac.digest(b"k", b"x", "sha256")


@pytest.mark.parametrize(
    "make",
    [bytes, bytearray, memoryview, lambda data: array.array("B", data), lambda data: numpy.frombuffer(data, "u1")],
)
@pytest.mark.parametrize("size", [0, 1, 2047, 2048, 300_000, 9_000_000])
def test_all_that_has_bytes_is_hashed(make: Callable[[bytes], Any], size: int) -> None:
    data = random.Random(size).randbytes(size)
    expected = hashlib.sha256(data).digest()
    assert pfh.digest(make(data)) == expected
    hasher = pfh.new("sha256")
    hasher.update(make(data))
    assert hasher.digest() == expected
    assert list(pfh.digest_many([make(data)] * 2)) == [expected] * 2


def test_other_formats_of_buffers() -> None:
    for values in [numpy.arange(1000.0), numpy.zeros((3, 4), "i4"), numpy.zeros(5, [("a", "i4"), ("b", "S3")])]:
        assert pfh.digest(values) == hashlib.sha256(values.tobytes()).digest()


def test_a_map_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(256)) * 4096)
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert pfh.digest(mapped) == hashlib.sha256(path.read_bytes()).digest()
    with pytest.raises(ValueError):
        pfh.digest(mapped)


def test_arrow_arrays_of_all_libraries() -> None:
    data = messages(3000, 100)
    text = [f"message {number}" for number in range(3000)]
    expected = [hashlib.sha256(message).digest() for message in data]
    expected_text = [hashlib.sha256(message.encode()).digest() for message in text]
    for kind in [pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view()]:
        arrow = pyarrow.array(data, kind)
        assert list(pfh.digest_many(arrow)) == expected
        assert list(pfh.digest_many(arrow[100:200])) == expected[100:200]
        assert list(pfh.digest_many(pyarrow.chunked_array([arrow[:7], arrow[7:]]))) == expected
    for kind in [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()]:
        assert list(pfh.digest_many(pyarrow.array(text, kind))) == expected_text
    assert list(pfh.digest_many(polars.Series(data))) == expected
    assert list(pfh.digest_many(polars.Series(text))) == expected_text
    assert list(pfh.digest_many(pandas.Series(text, dtype="string[pyarrow]"))) == expected_text
    fixed = [message.ljust(100, b"x") for message in data]
    arrow = pyarrow.array(fixed, pyarrow.binary(100))
    assert list(pfh.digest_many(arrow[5:])) == [hashlib.sha256(message).digest() for message in fixed[5:]]
    assert list(pfh.digest_many(pyarrow.array([], pyarrow.binary()))) == []


def test_null_stays_null() -> None:
    for kind in [pyarrow.binary(), pyarrow.binary_view(), pyarrow.binary(2)]:
        digests = pfh.digest_many(pyarrow.array([b"ab", None, b"cd", None], kind))
        assert [digest is None for digest in digests] == [False, True, False, True]
        assert digests.hex()[1] is None
        assert pyarrow.array(digests).null_count == 2
        assert pyarrow.array(digests).to_pylist() == list(digests)


@pytest.mark.parametrize("seed", range(8))
def test_every_way_in_has_the_same_digests(seed: int) -> None:
    generator = random.Random(seed)
    # Of any length, or of a few, so that neighbours have as many blocks.
    lengths = generator.choice([range(201), range(50, 70), range(110, 130), [0], [64], [100]])
    nulls = generator.choice([0, 0.01, 0.5])
    bytes_of = lambda: generator.randbytes(generator.choice(lengths))  # noqa: E731
    data = [None if generator.random() < nulls else bytes_of() for _ in range(5000)]
    some = [message or b"" for message in data]
    fixed = [message.ljust(200, b"x") for message in some]
    start = generator.randrange(100)
    end = generator.randrange(4000, 5001)
    for name in ["md5", "sha1", "sha256", "sha224", "sha512", "blake3", "xxh3-64"]:
        expected = [None if message is None else pfh.digest(message, name) for message in data[start:end]]
        for threads in [1, 2]:
            for kind in [pyarrow.binary(), pyarrow.large_binary(), pyarrow.binary_view()]:
                digests = pfh.digest_many(pyarrow.array(data, kind)[start:end], name, threads=threads)
                assert list(digests) == expected
                # Nothing lies under nulls that a consumer could take for a digest.
                buffer = pyarrow.array(digests).buffers()[1]
                zeros = bytes(digests.digest_size)
                assert buffer is not None
                assert buffer.to_pybytes() == b"".join(digest or zeros for digest in expected)
            listed = pfh.digest_many(some[start:end], name, threads=threads)
            assert list(listed) == [pfh.digest(message, name) for message in some[start:end]]
            expected_fixed = [pfh.digest(message, name) for message in fixed[start:end]]
            arrow = pyarrow.array(fixed, pyarrow.binary(200))[start:end]
            assert list(pfh.digest_many(arrow, name, threads=threads)) == expected_fixed
            rows = numpy.frombuffer(b"".join(fixed), "u1").reshape(-1, 200)[start:end]
            assert list(pfh.digest_many(rows, name, threads=threads)) == expected_fixed


def test_numpy_arrays() -> None:
    strings = numpy.array([b"a", b"bcd", b"", b"a\0b"])
    assert list(pfh.digest_many(strings)) == [hashlib.sha256(value).digest() for value in strings.tolist()]
    void = numpy.array([b"abc", b"d\0\0"], "V3")
    assert list(pfh.digest_many(void)) == [hashlib.sha256(value.tobytes()).digest() for value in void]
    rows = numpy.random.default_rng(1).integers(0, 256, (500, 40), "u1")
    assert list(pfh.digest_many(rows)) == [hashlib.sha256(row.tobytes()).digest() for row in rows]
    assert list(pfh.digest_many(rows[::2])) == [hashlib.sha256(row.tobytes()).digest() for row in rows[::2]]
    objects = numpy.array([b"x", b"yy"], object)
    assert list(pfh.digest_many(objects)) == [hashlib.sha256(value).digest() for value in (b"x", b"yy")]
    for other in [numpy.arange(5), numpy.array(["text"]), numpy.zeros((2, 2, 2), "u1")]:
        with pytest.raises(TypeError, match="has no messages"):
            pfh.digest_many(other)


def test_the_array_of_digests() -> None:
    digests = pfh.digest_many([b"a", b"b", b"c"], "md5")
    assert len(digests) == 3 and digests[-1] == digests[2] == hashlib.md5(b"c").digest()
    assert (digests.algorithm, digests.digest_size) == ("md5", 16)
    assert list(digests[1:]) == list(digests)[1:]
    assert digests == pfh.digest_many([b"a", b"b", b"c"], "md5") != pfh.digest_many([b"a"], "md5")
    assert polars.Series(digests).to_list() == list(digests)
    for place in [3, -4]:
        with pytest.raises(IndexError, match="among 3"):
            digests[place]
    assert list(pfh.digest_many(digests, "sha1")) == [hashlib.sha1(digest or b"").digest() for digest in digests]


def test_use_that_is_wrong_says_what_to_do() -> None:
    with pytest.raises(pfh.UnknownAlgorithm, match="close to `sha256`.*pfh.algorithms"):
        pfh.digest(b"", "sha255")
    with pytest.raises(ValueError):
        pfh.new("sha255")
    with pytest.raises(TypeError, match=r"text\.encode\(\)"):
        pfh.digest("text")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="int has no bytes"):
        pfh.digest(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match=r"message 1: .*encode"):
        pfh.digest_many([b"x", "y"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="message 2: NoneType has no bytes"):
        pfh.digest_many([b"x", b"y", None])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    for single in [b"x", bytearray(b"x"), "x"]:
        with pytest.raises(TypeError, match="pass a list|one message"):
            pfh.digest_many(single)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="messages are a list"):
        pfh.digest_many(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(BufferError, match="ascontiguousarray"):
        pfh.digest(memoryview(b"abcdef")[::2])
    with pytest.raises(BufferError):
        pfh.new("md5").update(numpy.zeros((4, 4), "u1")[:, 1])
    with pytest.raises(pfh.OptionError, match="threads=0"):
        pfh.digest_many([b"x"], threads=0)
    with pytest.raises(pfh.OptionError, match="key"):
        pfh.digest(b"", "hmac-sha256")
    with pytest.raises(pfh.OptionError, match="key="):
        pfh.digest_many([b""], "hmac-sha256")
    for name in ["sha256", "blake2b", "blake3", "blake3-derive-key"]:
        context = "context" if name == "blake3-derive-key" else None
        with pytest.raises(pfh.OptionError, match="no algorithm takes a key"):
            pfh.digest(b"", name, key=b"k", context=context)
        with pytest.raises(pfh.OptionError, match="no algorithm takes a key"):
            pfh.new(name, key=b"k", context=context)
    for name in ["sha256", "hmac-sha256"]:
        with pytest.raises(pfh.OptionError, match="no algorithm takes a context"):
            pfh.new(name, key=b"k" if name == "hmac-sha256" else None, context="context")
    released = memoryview(b"abc")
    released.release()
    with pytest.raises(ValueError):
        pfh.digest(released)
    for wrong in [pyarrow.array([1, 2]), pyarrow.table({"a": [b"x"]}), pyarrow.array([b"a"]).dictionary_encode()]:
        with pytest.raises(TypeError, match="cast|columns"):
            pfh.digest_many(wrong)


def test_lists_that_change_meanwhile() -> None:
    growing: list[bytes] = [bytes(50)] * 20_000

    changes = threading.Event()

    def change() -> None:
        while not changes.is_set():
            growing.append(b"more")
            growing.pop(0) if len(growing) > 10_000 else None

    changer = threading.Thread(target=change)
    changer.start()
    try:
        for _ in range(20):
            try:
                assert len(pfh.digest_many(growing)) > 0
            except RuntimeError as error:
                assert "changed" in str(error)
    finally:
        changes.set()
        changer.join()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes of Python export buffers from 3.12 on")
def test_a_message_that_changes_the_list_of_messages() -> None:
    messages: list[Any] = []

    class Changes:
        def __init__(self, change: Callable[[], object]) -> None:
            self.change = change

        def __buffer__(self, flags: int) -> memoryview:
            self.change()
            return memoryview(b"x" * 50)

    changes: list[Callable[[], object]] = [messages.clear, lambda: messages.append(b"more"), lambda: messages.pop()]
    for change in changes:
        for place in [0, 500, 999]:
            for threads in [1, 2]:
                messages[:] = [bytes(50)] * 1000
                messages[place] = Changes(change)
                with pytest.raises(RuntimeError, match="the list of messages changed while it was hashed"):
                    pfh.digest_many(messages, threads=threads)


def test_buffers_that_change_meanwhile() -> None:
    data = bytearray(40_000_000)
    done = threading.Event()

    def change() -> None:
        while not done.is_set():
            data[:1000] = bytes(1000)

    def resize() -> None:
        # A buffer that is being read cannot be resized.
        while not done.is_set():
            try:
                data.append(0)
            except BufferError:
                done.wait(0.001)

    threads = [threading.Thread(target=change), threading.Thread(target=resize)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            assert len(pfh.digest(data, "xxh3-128")) == 16
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_one_hasher_of_many_threads() -> None:
    hasher = pfh.new("sha256")
    part = bytes(100_000)

    def work() -> None:
        for _ in range(50):
            hasher.update(part)
            hasher.copy().digest()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hasher.digest() == hashlib.sha256(part * 200).digest()


def test_file_digest(tmp_path: Path) -> None:
    path = tmp_path / "file"
    data = random.Random(1).randbytes(3_000_000)
    path.write_bytes(data)
    expected = hashlib.sha256(data).hexdigest()
    names: list[Path | str | bytes] = [path, str(path), bytes(path)]
    for name in names:
        assert pfh.file_digest(name, "sha256").hexdigest() == expected
    with open(path, "rb") as file:
        assert pfh.file_digest(file, "sha256").hexdigest() == expected
    with open(path, "rb", buffering=0) as raw:
        raw.seek(10)
        assert pfh.file_digest(raw, "sha256").digest() == hashlib.sha256(data[10:]).digest()
    assert pfh.file_digest(io.BytesIO(data), "sha256").hexdigest() == expected
    with open(path) as text, pytest.raises(ValueError, match="reading bytes"):
        pfh.file_digest(text, "sha256")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="closed"):
        pfh.file_digest(file, "sha256")
    with pytest.raises(FileNotFoundError) as missing:
        pfh.file_digest(tmp_path / "none", "sha256")
    assert missing.value.filename == str(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        pfh.file_digest(tmp_path, "sha256")
