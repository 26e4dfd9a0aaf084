"""Plans on a cluster of Dask with two processes."""

from __future__ import annotations

import os
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import pfh

from .clusters import (
    FAMILIES,
    Killer,
    data_of_guide,
    is_one_run,
    pairs_of_lines,
    pairs_of_program,
    plan_of,
    run_guide,
    similar,
)
from .skips import imported

distributed = imported("dask", "distributed")

from pfh import dask as pfh_dask  # noqa: E402


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_the_list_is_that_of_one_run(client: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 7)
    assert len(plan.missing()) == 7 and plan.heaviest_first() != sorted(plan.heaviest_first())
    counts = pfh_dask.hash(plan, client=client, memory="64M")
    assert (counts.shards, counts.files, counts.complete, counts.failed) == (7, 103, 103, 0)
    assert counts.bytes == sum(shard.bytes for shard in plan.shards)
    is_one_run(plan, tree)
    assert [record.path for record in plan.records()] == [record.path for record in pfh.hash(tree)]
    # What is there is left alone. The client is that of this process.
    results = {number: os.stat(plan.result(number)) for number in range(7)}
    assert pfh_dask.hash(plan.folder) == counts
    for number, before in results.items():
        after = os.stat(plan.result(number))
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_split_files_are_those_of_one_run(client: Any, tree: Path, tmp_path: Path) -> None:
    (tree / "long").write_bytes(bytes(range(251)) * 20_000)
    plan = pfh.shard(tree, plan=tmp_path / "plan", shards=7, per_file=1000, algorithms="blake3,crc32", split="1M")
    assert plan.split_bytes == 1 << 20
    counts = pfh_dask.hash(plan, client=client, memory="64M")
    # Each part counts.
    entries = sum(shard.entries for shard in plan.shards)
    assert entries >= 104 + 4 and sum(shard.files for shard in plan.shards) == 104
    assert (counts.files, counts.complete, counts.failed) == (entries, entries, 0)
    is_one_run(plan, tree, "-a", "blake3,crc32")
    once = [(record.path, record.digests) for record in pfh.hash(tree, algorithms="blake3,crc32")]
    assert [(record.path, record.digests) for record in plan.records()] == once


def test_files_that_are_gone_have_records(client: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 3)
    (tree / "empty").unlink()
    counts = pfh_dask.hash(plan, client=client)
    assert (counts.files, counts.complete, counts.failed) == (103, 102, 1)


def test_a_killed_worker_takes_its_program_along(client: Any, tmp_path: Path) -> None:
    root = tmp_path / "long"
    root.mkdir()
    for number in range(4):
        # Holes: long to hash, nothing to store.
        with open(root / str(number), "wb") as file:
            file.truncate(64_000_000 + number)
    plan = plan_of(root, tmp_path / "plan", 4, "sha3-512")
    processes = set(client.run(os.getpid).values())
    killer = Killer(processes.__contains__)
    killer.start()
    counts = pfh_dask.hash(plan, client=client)
    killer.join()
    assert killer.program_ended()
    assert counts.complete == 4
    is_one_run(plan, root, "-a", "sha3-512")


