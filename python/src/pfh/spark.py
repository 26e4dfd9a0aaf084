"""Plans on Spark: each shard is a partition, whose task reads by itself; and results as tables.

>>> import pfh.spark
>>> plan = pfh.shard("/data", plan="/shared/plan", shards=64, algorithms="sha256,ssdeep")
>>> pfh.spark.hash(spark, plan)
>>> pfh.spark.register(spark)
>>> frame = spark.read.format("pfh").load("/shared/plan")
>>> frame.orderBy("shard", "place").write.parquet("/shared/digests")

Executors and the driver need the package ``pfh`` (PySpark 4 or later, with pyarrow) and the folder of the plan, and the
executors the tree under the same path. Contents never enter Spark, and records only as tables: a task runs the
program of the wheel, which writes the shard's result into the plan's folder. That appears whole, and a task whose
result is there does nothing: so lost executors, speculative attempts and the same call again do no harm. A task that
is killed takes its program with it.

``spark.task.cpus`` should be ``threads``, so that tasks do not exceed the cores of a machine. ``memory`` is for each
task and outside of the JVM: ``spark.executor.memoryOverhead`` has to be above that and what Python itself needs, for
all tasks that run at once on an executor. In ``local[2]`` Spark never repeats a task that lost its process; in
``local[2,4]`` it does.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import re

from . import _native
from ._errors import Error
from ._plan import Counts, Entries, Plan, hash_shard
from ._tiles import compare_tile, tiles

try:
    import pyarrow
    from pyspark.sql import functions
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
except ImportError:
    raise ImportError("pfh.spark needs PySpark 4 or later, and pyarrow: pip install pyspark pyarrow") from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from pyspark.sql import DataFrame, SparkSession

    from ._arrow import StrOrBytesPath

__all__ = ["PlanSource", "compare", "hash", "register", "similar_ssdeep"]

#: Failed tasks that a message names.
_NAMED_MAX = 3


def hash(
    spark: SparkSession,
    plan: Plan | StrOrBytesPath,
    *,
    threads: int = 1,
    memory: int | str = "256M",
    any_tree: bool = False,
    retries: int = 3,
) -> Counts:
    """Hashes the shards of a plan on the executors of Spark, waits for them, and returns the counts of all files.

    ``plan`` is a plan of :func:`pfh.shard`, or its folder. A task has ``threads`` and ``memory`` as of
    :func:`pfh.hash`. ``any_tree`` hashes whatever is at the planned path, as where each machine has a copy of the tree.
    Shards that fail are tried ``retries`` times more, after all others; a task that loses its process is
    Spark's own affair (``spark.task.maxFailures``).

    >>> pfh.spark.hash(spark, "/shared/plan").failed
    0

    Raises ``Error`` if shards have no result then, with the reasons; the results of all others are there, and the same
    call does what is left. Raises ``ListError`` for what is no plan.
    """
    plan = Plan.of(plan)
    folder = plan.folder

    def task(number: int) -> list[int]:
        return list(hash_shard(folder, number, threads, memory, any_tree))

    total = Counts()
    for counts in _run(spark, task, plan.heaviest_first(), retries):
        total = total.plus(Counts(*counts))
    return total


def _run(spark: SparkSession, task: Callable[[int], list[int]], left: list[int], retries: int) -> Iterator[list[int]]:
    """Runs a task for each number, those that fail again, and yields what they return: numbers, which pass Spark."""
    failures: list[str] = []
    for _ in range(1 + retries):
        if not left:
            return
        numbers = left

        def partition(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
            for batch in batches:
                for place in batch.column(0).to_pylist():
                    returned, failure = None, None
                    try:
                        returned = task(numbers[place])
                    except (Error, OSError) as error:
                        # Raised, it would end the whole job after a few attempts, and with it all other tasks.
                        failure = str(error)
                    yield pyarrow.RecordBatch.from_arrays(
                        [
                            pyarrow.array([place], pyarrow.int64()),
                            pyarrow.array([returned], pyarrow.list_(pyarrow.int64())),
                            pyarrow.array([failure], pyarrow.string()),
                        ],
                        names=["place", "returned", "failure"],
                    )

        # A partition, thus a task, for each.
        places = spark.range(0, len(numbers), 1, len(numbers))
        rows = places.mapInArrow(partition, "place bigint, returned array<bigint>, failure string").collect()
        yield from (row.returned for row in rows if row.failure is None)
        failed = sorted((row.place, row.failure) for row in rows if row.failure is not None)
        left = [numbers[place] for place, _ in failed]
        failures = [failure for _, failure in failed]
    if left:
        more = f" (and {len(left) - _NAMED_MAX} more)" if len(left) > _NAMED_MAX else ""
        raise Error(f"{len(left)} tasks failed: {'; '.join(failures[:_NAMED_MAX])}{more}")


def register(spark: SparkSession) -> None:
    """Makes the results of plans a source of tables: ``spark.read.format("pfh").load("/shared/plan")``.

    A row is a record. The columns are those of :func:`pfh.hash`, then ``shard`` and ``place``: ``orderBy("shard",
    "place")`` is the order of one run. A partition is a shard; a file that was split is in the one where it begins.

    >>> pfh.spark.register(spark)
    >>> spark.read.format("pfh").load("/shared/plan").where("outcome <> 'complete'").show()

    Raises nothing; reading a plan whose shards have no result, or a damaged one, fails and says which.
    """
    spark.dataSource.register(PlanSource)


class _Shard(InputPartition):
    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class PlanSource(DataSource):
    """The source of tables that :func:`register` registers."""

    @classmethod
    def name(cls) -> str:
        return "pfh"

    def _plan(self) -> Plan:
        folder = self.options.get("path")
        if folder is None:
            raise Error("the plan is missing: spark.read.format('pfh').load(PLAN)")
        return Plan(folder)

    def schema(self) -> str:
        plan = self._plan()
        digests = [
            f"`{name}` {'string' if name in ('ssdeep', 'tlsh', 'sdhash', 'mrsh-v2') else 'binary'}"
            for name in plan.algorithms
        ]
        parts = [] if plan.piece_bytes is None else ["part_offset bigint", "part_length bigint"]
        return ", ".join([_COLUMNS, *digests, *parts, "shard int", "place bigint"])

    def reader(self, schema: object) -> DataSourceReader:
        return _PlanReader(self._plan())


_COLUMNS = (
    "path binary, size bigint, mtime timestamp, mtime_ns smallint, outcome string, error_kind string, "
    "error_message string, errno int, error_offset bigint, bytes_read bigint"
)


class _PlanReader(DataSourceReader):
    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def partitions(self) -> list[InputPartition]:
        missing = self.plan.missing()
        if missing:
            named = ", ".join(map(str, missing[:_NAMED_MAX]))
            raise Error(
                f"{self.plan.folder}: {len(missing)} of {len(self.plan.shards)} shards have no result, first {named}; "
                "pfh.spark.hash makes them"
            )
        return [_Shard(shard.number) for shard in self.plan.shards]

    def read(self, partition: InputPartition) -> Iterator[pyarrow.RecordBatch]:
        assert isinstance(partition, _Shard)
        place, check = 0, Entries(self.plan, partition.number)
        with check, self.plan._records_of(partition.number) as path:
            records = _native.read(path, "jsonl", algorithms=self.plan.algorithms)
            for batch in pyarrow.RecordBatchReader.from_stream(records):
                names = [name for name in batch.schema.names if self.plan.piece_bytes or not name.startswith("part_")]
                rows = batch.num_rows
                for file, part in zip(batch.column("path"), batch.column("part_offset"), strict=True):
                    if not part.is_valid:
                        check.entry(file.as_py())
                yield pyarrow.RecordBatch.from_arrays(
                    [
                        *(batch.column(name) for name in names),
                        pyarrow.array([partition.number] * rows, pyarrow.int32()),
                        pyarrow.array(range(place, place + rows), pyarrow.int64()),
                    ],
                    names=[*names, "shard", "place"],
                )
                place += rows
            check.end()


def compare(
    spark: SparkSession,
    plan: Plan | StrOrBytesPath,
    *,
    family: str,
    out: StrOrBytesPath | None = None,
    threshold: int | None = None,
    blocks: int | None = None,
    threads: int = 1,
    memory: int | str = "1G",
    retries: int = 3,
) -> DataFrame:
    """Finds all pairs of similar files of a plan that was hashed: exactly those of ``pfh compare``.

    The table has ``first`` and ``second`` (binary: the paths, that earlier in the order of one run first) and ``score``
    (with TLSH the distance). ``family`` is one of the plan's digests, and ``threshold`` as of :func:`pfh.compare`.

    ``ssdeep`` is a join (:func:`similar_ssdeep`), which Spark does when the table is used; only ``threshold`` is for it.
    The other families have no key to join by without losing pairs. Their digests are divided into ``blocks``, each of
    which is compared with each before this returns; see :func:`pfh.dask.compare` for these options. ``out`` is a folder
    for the results, which the executors and the driver see; the table reads them.

    >>> pairs = pfh.spark.compare(spark, plan, family="tlsh", out="/shared/pairs")
    >>> pairs.where("score < 10").count()

    Raises ``Error`` if the plan has no digests of the family, if shards have no result, or tasks failed.
    """
    plan = Plan.of(plan)
    if family == "ssdeep" and out is None:
        if family not in plan.algorithms:
            raise Error(f"{plan.folder} has no digests of ssdeep, but {', '.join(plan.algorithms)}")
        register(spark)
        frame = spark.read.format("pfh").load(plan.folder).where("ssdeep is not null")
        number = functions.col("shard").cast("bigint") * _SHARD + functions.col("place")
        frame = frame.select(number.alias("id"), "path", "ssdeep")
        return similar_ssdeep(frame, threshold=1 if threshold is None else threshold)
    if out is None:
        raise Error(f"out= is missing: {family} is compared by tasks, whose results need a folder")
    found = tiles(plan, family, blocks, out)

    def task(number: int) -> list[int]:
        return [compare_tile(found[number], family, threshold, threads, memory)]

    sizes = [size for [size] in _run(spark, task, list(range(len(found))), retries)]
    if not any(sizes):
        return spark.createDataFrame([], _PAIR)
    results = [tile.result for tile in found if os.path.exists(tile.result)]

    # Not by Spark's reader, which takes a path for one of the cluster's filesystem, and for a pattern.
    def read(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            for place in batch.column(0).to_pylist():
                yield from _pairs(results[place], "distance" if family == "tlsh" else "score")

    return spark.range(0, len(results), 1, len(results)).mapInArrow(read, _PAIR)


#: The columns of pairs.
_PAIR = "first binary, second binary, score int"

#: Lines of a list of pairs that become a batch.
_LINES = 4096


def _pairs(path: str, score: str) -> Iterator[pyarrow.RecordBatch]:
    """Yields the pairs of a list in JSON Lines, whose score has this name there."""
    with open(path, "rb") as file:
        while lines := [json.loads(line) for line in itertools.islice(file, _LINES)]:
            pairs = [line for line in lines if line["type"] == "pair"]
            names = [[_raw(pair, name) for pair in pairs] for name in ("first", "second")]
            columns = [pyarrow.array(column, pyarrow.binary()) for column in names]
            columns.append(pyarrow.array([pair[score] for pair in pairs], pyarrow.int32()))
            yield pyarrow.RecordBatch.from_arrays(columns, names=["first", "second", "score"])


def _raw(pair: Mapping[str, Any], name: str) -> bytes:
    """Returns a path of JSON Lines; one that is no UTF-8 is in base 64."""
    text: str = pair[name]
    in_base64: str | None = pair.get(f"{name}_base64")
    return text.encode() if in_base64 is None else base64.b64decode(in_base64)


#: More places than a shard has.
_SHARD = 1 << 40

#: Characters in a row that two parts have in common if their score is not 0.
_GRAM = 7

#: Longer runs of one character are cut to this before digests are compared.
_LONG_RUN = re.compile(r"(.)\1{3,}")


def similar_ssdeep(frame: DataFrame, *, threshold: int = 1) -> DataFrame:
    """Finds all pairs of similar digests of ssdeep by a join, exactly those that comparing each with each would find.

    ``frame`` has ``id`` (bigint, each once), ``path`` (binary) and ``ssdeep`` (string), of any source. Two digests have
    a score only if they are equal, or parts of one block size have seven characters in a row in common (J. Kornblum,
    "Identifying almost identical files using context triggered piecewise hashing", 2006): these are the keys of
    the join, and :func:`pfh.compare` scores what has met. The table has ``first``, ``second`` and ``score``; the
    digest with the lower ``id`` comes first.

    Where many files have a key in common (an archive of one template, say), its partition becomes large; Spark
    divides it while ``spark.sql.adaptive.skewJoin.enabled`` is on, as it is by default.

    >>> frame = spark.createDataFrame([(0, b"a", digest_a), (1, b"b", digest_b)], "id bigint, path binary, ssdeep string")
    >>> pfh.spark.similar_ssdeep(frame, threshold=50).show()

    Raises ``Error`` for a threshold of 0, which every pair reaches.
    """
    if not 1 <= threshold <= 100:
        raise Error(f"threshold={threshold}: a join finds scores from 1 to 100")

    def score(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            yield _score(batch, threshold)

    keys = frame.select("id", "ssdeep").mapInArrow(_keys, "id bigint, key string")
    first, second = (keys.select(functions.col("id").alias(f"{side}_id"), "key") for side in ("first", "second"))
    met = first.join(second, "key").where("first_id < second_id").select("first_id", "second_id").distinct()
    for side in ("first", "second"):
        columns = [("id", f"{side}_id"), ("path", side), ("ssdeep", f"{side}_digest")]
        met = met.join(frame.select([functions.col(name).alias(alias) for name, alias in columns]), f"{side}_id")
    met = met.select("first", "second", "first_digest", "second_digest")
    return met.mapInArrow(score, _PAIR)


def _keys(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Yields the keys of each digest, each once."""
    for batch in batches:
        ids: list[int] = []
        keys: list[str] = []
        for number, digest in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            own = _keys_of(digest)
            ids.extend([number] * len(own))
            keys.extend(own)
        arrays = [pyarrow.array(ids, pyarrow.int64()), pyarrow.array(keys, pyarrow.string())]
        yield pyarrow.RecordBatch.from_arrays(arrays, names=["id", "key"])


