"""What is documented is what is there."""

from __future__ import annotations

import ast
import inspect
import os
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import pfh
from pfh import _native

from .skips import skip_without

STUB = Path(pfh.__file__).with_name("_native.pyi")


def test_the_stub_and_help_have_the_same_text() -> None:
    compared = 0
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            assert inspect.getdoc(getattr(_native, node.name)) == ast.get_docstring(node), node.name
            compared += 1
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and ast.get_docstring(inner):
                    documented = getattr(getattr(_native, node.name), inner.name)
                    assert inspect.getdoc(documented) == ast.get_docstring(inner), (node.name, inner.name)
                    compared += 1
    assert compared > 50


def test_help_teaches() -> None:
    for name in ["digest", "digest_many", "file_digest", "hash", "main_path", "match", "new", "read", "compare", "verify", "shard"]:
        text = inspect.getdoc(getattr(pfh, name)) or ""
        assert ">>>" in text and "Raises" in text, name
    assert str(inspect.signature(pfh.digest)).startswith("(data, algorithm='sha256', *")


def test_exceptions_survive_pickling() -> None:
    error = pickle.loads(pickle.dumps(pfh.ListError("text", b"path", 5)))
    assert (str(error), error.path, error.line) == ("text", b"path", 5)
    failure = pickle.loads(pickle.dumps(pfh.FileError("text", b"path", "io", 5)))
    assert (str(failure), failure.path, failure.kind, failure.errno) == ("text", b"path", "io", 5)
    assert (failure.filename, failure.strerror) == ("path", os.strerror(5))
    assert issubclass(pfh.UnknownAlgorithm, ValueError) and issubclass(pfh.StartError, OSError)


#: The guide, where the tests run in the repository.
GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "python.md"


def blocks() -> list[tuple[int, str, str]]:
    """The blocks of the guide: line, code, and the output that follows it."""
    found: list[tuple[int, str, str]] = []
    lines = GUIDE.read_text().splitlines()
    place = 0
    while place < len(lines):
        if lines[place] in ("```python", "```text"):
            end = lines.index("```", place)
            text = "\n".join(lines[place + 1 : end])
            if lines[place] == "```python":
                found.append((place + 1, text, ""))
            else:
                line, code, _ = found[-1]
                found[-1] = (line, code, text)
            place = end
        place += 1
    return found


def test_the_guide_says_what_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for line, code, expected in blocks():
        skip_without(code)
        try:
            exec(compile("\n" * line + code, str(GUIDE), "exec"), names)
        except Exception as error:
            raise AssertionError(f"line {line} of the guide: {error!r}") from error
        printed = capsys.readouterr().out.replace(os.fspath(tmp_path), "")
        assert printed.rstrip("\n") == expected, f"line {line} of the guide"
    assert len(blocks()) > 10


@pytest.mark.parametrize("name", ["README.md", "python/README.md"])
def test_the_first_pages_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (GUIDE.parents[2] / name).read_text()
    codes = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(codes) == 1
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "hello.txt").write_bytes(b"hello")
    monkeypatch.chdir(tmp_path)
    skip_without(codes[0])
    names: dict[str, Any] = {}
    exec(compile(codes[0], name, "exec"), names)
    if name == "README.md":
        assert names["files"]["key"].to_list() == [pfh.digest(b"photos/hello.txt", "blake3")]
        assert names["files"]["sha256"].to_list() == [pfh.digest(b"hello")]
    else:
        assert names["table"]["path"].to_pylist() == [b"photos/hello.txt"]