def test_two_runs_at_once_are_one(client: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 4)
    found: list[pfh.Counts] = []
    threads = [threading.Thread(target=lambda: found.append(pfh_dask.hash(plan, client=client))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 and found[0] == found[1]
    is_one_run(plan, tree)


def test_a_list_that_was_cut_stops_no_other_shard(client: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 5)
    cut = tmp_path / "plan" / "00002.list"
    whole = cut.read_bytes()
    cut.write_bytes(whole[:-10])
    with pytest.raises(pfh.Error, match=r"1 of 5 tasks failed: shard 2 .*00002\.list.* was cut or altered"):
        pfh_dask.hash(plan, client=client, retries=1)
    assert plan.missing() == [2]
    with pytest.raises(pfh.Error, match="1 of 5 shards have no result: 2"):
        plan.merge(tmp_path / "merged")
    cut.write_bytes(whole)
    assert pfh_dask.hash(plan, client=client).shards == 5
    is_one_run(plan, tree)


def test_another_tree_is_refused(client: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 3)
    moved = tree.rename(tmp_path / "moved")
    with pytest.raises(pfh.Error, match=r"3 of 3 tasks failed: .*tree`: No such file or directory"):
        pfh_dask.hash(plan, client=client, retries=0)
    shutil.copytree(moved, tree)
    with pytest.raises(pfh.Error, match="is another directory than the one that was planned"):
        pfh_dask.hash(plan, client=client, retries=0)
    assert len(plan.missing()) == 3
    counts = pfh_dask.hash(plan, client=client, any_tree=True)
    assert (counts.files, counts.complete, counts.failed) == (103, 103, 0)
    is_one_run(plan, tree)


def test_what_is_no_plan_is_refused(client: Any, tree: Path, tmp_path: Path) -> None:
    plan = plan_of(tree, tmp_path / "plan", 2)
    text = tmp_path / "plan" / "plan.json"
    text.write_text(text.read_text().replace('"version":1,', '"version":2,', 1))
    with pytest.raises(pfh.ListError, match="has version 2, and this pfh reads version 1"):
        pfh_dask.hash(plan.folder, client=client)
    # A worker with an older program says the same.
    with pytest.raises(pfh.Error, match="has version 2, and this program reads version 1"):
        pfh_dask.hash(plan, client=client, retries=0)
    with pytest.raises(pfh.ListError, match=r"has no plan\.json"):
        pfh_dask.hash(tmp_path, client=client)
    with pytest.raises(pfh.Error, match="has a plan already"):
        plan_of(tree, tmp_path / "plan", 2)


def test_pairs_are_those_of_the_program(client: Any, tmp_path: Path) -> None:
    root = similar(tmp_path / "tree")
    plan = plan_of(root, tmp_path / "plan", 9, ",".join(FAMILIES))
    with pytest.raises(pfh.Error, match="9 of 9 shards have no result"):
        pfh_dask.compare(plan, family="tlsh", out=tmp_path / "early", client=client)
    pfh_dask.hash(plan, client=client)
    merged = tmp_path / "merged.jsonl"
    plan.merge(merged, "jsonl")
    for family in FAMILIES:
        expected = pairs_of_program(merged, family)
        assert len(expected) > 10, family
        out = tmp_path / family
        lists: list[str] = []
        for _ in range(2):
            lists = pfh_dask.compare(plan, family=family, out=out, blocks=4, client=client)
            lines = [line for path in lists for line in Path(path).read_bytes().splitlines()]
            assert pairs_of_lines(lines, family) == expected, family
        assert 0 < len(lists) <= 10
    with pytest.raises(pfh.Error, match="no digests of sha256"):
        pfh_dask.compare(plan, family="sha256", out=tmp_path / "none", client=client)


def test_the_job_of_kubernetes_is_a_job() -> None:
    # Dask depends on a reader of YAML.
    yaml = imported("dask", "yaml")
    recipe = Path(__file__).resolve().parents[2] / "contrib" / "kubernetes" / "pfh-job.yaml"
    job = yaml.safe_load(recipe.read_text())
    assert (job["apiVersion"], job["kind"], job["spec"]["completionMode"]) == ("batch/v1", "Job", "Indexed")
    assert job["spec"]["completions"] >= job["spec"]["parallelism"] > 0 and job["spec"]["backoffLimitPerIndex"] >= 0
    pod = job["spec"]["template"]["spec"]
    # Limits for each index take no other policy.
    assert pod["restartPolicy"] == "Never"
    (container,) = pod["containers"]
    (shell,) = container["args"]
    assert container["command"] == ["/bin/sh", "-c"] and shell.startswith("exec pfh hash ")
    named = {one["name"]: one["value"] for one in container["env"]} | {"JOB_COMPLETION_INDEX": "0"}
    assert set(re.findall(r"\$(\w+)", shell)) == set(named) and all(isinstance(value, str) for value in named.values())
    mounts = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
    assert set(mounts) == {one["name"] for one in pod["volumes"]} and named["PLAN"].startswith(mounts["plans"] + "/")
    assert container["resources"]["requests"]["cpu"] == named["THREADS"]


def test_the_guide_says_what_happens(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_of_guide(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = run_guide("Dask", {"client": client})
    assert len(found) == 1
    for printed, expected in found:
        assert printed == expected
    assert (tmp_path / "list.csv").read_bytes().count(b"\n") == 15
