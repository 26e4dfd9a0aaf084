"""Lists: read, verify, match, compare."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import polars
import pyarrow
import pytest

import pfh

from .clusters import FAMILIES
from .conftest import contents, sha256

#: No list. Of files with random bytes, one in 25 has a line that some format may have, and fails where it is read.
NOISE = bytes(range(128, 256)) * 8


def program(*arguments: str | Path, cwd: Path) -> bytes:
    return subprocess.run([pfh.main_path(), *arguments], capture_output=True, cwd=cwd).stdout


@pytest.mark.parametrize("format", ["gnu", "bsd", "hashdeep", "csv", "jsonl", "dfxml"])
def test_every_format_that_has_digests_is_read(format: str, tree: Path) -> None:
    algorithm = "md5" if format == "hashdeep" else "sha256"
    (tree / os.fsdecode(b"odd-\xff")).unlink()
    listed = tree.parent / "list"
    listed.write_bytes(program("hash", "-a", algorithm, "-f", format, "tree", cwd=tree.parent))
    records = pfh.read(listed)
    assert records.format == format and records.algorithms == [algorithm]
    paths = {os.path.relpath(path, os.fsencode(tree.parent)): data for path, data in contents(tree).items()}
    expected = {path: hashlib.new(algorithm, data).digest() for path, data in paths.items()}
    assert {record.path: record.digests[algorithm] for record in records} == expected
    assert records.report is None
    table = pyarrow.table(pfh.read(listed, format))
    assert dict(zip(table["path"].to_pylist(), table[algorithm].to_pylist(), strict=True)) == expected


#: Seeds of the fuzzers, which are lists of every format that the program reads, where the tests run in the repository.
SEEDS = Path(__file__).resolve().parents[2] / "fuzz" / "seeds"

#: The seeds of a format below its own name, if there are others than all below it. The first byte of a seed is an
#: option of the fuzz target, but for similarity digests; of formats without a header some read it as a line.
SAMPLES = {
    "avp": ["avp/avp"],
    "avp-report": ["avp_report/avp-report"],
    "bagit": ["bagit/md5"],
    "bsd": ["gnu/bsd-plain"],
    "csv": ["csv/plain", "csv/similarity"],
    "dfxml": ["dfxml/plain", "dfxml/similarity"],
    "encase": ["encase/encase"],
    "gnu": ["gnu/plain"],
    "hashdb": ["hashdb/hashdb"],
    "hashdeep": ["hashdeep/plain"],
    "hashkeeper": ["hashkeeper/hashkeeper"],
    "icse": ["icse/icse"],
    "ilook": ["ilook/v1", "ilook/v3", "ilook/v4"],
    "imager": ["imager/dc3dd", "imager/dcfldd", "imager/ewfacquire", "imager/ftk", "imager/guymager"],
    "jsonl": ["jsonl/plain", "jsonl/similarity"],
    "md5deep-kz": ["md5deep/md5deep-kz-plain"],
    "md5deep-t": ["md5deep/md5deep-t-plain"],
    "md5deep-zct": ["md5deep/md5deep-zct-plain"],
    "mrsh-v2": ["similarity_mrsh_v2_list/plain"],
    "nsrl": ["nsrl/1.5", "nsrl/2.0", "list_zip/nsrl"],
    "ocfl": ["ocfl/manifest_first", "ocfl/sorted"],
    "sdhash": ["similarity_sdhash_list/names", "similarity_sdhash_list/stream"],
    "sfv": ["sfv/plain"],
    "sleuthkit": ["sleuthkit/md5", "sleuthkit/sha1"],
    "ssdeep": ["similarity_ssdeep_list/plain"],
    "tlsh": ["similarity_tlsh_list/plain"],
    "vics": ["vics/1.2", "vics/1.3", "vics/2.0", "vics/cases"],
}

#: Formats without cryptographic digests. The report has classes of files, and no digests at all.
WITHOUT_CRYPTOGRAPHIC = {"avp-report", "mrsh-v2", "sdhash", "ssdeep", "tlsh"}


def raw(line: dict[str, str]) -> bytes:
    """The path of a line of JSON Lines."""
    return base64.b64decode(line["path_base64"]) if "path_base64" in line else os.fsencode(line["path"])


@pytest.mark.parametrize(("format", "seed"), [(format, seed) for format, seeds in SAMPLES.items() for seed in seeds])
def test_every_format_that_the_program_reads(format: str, seed: str, tmp_path: Path) -> None:
    listed = tmp_path / ("manifest-md5.txt" if format == "bagit" else "list")
    is_raw = seed.startswith(("similarity_", "list_"))
    # The fuzz target of ssdeep reads lines, and a list has this header before them.
    header = b"ssdeep,1.1--blocksize:hash:hash,filename\n" if format == "ssdeep" else b""
    listed.write_bytes(header + (SEEDS / seed).read_bytes()[0 if is_raw else 1 :])
    records = pfh.read(listed, strict=False)
    found = list(records)
    # Some are cut within a line: that, and the end.
    assert found and records.format == format and len(records.broken) <= 2
    # The program finds the same digests of the same files; those of one path are one file there.
    lines = program("convert", "-q", "-f", "jsonl", listed, cwd=tmp_path).splitlines()
    files = [line for line in map(json.loads, lines) if line["type"] == "file"]
    expected = {(raw(line), name, value) for line in files for name, value in line.get("digests", {}).items()}
    digests = set()
    for record in found:
        texts = {name: value.hex() for name, value in record.digests.items()}
        texts |= {name: text for name, text in record.similarities.items() if text is not None}
        # The program names files after their digests where the list has no names.
        path = record.path or next(iter(texts.values()), "").encode()
        digests |= {(path, name, text) for name, text in texts.items()}
    assert digests == expected and bool(digests) == (format != "avp-report")
    if format not in WITHOUT_CRYPTOGRAPHIC:
        # Every sample has a file with these contents.
        assert any(pfh.digest(b"hello", name).hex() == text for _, name, text in expected if name not in FAMILIES)
    table = pyarrow.table(pfh.read(listed, format, strict=False))
    assert table.num_rows == len(found)


def test_files_archives_and_what_is_no_list(tmp_path: Path) -> None:
    line = hashlib.md5(b"x").hexdigest() + "  x\n"
    listed = tmp_path / "MD5SUMS"
    listed.write_text(line)
    with open(listed, "rb") as file:
        assert [record.path for record in pfh.read(file)] == [b"x"]
    assert [record.path for record in pfh.read(io.BytesIO(line.encode()))] == [b"x"]
    with zipfile.ZipFile(tmp_path / "list.zip", "w") as archive:
        archive.writestr("MD5SUMS", line)
    assert [record.path for record in pfh.read(tmp_path / "list.zip")] == [b"x"]
    with pytest.raises(TypeError, match="binary mode"), open(listed) as text:
        list(pfh.read(text))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="closed file"):
        list(pfh.read(file))

    class Generous(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read()

    with pytest.raises(ValueError, match=r"read\(\d+\) of the file returned \d+ bytes"):
        pfh.read(Generous(line.encode() * 100_000))
    with pytest.raises(ValueError, match=r"read\(\d+\) of the file returned \d+ bytes"):
        pfh.verify(Generous(line.encode() * 100_000))
    with pytest.raises(FileNotFoundError) as missing:
        pfh.read(tmp_path / "none")
    assert missing.value.filename == str(tmp_path / "none")
    (tmp_path / "noise").write_bytes(NOISE)
    with pytest.raises(pfh.ListError, match="noise` is not a list"):
        pfh.read(tmp_path / "noise")
    with pytest.raises(pfh.OptionError, match="unknown format|`yaml`"):
        pfh.read(listed, "yaml")


def test_lines_that_cannot_be_read(tmp_path: Path) -> None:
    good = hashlib.md5(b"x").hexdigest()
    listed = tmp_path / "MD5SUMS"
    listed.write_text(f"{good}  a\nnonsense\n{good}  b\n")
    with pytest.raises(pfh.ListError, match="MD5SUMS`: line 2") as raised:
        list(pfh.read(listed))
    assert (raised.value.line, raised.value.path) == (2, bytes(listed))
    with pytest.raises(Exception, match="line 2"):
        pyarrow.table(pfh.read(listed))
    records = pfh.read(listed, strict=False)
    assert [record.path for record in records] == [b"a", b"b"]
    assert len(records.broken) == 1 and "line 2" in records.broken[0]


def test_a_list_that_was_cut(tree: Path) -> None:
    (tree / os.fsdecode(b"odd-\xff")).unlink()
    listed = tree.parent / "list"
    whole = program("hash", "-a", "sha256", "-f", "jsonl", ".", cwd=tree)
    listed.write_bytes(whole)
    assert pfh.verify(listed, tree).ok
    records = pfh.read(listed)
    assert pyarrow.table(records).num_rows == 102
    records.raise_for_failures()
    listed.write_bytes(whole[: whole.index(b'{"type":"summary"')])
    cut = "list`: its end is missing; `strict=False` takes what it has"
    for take in [list, pyarrow.table]:
        with pytest.raises(Exception, match=cut):
            take(pfh.read(listed))
    with pytest.raises(pfh.ListError, match=cut) as raised:
        pfh.verify(listed, tree)
    assert (raised.value.path, raised.value.line) == (bytes(listed), None)
    records = pfh.read(listed, strict=False)
    assert len(list(records)) == 102 and records.broken == ["its end is missing"]
    findings = pfh.verify(listed, tree, strict=False)
    assert not findings.ok and findings.broken == ["its end is missing"] and findings.counts["matched"] == 102
    with pytest.raises(pfh.ListError, match=cut):
        pfh.KnownFiles(listed)
    assert pfh.KnownFiles(listed, strict=False).broken == [f"`{listed}`: its end is missing"]
    # Who leaves a list in the middle has not seen all of it.
    with pfh.read(listed) as records:
        next(records)
    with pytest.raises(pfh.Error, match="stopped"):
        records.raise_for_failures()


def test_a_digest_without_a_column_is_not_lost(tmp_path: Path) -> None:
    lines = [f"MD5 ({n}) = {hashlib.md5(b'x').hexdigest()}\n" for n in range(400)]
    listed = tmp_path / "list"
    listed.write_text("".join(lines) + f"SHA1 (last) = {hashlib.sha1(b'x').hexdigest()}\n")
    with pytest.raises(Exception, match="`last` has a digest by sha1.*algorithms="):
        pyarrow.table(pfh.read(listed))
    table = pyarrow.table(pfh.read(listed, algorithms="md5,sha1"))
    assert table["sha1"].to_pylist()[-1] == hashlib.sha1(b"x").digest()


def test_verify(tree: Path) -> None:
    (tree / os.fsdecode(b"odd-\xff")).unlink()
    manifest = tree.parent / "SHA256SUMS"
    manifest.write_bytes(program("hash", "-a", "sha256", "-f", "gnu", ".", cwd=tree))
    findings = pfh.verify(manifest, tree)
    assert findings.ok and list(findings) == [] and findings.counts["matched"] == 102
    assert len(list(pfh.verify(manifest, tree, all=True))) == 102
    (tree / "large").write_bytes(b"changed")
    (tree / "empty").unlink()
    (tree / "below" / "050.bin").rename(tree / "moved")
    (tree / "new").write_bytes(b"new")
    findings = pfh.verify(str(manifest), root=bytes(tree), threads=1, memory="64M")
    assert not findings.ok and "changed: 1" in repr(findings)
    found = {finding.path: finding for finding in findings}
    classes = {path: finding.class_ for path, finding in found.items()}
    assert classes == {b"large": "changed", b"empty": "missing", b"moved": "moved", b"new": "new"}
    assert found[b"moved"].expected_path == b"below/050.bin"
    expected, actual = found[b"large"].expected, found[b"large"].found
    assert expected is not None and actual is not None
    assert actual["sha256"] == sha256(b"changed") != expected["sha256"]
    assert found[b"large"].line is not None and found[b"new"].line is None
    with open(manifest, "rb") as file:
        assert pfh.verify(file, tree).counts == findings.counts


def test_findings_as_a_table(tree: Path) -> None:
    (tree / os.fsdecode(b"odd-\xff")).unlink()
    manifest = tree.parent / "SHA256SUMS"
    manifest.write_bytes(program("hash", "-a", "sha256", "-f", "gnu", ".", cwd=tree))
    table = pyarrow.table(pfh.verify(manifest, tree))
    assert (table.num_rows, table.column_names[:2]) == (0, ["class", "path"])
    (tree / "large").write_bytes(b"changed")
    (tree / "below" / "050.bin").rename(tree / "moved")
    (tree / "empty").unlink()
    (tree / os.fsdecode(b"new-\xff")).write_bytes(b"new")
    rows = pyarrow.table(pfh.verify(manifest, tree, all=True)).to_pylist()
    findings = list(pfh.verify(manifest, tree, all=True))
    assert len(findings) == 103 and [row["path"] for row in rows] == [finding.path for finding in findings]
    for row, finding in zip(rows, findings, strict=True):
        assert (row["class"], row["expected_path"], row["line"]) == (finding.class_, finding.expected_path, finding.line)
        assert (row["expected_size"], row["found_size"]) == (finding.expected_size, finding.found_size)
        assert row["reason"] == finding.reason
        assert row["expected_sha256"] == (finding.expected or {}).get("sha256")
        assert row["found_sha256"] == (finding.found or {}).get("sha256")
    # Each is taken once, and the schema is there without any.
    findings_left = pfh.verify(manifest, tree, all=True)
    next(findings_left)
    assert polars.DataFrame(findings_left).height == 102
    assert pyarrow.table(findings_left).num_rows == 0 and list(findings_left) == []


CLASSES = ["matched", "changed", "moved", "copied", "new", "missing", "unreadable", "not-checked"]


def listed_tree(tree: Path) -> Path:
    """A list with sizes of the 102 files of a tree, without the one whose name is no text."""
    (tree / os.fsdecode(b"odd-\xff")).unlink()
    listed = tree.parent / "list.csv"
    listed.write_bytes(program("hash", "-a", "sha256", "-f", "csv", ".", cwd=tree))
    return listed


def summary(*arguments: str | Path, cwd: Path) -> dict[str, int]:
    """The numbers of files by class, as the program counts them."""
    last: dict[str, int] = json.loads(program("verify", *arguments, "-f", "jsonl", cwd=cwd).splitlines()[-1])
    return {word: last[word.replace("-", "_")] for word in CLASSES}


def test_verify_names_and_sizes_alone(tree: Path) -> None:
    listed = listed_tree(tree)
    (tree / "below" / "050.bin").write_bytes(bytes(2500))
    findings = pfh.verify(listed, tree, structure=True)
    assert findings.ok and findings.structure and findings.files == 0 and findings.sample is None
    assert findings.counts["not-checked"] == 102 and findings.counts["matched"] == 0
    assert repr(findings) == "<pfh.Findings names and sizes: not-checked: 102>"
    (tree / "large").write_bytes(b"shorter")
    (tree / "empty").unlink()
    findings = pfh.verify(listed, tree, structure=True)
    assert not findings.ok
    told = [(finding.class_, finding.path, finding.reason) for finding in findings]
    assert told == [("changed", b"large", "size 7 instead of 3000000"), ("missing", b"empty", "")]
    assert findings.counts == summary(listed, tree, "--structure", cwd=tree)
    # A list without digests is of use then.
    names = tree.parent / "names.csv"
    names.write_bytes(b"path,size,sha256\nbelow/050.bin,2500,\n")
    with pytest.raises(pfh.ListError, match="names.csv` has no digests; `structure=True` compares names"):
        pfh.verify(names, tree)
    # A list that has others is told by them.
    similar = tree.parent / "similar.csv"
    similar.write_bytes(program("hash", "-a", "ssdeep", "-f", "csv", ".", cwd=tree))
    with pytest.raises(pfh.ListError, match="has no digests of whole files; it has ssdeep; `structure=True`"):
        pfh.verify(similar, tree)
    findings = pfh.verify(names, tree, structure=True)
    assert findings.ok and (findings.counts["not-checked"], findings.counts["new"]) == (1, 100)


def test_verify_sizes_first(tree: Path) -> None:
    listed = listed_tree(tree)
    (tree / "large").write_bytes(b"shorter")
    (tree / "below" / "050.bin").write_bytes(bytes(2500))
    first, plain = pfh.verify(listed, tree, size_first=True), pfh.verify(listed, tree)
    assert not first.ok and (first.counts["matched"], first.counts["changed"]) == (100, 2)
    assert (first.files, plain.files) == (101, 102) and first.counts == plain.counts
    assert [(one.path, one.reason) for one in first] == [(one.path, one.reason) for one in plain]
    assert pfh.verify(listed, tree, size_first=True, sample=100).counts == plain.counts


def test_verify_a_sample(tree: Path) -> None:
    listed = listed_tree(tree)
    findings = pfh.verify(listed, tree, sample=20, seed=7)
    assert findings.ok and (findings.sample, findings.seed) == (20.0, 7)
    read = findings.counts["matched"]
    assert 0 < read < 102 and findings.counts["not-checked"] == 102 - read and findings.files == read
    assert repr(findings) == f"<pfh.Findings sample of 20 %: matched: {read}, not-checked: {102 - read}>"
    assert findings.counts == summary(listed, tree, "--sample", "20", "--seed", "7", cwd=tree)

    def chosen(seed: int) -> set[bytes]:
        found = pfh.verify(listed, tree, sample=20, seed=seed, all=True)
        return {finding.path for finding in found if finding.class_ == "matched"}

    assert chosen(7) == chosen(7) != chosen(8) and len(chosen(7)) == read
    # A change outside of the sample is not seen.
    path = min(set(os.listdir(os.fsencode(tree / "below"))) - {os.path.basename(path) for path in chosen(7)} - {b"000.bin"})
    changed = tree / "below" / os.fsdecode(path)
    changed.write_bytes(bytes(255 - byte for byte in changed.read_bytes()))
    assert pfh.verify(listed, tree, sample=20, seed=7).ok and not pfh.verify(listed, tree).ok
    # Where none is chosen, nothing is verified.
    assert not pfh.verify(listed, tree, sample=0.001, seed=1).ok
    every = pfh.verify(listed, tree, sample=100.0)
    assert (every.files, every.sample) == (102, 100.0) and every.seed is not None
    plain = pfh.verify(listed, tree)
    assert (plain.sample, plain.seed, plain.structure) == (None, None, False)


def test_verify_without_new_and_missing(tree: Path) -> None:
    listed = listed_tree(tree)
    (tree / "empty").unlink()
    (tree / "below" / "050.bin").rename(tree / "moved")
    (tree / "new").write_bytes(b"new")
    findings = pfh.verify(listed, tree)
    assert not findings.ok and not findings.ignore_new and not findings.ignore_missing
    assert [(one.class_, one.path) for one in findings] == [("missing", b"empty"), ("moved", b"moved"), ("new", b"new")]
    # What is missing is told, and does not fail; a file that moved does.
    findings = pfh.verify(listed, tree, ignore_missing=True)
    assert not findings.ok and findings.ignore_missing and len(list(findings)) == 3
    findings = pfh.verify(listed, tree, ignore_new=True)
    assert not findings.ok and findings.ignore_new and findings.files == 100
    assert [(one.class_, one.path) for one in findings] == [("missing", b"below/050.bin"), ("missing", b"empty")]
    assert findings.counts == summary(listed, tree, "--ignore-new", cwd=tree)
    findings = pfh.verify(listed, tree, ignore_new=True, ignore_missing=True, size_first=True)
    assert findings.ok and (findings.counts["matched"], findings.counts["missing"]) == (100, 2)
    (tree / "large").write_bytes(b"changed")
    assert not pfh.verify(listed, tree, ignore_new=True, ignore_missing=True).ok


def test_verify_in_ways_that_exclude_each_other(tree: Path) -> None:
    listed = listed_tree(tree)
    for percent in [0, -5, 100.5, float("nan"), float("inf")]:
        with pytest.raises(ValueError, match="`sample=.*`: a share is a number above 0 and up to 100, in percent"):
            pfh.verify(listed, tree, sample=percent)
    for seed in [-1, 1 << 64]:
        with pytest.raises(ValueError, match=rf"^seed={seed} is not from 0 to 2\*\*64 - 1$"):
            pfh.verify(listed, tree, sample=5, seed=seed)
    assert pfh.verify(listed, tree, sample=5, seed=(1 << 64) - 1).seed == (1 << 64) - 1
    with pytest.raises(pfh.OptionError, match="`seed` decides the choice of `sample`; name the share"):
        pfh.verify(listed, tree, seed=7)
    with pytest.raises(pfh.OptionError, match="`structure` reads no file, so `sample` has no use; leave out one"):
        pfh.verify(listed, tree, structure=True, sample=5)
    with pytest.raises(pfh.OptionError, match="so `size_first` has no use"):
        pfh.verify(listed, tree, structure=True, size_first=True)
    for structure in [False, True]:
        with pytest.raises(pfh.OptionError, match="no algorithm takes a key"):
            pfh.verify(listed, tree, structure=structure, key=b"k")
    with pytest.raises(TypeError):
        pfh.verify(listed, tree, sample="5")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_verify_a_bag(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "file").write_bytes(b"hello")
    manifest = tmp_path / "manifest-sha256.txt"
    manifest.write_text(f"{sha256(b'hello').hex()}  data/file\n")
    assert pfh.verify(manifest).ok
    (tmp_path / "data" / "file").write_bytes(b"hallo")
    (finding,) = pfh.verify(manifest)
    assert (finding.class_, finding.path_str) == ("changed", "data/file")


def test_verify_a_list_in_an_archive(tree: Path) -> None:
    """The archive that has the list is no new file."""
    listed = listed_tree(tree)
    with zipfile.ZipFile(tree / "lists.zip", "w") as archive:
        archive.write(listed, "list.csv")
    findings = pfh.verify(tree / "lists.zip" / "list.csv", tree)
    assert findings.ok and findings.counts["new"] == 0


def test_verify_that_is_wrong_says_what_to_do(tree: Path) -> None:
    empty = tree.parent / "empty-list"
    empty.write_bytes(b"")
    with pytest.raises(pfh.ListError, match="is empty: it has no line about a file"):
        pfh.verify(empty)
    elsewhere = tree.parent / "MD5SUMS"
    elsewhere.write_text(hashlib.md5(b"x").hexdigest() + "  ../../x\n")
    with pytest.raises(pfh.ListError, match="not below the root `.*/tree`, the first in line 1, .*strip_prefix"):
        pfh.verify(elsewhere, tree)
    twice = tree.parent / "twice"
    twice.write_text("".join(f"{hashlib.md5(b'x').hexdigest()}  {place}/large\n" for place in ["a", "b"]))
    with pytest.raises(pfh.ListError, match="several files with the name of the root .*/large`, in lines 1 and 2 "):
        pfh.verify(twice, tree / "large")
    with pytest.raises(OSError, match="none"):
        pfh.verify(elsewhere, tree / "none")


def test_sizes_beyond_a_signed_number_are_null_in_tables() -> None:
    line = f"%d,{hashlib.md5(b'x').hexdigest()},/x\n"
    listed = "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n" + "".join(line % size for size in [2**63 - 1, 2**63, 2**64 - 1])
    assert [record.size for record in pfh.read(io.BytesIO(listed.encode()))] == [2**63 - 1, 2**63, 2**64 - 1]
    table = pyarrow.table(pfh.read(io.BytesIO(listed.encode())))
    assert table["size"].to_pylist() == [2**63 - 1, None, None]


def test_match(tree: Path) -> None:
    known_data = (tree / "large").read_bytes()
    listed = tree.parent / "SHA1SUMS"
    listed.write_text(f"{hashlib.sha1(known_data).hexdigest()}  known name\n")
    program("known", "build", "known.pfhset", "SHA1SUMS", cwd=tree.parent)
    assert list(pfh.match([], listed)) == list(pfh.match(iter([]), listed)) == []
    for known in [listed, tree.parent / "known.pfhset"]:
        matches = list(pfh.match(tree, known))
        assert len(matches) == 103
        (match,) = (match for match in matches if match.known)
        # A set keeps names only if it was built so.
        assert (match.record.path, match.class_) == (bytes(tree / "large"), "other")
        assert match.name == (b"known name" if known == listed else b"")
        assert match.set == known.name and match.entries == 1
    known_files = pfh.KnownFiles(listed, class_="bad")
    assert (len(known_files), known_files.algorithms) == (1, ["sha1"])
    records = pfh.hash(tree, algorithms=known_files.algorithms)
    assert [match.class_ for match in pfh.match(records, known_files) if match.known] == ["bad"]
    with pytest.raises(pfh.ListError, match="not a list"):
        noise = tree.parent / "noise"
        noise.write_bytes(NOISE)
        pfh.match(tree, noise)


def test_match_tells_of_files_that_cannot_be_read(tree: Path) -> None:
    listed = tree.parent / "SHA256SUMS"
    listed.write_text(f"{sha256((tree / 'large').read_bytes()).hex()}  known name\n")
    with warnings.catch_warnings(action="error"):
        matches = list(pfh.match([tree / "gone", tree / "large"], listed, algorithm="sha256"))
    assert [match.known for match in matches] == [None, True]
    gone = matches[0]
    assert not gone.record.ok and gone.record.error is not None and gone.record.error.kind == "not-found"
    assert (gone.class_, gone.set, gone.name, gone.entries) == (None, None, None, 0)
    assert repr(gone) == f"<pfh.Match `{tree}/gone`: No such file or directory (os error 2)>"
    with pytest.raises(pfh.FileError, match="gone"):
        gone.record.raise_for_failure()
    # A list has files without digests, too, of which nothing is found.
    program("hash", "-a", "sha256", "-f", "csv", "-o", "../list.csv", "large", "gone", cwd=tree)
    matches = list(pfh.match(pfh.read(tree.parent / "list.csv", strict=False), listed, algorithm="sha256"))
    assert {match.record.path: match.known for match in matches} == {b"large": True, b"gone": None}


def test_a_lost_set_is_an_error_and_other_signals_end_the_process(tree: Path) -> None:
    known = tree.parent / "known.pfhset"
    (tree.parent / "SHA1SUMS").write_text(f"{hashlib.sha1(b'odd').hexdigest()}  known name\n")
    program("known", "build", known.name, "SHA1SUMS", cwd=tree.parent)
    send = "os.kill(os.getpid(), signal.SIGBUS)"
    opened = f"""
