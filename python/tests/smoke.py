"""What holds in every interpreter, with no other package: run by itself, or by pytest."""

import hashlib
import os
import subprocess
import sys
import tempfile

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


if __name__ == "__main__":
    test_smoke()
    print(f"Python {sys.version.split()[0]}: works")
