"""Plans without an engine: merging, records, and what is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pfh
from pfh._plan import hash_shard
from pfh._tiles import tiles

from .clusters import plan_of, program


def hashed(root: Path, folder: Path, algorithms: str = "sha256") -> tuple[pfh.Plan, list[pfh.Counts]]:
    """A plan of three shards with its results, and their counts."""
    plan = plan_of(root, folder, 3, algorithms)
    return plan, [hash_shard(plan.folder, shard.number, 1, "64M", False) for shard in plan.shards]


def test_a_merge_that_wrote_nothing_raises(tree: Path, tmp_path: Path) -> None:
    plan, _ = hashed(tree, tmp_path / "plan")
    merged, result = tmp_path / "merged", Path(plan.result(1))
    merged.write_text("before")
    whole = result.read_bytes()
    result.write_bytes(whole[: whole.index(b'{"type":"summary"')])
    with pytest.raises(pfh.Error, match="it has no end"):
        plan.merge(merged)
    lines = whole.splitlines(keepends=True)
    result.write_bytes(b"".join(lines[:1] + lines[2:]))
    with pytest.raises(pfh.Error, match="is not the result of shard 1"):
        plan.merge(merged)
    result.unlink()
    with pytest.raises(pfh.Error, match="1 of 3 shards have no result: 1"):
        plan.merge(merged)
    assert merged.read_text() == "before"
    result.write_bytes(whole)
    plan.merge(merged)
    assert merged.read_bytes() == program("hash", "-q", tree, cwd=tree.parent)


def test_files_that_are_gone_do_not_stop_a_merge(tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 3)
    (tree / "empty").unlink()
    counts = [hash_shard(plan.folder, shard.number, 1, "64M", False) for shard in plan.shards]
    assert sum(one.failed for one in counts) == 1
    for _ in range(2):
        plan.merge(tmp_path / "merged")
        assert (tmp_path / "merged").read_bytes().count(b"\n") == 102
    assert len(list(plan.records())) == 103


#: Files with the marks of collision attacks, where the tests run in the repository.
COLLISIONS = Path(__file__).resolve().parents[2] / "crates" / "digest" / "tests" / "vectors" / "sha1-collisions.txt"


def test_marks_of_a_collision_attack_are_no_failure(tree: Path, tmp_path: Path) -> None:
    lines = COLLISIONS.read_text().splitlines()
    (tree / "shattered").write_bytes(bytes.fromhex(next(line for line in lines if line[:1] != "#").split()[1]))
    plan, counts = hashed(tree, tmp_path / "plan", "sha1dc")
    assert sum(one.complete for one in counts) == 104
    # Nor where the results are there.
    assert [hash_shard(plan.folder, number, 1, "64M", False) for number in range(3)] == counts
    for _ in range(2):
        plan.merge(tmp_path / "merged")
        assert (tmp_path / "merged").read_bytes().count(b"\n") == 104
    # Beside a file that cannot be read.
    both = plan_of(tree, tmp_path / "both", 1, "sha1dc")
    (tree / "empty").unlink()
    assert hash_shard(both.folder, 0, 1, "64M", False).failed == 1
    both.merge(tmp_path / "merged")
    assert len(list(both.records())) == 104


def test_a_damaged_result_has_no_records(tree: Path, tmp_path: Path) -> None:
    plan, _ = hashed(tree, tmp_path / "plan", "sha256,ssdeep")
    assert len(list(plan.records())) == 103 and tiles(plan, "ssdeep", None, tmp_path / "out")
    other, _ = hashed(tree, tmp_path / "other", "md5")
    result = Path(plan.result(1))
    lines = result.read_bytes().splitlines(keepends=True)
    foreign = Path(other.result(1)).read_bytes().splitlines(keepends=True)
    neighbour = Path(plan.result(0)).read_bytes().splitlines(keepends=True)
    damages = [
        (lines[:2], "it has no end"),
        (foreign, "it is of another plan, by its `algorithms`"),
        ([], "its first line is no header"),
    ]
    if len(neighbour) != len(lines):
        damages.append((neighbour, "records, and the list of the shard"))
    for damaged, reason in damages:
        result.write_bytes(b"".join(damaged))
        with pytest.raises(pfh.ListError, match=reason) as raised:
            list(plan.records())
        assert raised.value.path == bytes(result)
        with pytest.raises(pfh.ListError, match=reason):
            tiles(plan, "ssdeep", None, tmp_path / "out")
    # Its ends do not tell this.
    result.write_bytes(b"".join(lines[:1] + lines[2:]))
    with pytest.raises(pfh.ListError, match="records, and the list of the shard"):
        list(plan.records())


def test_the_result_of_another_shard_has_no_records(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(8):
        (tree / f"{number}\n").write_bytes(b"same")
    # What is not read is told by lines of another kind.
    with open(os.fsencode(tree) + b"/a-\xff", "wb") as file:
        file.write(b"same")
    os.mkfifo(tree / "b")
    os.mkfifo(os.fsencode(tree) + b"/c-\xff")
    plan = plan_of(tree, tmp_path / "plan", 3)
    for shard in plan.shards:
        hash_shard(plan.folder, shard.number, 1, "64M", False)
    assert [os.fsencode(tree) in record.path for record in plan.records()] == [True] * 11
    assert plan.shards[0].entries == plan.shards[1].entries
    Path(plan.result(1)).write_bytes(Path(plan.result(0)).read_bytes())
    with pytest.raises(pfh.ListError, match="its record 1 is of .*, and the list of the shard has ") as raised:
        list(plan.records())
    assert raised.value.path == os.fsencode(plan.result(1))
    with pytest.raises(pfh.Error, match="is not the result of shard 1"):
        plan.merge(tmp_path / "merged")
    lines = Path(plan.result(0)).read_bytes().splitlines(keepends=True)
    Path(plan.result(0)).write_bytes(b"".join(lines[:2] + lines[3:]))
    with pytest.raises(pfh.ListError, match="its record 2 is of "):
        list(plan.records())


def test_pieces_are_no_entries(tree: Path, tmp_path: Path) -> None:
    plan = pfh.shard(tree, plan=tmp_path / "plan", shards=1, piece_bytes="1M")
    hash_shard(plan.folder, 0, 1, "64M", False)
    records = list(plan.records())
    assert sum(record.part is None for record in records) == 103 and len(records) > 103


def test_paths_that_cannot_be(tree: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    wrong: list[Any] = ["a path", b"a path"]
    for path in wrong:
        with pytest.raises(TypeError, match="`files=` is an iterable of paths"):
            pfh.shard(files=path, plan=plan, shards=1)
    with pytest.raises(ValueError, match="a path has a NUL in it"):
        pfh.shard("a\0b", plan=plan, shards=1)

    def files() -> Iterator[str]:
        yield str(tree)
        yield "a\0b"

    with pytest.raises(ValueError, match="a path has a NUL in it"):
        pfh.shard(files=files(), plan=plan, shards=1)
    assert not plan.exists()