def _keys_of(digest: str) -> set[str]:
    size, first, second = digest.split(":", 2)
    parts = [_LONG_RUN.sub(r"\1\1\1", part) for part in (first, second)]
    # Equal digests have the full score, and parts that are shorter than a gram have no other key.
    keys = {f"{size}={parts[0]}:{parts[1]}"}
    # The second part is of blocks twice as long.
    for block_size, part in zip((int(size), 2 * int(size)), parts, strict=True):
        keys.update(f"{block_size}:{part[place : place + _GRAM]}" for place in range(len(part) - _GRAM + 1))
    return keys


def _score(batch: pyarrow.RecordBatch, threshold: int) -> pyarrow.RecordBatch:
    """Keeps the pairs that are similar. One call compares all digests of a batch; of what it finds, its rows count."""
    left, right = (batch.column(place).to_pylist() for place in (2, 3))
    lefts, rights = ({digest: place for place, digest in enumerate(dict.fromkeys(side))} for side in (left, right))
    pairs = _native.compare(list(lefts), list(rights), family="ssdeep", threshold=threshold, threads=1)
    scores = {(int(pair.first), int(pair.second)): pair.score for pair in pairs}
    found = [scores.get((lefts[one], rights[other])) for one, other in zip(left, right, strict=True)]
    kept = pyarrow.array([score is not None for score in found], pyarrow.bool_())
    columns = [batch.column(0), batch.column(1), pyarrow.array(found, pyarrow.int32())]
    return pyarrow.RecordBatch.from_arrays(columns, names=["first", "second", "score"]).filter(kept)

