"""Plans on Spark, in the processes of this machine. One session serves all tests: starting it takes longest."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pfh

from .clusters import FAMILIES, Killer, data_of_guide, is_one_run, pairs_of_program, plan_of, run_guide, similar
from .skips import imported, skipped

imported("spark", "pyspark")
imported("spark", "pyarrow")
if shutil.which("java") is None:
    skipped("spark", "there is no program java, which runs Spark")

from pyspark.errors import PySparkException  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from pfh import spark as pfh_spark  # noqa: E402


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    # Else the first python3 of PATH, which may have no pfh.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2,4]").appName("pfh")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def test_the_list_is_that_of_one_run(spark: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 7)
    counts = pfh_spark.hash(spark, plan, memory="64M")
    assert (counts.shards, counts.files, counts.complete, counts.failed) == (7, 103, 103, 0)
    assert counts.bytes == sum(shard.bytes for shard in plan.shards)
    is_one_run(plan, tree)
    results = {number: os.stat(plan.result(number)) for number in range(7)}
    assert pfh_spark.hash(spark, plan.folder) == counts
    for number, before in results.items():
        after = os.stat(plan.result(number))
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_results_are_a_table(spark: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 3, "sha256,md5,ssdeep")
    pfh_spark.register(spark)
    with pytest.raises(PySparkException, match="3 of 3 shards have no result, first 0, 1, 2"):
        spark.read.format("pfh").load(plan.folder).collect()
    (tree / "empty").unlink()
    assert pfh_spark.hash(spark, plan).failed == 1
    frame = spark.read.format("pfh").load(plan.folder)
    assert frame.rdd.getNumPartitions() == 3
    rows = frame.orderBy("shard", "place").collect()
    expected = list(plan.records())
    assert [bytes(row.path) for row in rows] == [record.path for record in expected]
    for row, record in zip(rows, expected, strict=True):
        assert (row.size, row.outcome, row.ssdeep) == (record.size, record.outcome, record.similarities.get("ssdeep"))
        assert {name: bytes(row[name]) for name in ("sha256", "md5") if row[name] is not None} == record.digests
        if record.mtime_ns is not None:
            microseconds = round(row.mtime.timestamp() * 1_000_000)
            assert microseconds * 1000 + row.mtime_ns == record.mtime_ns
    [gone] = [row for row in rows if row.outcome != "complete"]
    assert (gone.error_kind, gone.errno) == ("not-found", 2)
    # Spark's own dataset has each record once.
    frame.write.parquet(os.fspath(tmp_path / "parquet"))
    read = spark.read.parquet(os.fspath(tmp_path / "parquet"))
    assert sorted(bytes(row.path) for row in read.select("path").collect()) == sorted(record.path for record in expected)


def test_split_files_are_rows_where_they_begin(spark: Any, tree: Path, tmp_path: Path) -> None:
    (tree / "long").write_bytes(bytes(range(251)) * 20_000)
    plan = pfh.shard(tree, plan=tmp_path / "plan", shards=7, per_file=1000, algorithms="blake3", split="1M")
    assert pfh_spark.hash(spark, plan, memory="64M").failed == 0
    is_one_run(plan, tree, "-a", "blake3")
    pfh_spark.register(spark)
    rows = spark.read.format("pfh").load(plan.folder).orderBy("shard", "place").collect()
    once = [(record.path, record.digests["blake3"]) for record in pfh.hash(tree, algorithms="blake3")]
    assert [(bytes(row.path), bytes(row.blake3)) for row in rows] == once


def test_a_damaged_result_is_no_table(spark: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 3)
    pfh_spark.hash(spark, plan)
    pfh_spark.register(spark)
    result = Path(plan.result(1))
    lines = result.read_bytes().splitlines(keepends=True)
    for damaged, reason in [(lines[:2], "it has no end"), (lines[:1] + lines[2:], "and the list of the shard")]:
        result.write_bytes(b"".join(damaged))
        with pytest.raises(PySparkException, match=reason):
            spark.read.format("pfh").load(plan.folder).collect()


def test_pieces_are_rows(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345678")
    plan = pfh.shard(tmp_path / "file", plan=tmp_path / "plan", shards=1, piece_bytes=5, algorithms="md5")
    pfh_spark.hash(spark, plan)
    pfh_spark.register(spark)
    rows = spark.read.format("pfh").load(plan.folder).collect()
    parts = {(row.part_offset, row.part_length): bytes(row.md5) for row in rows}
    assert parts[(0, 5)] == pfh.digest(b"12345", "md5") and parts[(5, 3)] == pfh.digest(b"678", "md5")


def test_a_killed_worker_takes_its_program_along(spark: Any, tmp_path: Path) -> None:
    root = tmp_path / "long"
    root.mkdir()
    for number in range(4):
        with open(root / str(number), "wb") as file:
            file.truncate(64_000_000 + number)
    plan = plan_of(root, tmp_path / "plan", 4, "sha3-512")
    killer = Killer(is_worker)
    killer.start()
    counts = pfh_spark.hash(spark, plan)
    killer.join()
    assert killer.program_ended()
    assert counts.complete == 4
    is_one_run(plan, root, "-a", "sha3-512")


def is_worker(process: int) -> bool:
    """Whether Spark runs Python in a process."""
    try:
        return b"pyspark" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def test_two_runs_at_once_are_one(spark: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 4)
    found: list[pfh.Counts] = []
    threads = [threading.Thread(target=lambda: found.append(pfh_spark.hash(spark, plan))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 and found[0] == found[1]
    is_one_run(plan, tree)


def test_a_list_that_was_cut_stops_no_other_shard(spark: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 5)
    cut = tmp_path / "plan" / "00002.list"
    whole = cut.read_bytes()
    cut.write_bytes(whole[:-10])
    with pytest.raises(pfh.Error, match=r"1 tasks failed: shard 2 .*00002\.list.* was cut or altered"):
        pfh_spark.hash(spark, plan, retries=1)
    assert plan.missing() == [2]
    cut.write_bytes(whole)
    assert pfh_spark.hash(spark, plan).shards == 5
    is_one_run(plan, tree)


def test_a_plan_of_another_version_is_refused(spark: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 2)
    text = tmp_path / "plan" / "plan.json"
    text.write_text(text.read_text().replace('"version":1,', '"version":2,', 1))
    with pytest.raises(pfh.ListError, match="has version 2, and this pfh reads version 1"):
        pfh_spark.hash(spark, plan.folder)
    with pytest.raises(pfh.Error, match="has version 2, and this program reads version 1"):
        pfh_spark.hash(spark, plan, retries=0)
    pfh_spark.register(spark)
    with pytest.raises(PySparkException, match="has version 2"):
        spark.read.format("pfh").load(plan.folder).collect()


def rows_of(frame: Any) -> list[tuple[bytes, bytes, int]]:
    return sorted((bytes(row.first), bytes(row.second), row.score) for row in frame.collect())


def test_pairs_are_those_of_the_program(spark: Any, tmp_path: Path) -> None:
    root = similar(tmp_path / "tree")
    plan = plan_of(root, tmp_path / "plan", 5, ",".join(FAMILIES))
    pfh_spark.hash(spark, plan)
    merged = tmp_path / "merged.jsonl"
    plan.merge(merged, "jsonl")
    for family in FAMILIES:
        expected = pairs_of_program(merged, family)
        assert len(expected) > 10, family
        # To Hadoop, such a name is a pattern.
        out = tmp_path / f"{family} [1]{{2}}*?\\"
        found = pfh_spark.compare(spark, plan, family=family, out=out, blocks=2)
        assert rows_of(found) == expected, family
    # The join has no files.
    expected = pairs_of_program(merged, "ssdeep")
    joined = rows_of(pfh_spark.compare(spark, plan, family="ssdeep"))
    assert joined == expected
    high = [pair for pair in expected if pair[2] >= 80]
    assert 0 < len(high) < len(expected)
    assert rows_of(pfh_spark.compare(spark, plan, family="ssdeep", threshold=80)) == high


def test_the_join_finds_what_each_with_each_finds(spark: Any) -> None:
    """Digests with what is special: long runs, parts shorter than a key, block sizes next to each other."""
    state = 17
    digests: list[str] = []

    def draw(below: int) -> int:
        nonlocal state
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        return (state >> 33) % below

    def part(length: int) -> str:
        # Few letters, so that keys are shared and runs are long.
        return "".join("AB"[draw(2)] * (1 + 4 * (draw(6) == 0)) for _ in range(length))[: length or None]

    for _ in range(300):
        digests.append(f"{3 << draw(4)}:{part(1 + draw(30))}:{part(1 + draw(15))}")
    digests += ["3:AAAAB:AB", "3:AAAAAAAB:AB", "3:A:B", "6:A:B", "3:A:B", "6:BABABAB:A", "3:BB:BABABAB"]
    expected = sorted(
        (pair.first.encode(), pair.second.encode(), pair.score) for pair in pfh.compare(digests, family="ssdeep")
    )
    rows = [(number, str(number).encode(), digest) for number, digest in enumerate(digests)]
    frame = spark.createDataFrame(rows, "id bigint, path binary, ssdeep string")
    assert rows_of(pfh_spark.similar_ssdeep(frame)) == expected
    assert (b"300", b"301", 100) in expected and (b"302", b"304", 100) in expected
    assert any(int(digests[int(a)].split(":")[0]) != int(digests[int(b)].split(":")[0]) for a, b, _ in expected)
    with pytest.raises(pfh.Error, match="threshold=0"):
        pfh_spark.similar_ssdeep(frame, threshold=0)


def test_the_guide_says_what_happens(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_of_guide(tmp_path)
    monkeypatch.chdir(tmp_path)
    # The JVM stays where it was started.
    names: dict[str, object] = {"spark": spark}
    found = run_guide("Spark", names) + run_guide("Similar files on many machines", names)
    assert len(found) == 2
    for printed, expected in found:
        assert printed == expected
