"""What holds in every interpreter, with no other package: run by itself, or by pytest."""

import hashlib
import os
import subprocess
import sys
import tempfile
from typing import Any

import pfh


def test_smoke() -> None:
    for name in ["md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b"]:
        assert pfh.digest(b"hello", name) == hashlib.new(name, b"hello").digest()
        assert list(pfh.digest_many([b"a", b"bc"], name)) == [hashlib.new(name, m).digest() for m in (b"a", b"bc")]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file")
        with open(path, "wb") as file:
            file.write(b"hello")
        (record,) = pfh.hash(folder)
        assert record.digests == {"sha256": hashlib.sha256(b"hello").digest()}
        assert pfh.file_digest(path, "md5").hexdigest() == hashlib.md5(b"hello").hexdigest()
    heavy = {"typing", "pyarrow", "numpy", "subprocess", "dataclasses"}
    code = f"import sys; before = set(sys.modules); import pfh; print(*(set(sys.modules) - before) & {heavy})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == ""
    version = subprocess.run([pfh.main_path(), "--version"], capture_output=True, text=True).stdout
    assert version.split()[1] == pfh.__version__, version


def test_a_message_that_empties_the_list_of_messages() -> None:
    messages: list[Any] = [bytes(50)] * 1000

    class Empties:
        # Called from Python 3.12 on; before, its object has no bytes.
        def __buffer__(self, flags: int) -> memoryview:
            messages.clear()
            return memoryview(b"x")

    messages[500] = Empties()
    try:
        pfh.digest_many(messages)
    except RuntimeError as error:
        assert sys.version_info >= (3, 12) and "changed while it was hashed" in str(error)
    except TypeError as error:
        assert sys.version_info < (3, 12) and "has no bytes" in str(error)
    else:
        raise AssertionError("the list was taken as it had been")


if __name__ == "__main__":
    test_smoke()
    test_a_message_that_empties_the_list_of_messages()
    print(f"Python {sys.version.split()[0]}: works")