import faulthandler, os, resource, signal
import pfh
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
first = pfh.KnownFiles({str(known)!r})
"""
    lost = f"""
faulthandler.enable()
second = pfh.KnownFiles({str(known)!r})
(record,) = pfh.hash({str(tree / "large")!r}, algorithms=second.algorithms)
os.truncate({str(known)!r}, 0)
try:
    second.find(record)
except pfh.StartError as error:
    print(error)
"""
    for code, said, fatal in [(opened + send, "", 0), (opened + lost + send, "a set cannot be read: ", 1)]:
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert ended.returncode == -signal.SIGBUS, ended.stderr
        assert ended.stdout.startswith(said) and ended.stderr.count("Fatal Python error: Bus error") == fatal


def test_match_warns_of_what_it_cannot_find(tree: Path) -> None:
    listed = tree.parent / "sums"
    # 32 bytes may be SHA-256, SHA3-256, BLAKE3 …
    listed.write_text(f"{hashlib.sha3_256((tree / 'large').read_bytes()).hexdigest()}  known name\n")
    guessed = pfh.KnownFiles(listed)
    assert guessed.guessed == [("sums", "sha256")] and guessed.without_digest == 0
    with pytest.warns(UserWarning, match="taken for sha256 because of their length"):
        assert not any(match.known for match in pfh.match(tree, guessed))
    with warnings.catch_warnings(action="error"):
        assert any(match.known for match in pfh.match(tree, listed, algorithm="sha3-256"))
    # A guess about a list is confirmed by files of this list alone, whatever other lists are called.
    (tree.parent / "right").mkdir()
    right = tree.parent / "right" / "sums"
    right.write_text(f"{sha256((tree / 'large').read_bytes()).hex()}  known name\n")
    with pytest.warns(UserWarning) as told:
        assert [match.entries for match in pfh.match(tree, [right, listed]) if match.known] == [1]
    assert [str(one.message).partition(": ")[0] for one in told] == [str(listed)]
    # It is confirmed also where another list is the first that has the file.
    twin = tree.parent / "twin"
    twin.write_bytes(right.read_bytes())
    with warnings.catch_warnings(action="error"):
        assert [match.entries for match in pfh.match(tree, [right, twin]) if match.known] == [2]
    program("hash", "-a", "md5", "-f", "csv", "-o", "../known.csv", "large", "gone", cwd=tree)
    known = pfh.KnownFiles(tree.parent / "known.csv")
    with pytest.warns(UserWarning, match="known.csv: some files have no digest by sha1"):
        assert not any(match.known for match in pfh.match(pfh.hash(tree, algorithms="sha1"), known))
    assert known.without_digest == 1
    with pytest.warns(UserWarning, match="1 known files have no digest"):
        list(pfh.match(tree, known))


def similar(tree: Path) -> None:
    data = bytearray(random.Random(0).randbytes(200_000))
    (tree / "one").write_bytes(data)
    data[1000:1010] = bytes(10)
    (tree / "two").write_bytes(data)


@pytest.mark.parametrize("family", ["ssdeep", "tlsh", "sdhash", "mrsh-v2"])
def test_compare(family: str, tree: Path) -> None:
    similar(tree)
    one, two = str(tree / "one"), str(tree / "two")
    digests = {record.path_str: record.similarities[family] for record in pfh.hash(tree, algorithms=family)}
    pairs = pfh.compare(digests, family=family)
    found = {(pair.first, pair.second): pair.score for pair in pairs}
    assert (one, two) in found and len(found) == len(pairs)
    again = pfh.compare(pfh.hash(tree, algorithms=family), family=family, threads=1)
    assert {(pair.first, pair.second): pair.score for pair in again} == found
    between = pfh.compare([(one, digests[one])], [("2", digests[two])], family=family)
    assert [(pair.first, pair.second, pair.score) for pair in between] == [(one, "2", found[one, two])]
    texts = [digest for digest in (digests[one], digests[two]) if digest is not None]
    assert [(pair.first, pair.second) for pair in pfh.compare(texts, family=family)] == [("0", "1")]
    assert list(pfh.compare(pyarrow.array(texts), family=family)) == list(pfh.compare(texts, family=family))
    frame = polars.DataFrame(pairs)
    assert frame.columns == ["first", "second", "score"] and len(frame) == len(pairs)
    assert pairs[0] == list(pairs)[0] == pairs[-len(pairs)] == pairs[:1][0]
    assert "<table>" in pairs._repr_html_() and family in repr(pairs)


def test_many_pairs_are_several_batches() -> None:
    names = [f"{number:03}".encode() for number in range(99)] + [b"odd-\xff"]
    pairs = pfh.compare([(name, "3:a6/G:asG") for name in names], family="ssdeep")
    batches = list(pyarrow.RecordBatchReader.from_stream(pairs))
    assert len(pairs) == 100 * 99 // 2 and len(batches) == 2
    table = pyarrow.Table.from_batches(batches)
    assert table["first"].to_pylist() == [pair.first for pair in pairs]
    # In a table, names are text.
    assert (table["second"][98].as_py(), os.fsencode(pairs[98].second)) == ("odd-\ufffd", b"odd-\xff")
    assert pyarrow.table(pfh.compare([], family="ssdeep")).num_rows == 0


def test_compare_that_is_wrong_says_what_to_do(tree: Path) -> None:
    with pytest.raises(pfh.OptionError, match="digest 0 is none of ssdeep"):
        pfh.compare(["nonsense"], family="ssdeep")
    with pytest.raises(pfh.UnknownAlgorithm):
        pfh.compare([], family="md5")
    with pytest.raises(pfh.OptionError, match="the records have no digests of ssdeep"):
        pfh.compare(pfh.hash(tree, algorithms="tlsh"), family="ssdeep")
    with pytest.raises(pfh.OptionError, match="the records have no digests of ssdeep"):
        pfh.compare([], pfh.read(listed_tree(tree)), family="ssdeep")
    # Every file is too short.
    assert not pfh.compare(pfh.hash(tree / "empty", algorithms="tlsh"), family="tlsh")
    assert not pfh.compare(pfh.hash(files=[], algorithms="tlsh"), family="tlsh")
    with pytest.raises(TypeError, match="list of digests"):
        pfh.compare("3:a6/G:asG", family="ssdeep")
    with pytest.raises(pfh.OptionError, match="threshold=101"):
        pfh.compare([], family="ssdeep", threshold=101)
    with pytest.raises(IndexError, match="among 0"):
        pfh.compare([], family="ssdeep")[0]


def test_html_is_escaped() -> None:
    pairs = pfh.compare([("<b>", "3:a6/G:asG"), ("&", "3:a6/G:asG")], family="ssdeep")
    assert "<b>" not in pairs._repr_html_() and "&lt;b&gt;" in pairs._repr_html_()
