#!/usr/bin/env python3
"""Memory of the driver of a cluster by the numbers of files and shards: `bench/driver.py [FILES SHARDS]...`, in an
environment with pfh, distributed and PySpark. Prints Markdown; each figure is of a process of its own."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import pfh

from plan import tree

CASES = [(2_000, 16), (2_000, 64), (2_000, 256), (2_000, 1024), (100_000, 64)]


def kibibytes(process: int, name: str) -> int:
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(name))


def dask(plan: pfh.Plan) -> dict[str, int]:
    import distributed

    import pfh.dask

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(os.getpid)
        return grown(lambda: pfh.dask.hash(plan, client=client), {"driver": os.getpid()})


def spark(plan: pfh.Plan) -> dict[str, int]:
    from pyspark.sql import SparkSession

    import pfh.spark

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.sparkContext.parallelize(range(2), 2).count()
    children = subprocess.run(["pgrep", "-P", str(os.getpid()), "java"], capture_output=True, text=True, check=True)
    return grown(lambda: pfh.spark.hash(session, plan), {"driver": os.getpid(), "java": int(children.stdout.split()[0])})


def grown(work, processes: dict[str, int]) -> dict[str, int]:
    """By how much the peaks of these processes are above what they had before the work."""
    before = {name: kibibytes(process, "VmRSS:") for name, process in processes.items()}
    work()
    return {name: kibibytes(process, "VmHWM:") - before[name] for name, process in processes.items()}


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps({"dask": dask, "spark": spark}[sys.argv[2]](pfh.Plan(sys.argv[3]))))
        return
    print("| engine | files | shards | process | MiB from before it hashes to its peak |\n| --- | ---: | ---: | --- | ---: |")
    numbers = [int(argument) for argument in sys.argv[1:]]
    cases = list(zip(numbers[::2], numbers[1::2], strict=True)) or CASES
    for engine in ["dask", "spark"]:
        for files, shards in cases:
            with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="pfh-driver-") as scratch:
                tree(pathlib.Path(scratch, "t"), files)
                plan = pfh.shard(pathlib.Path(scratch, "t"), plan=pathlib.Path(scratch, "plan"), shards=shards)
                one = subprocess.run(
                    [sys.executable, __file__, "--one", engine, plan.folder], stdout=subprocess.PIPE, text=True, check=True
                )
                for process, kib in json.loads(one.stdout.splitlines()[-1]).items():
                    print(f"| {engine} | {files} | {shards} | {process} | {kib / 1024:.1f} |", flush=True)


if __name__ == "__main__":
    main()
