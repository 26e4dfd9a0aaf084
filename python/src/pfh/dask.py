"""Plans on Dask: each shard is a task, which reads by itself and returns its counts only.

>>> import pfh.dask
>>> from distributed import Client
>>> plan = pfh.shard("/data", plan="/shared/plan", shards=64)
>>> pfh.dask.hash(plan, client=Client("scheduler:8786"))
>>> plan.merge("SHA256SUMS")

The workers need the package ``pfh``, the tree under the same path, and the folder of the plan. Neither contents nor
records pass through Dask: a task runs the program of the wheel, which writes the shard's result into the plan's
folder. That appears whole, and a task whose result is there does nothing: so lost workers, retries and the same call
again do no harm. A worker that is killed takes its program with it.

Threads of a worker times ``threads`` should not exceed the cores of its machine. Either have as many worker threads as
cores and leave ``threads`` at 1; or, for long files and BLAKE3, one worker thread for each machine, and
``threads`` as many as cores. ``memory`` is for each task, outside of what Dask sees of its workers.
"""

from __future__ import annotations

import os
import uuid

from ._errors import Error
from ._plan import Counts, Plan, hash_shard
from ._tiles import compare_tile, tiles

try:
    from distributed import Client, as_completed, get_client
except ImportError:
    raise ImportError("pfh.dask needs Dask: pip install 'dask[distributed]'") from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from ._arrow import StrOrBytesPath

__all__ = ["compare", "hash"]

#: Failed tasks that a message names.
_NAMED_MAX = 3


def hash(
    plan: Plan | StrOrBytesPath,
    *,
    client: Client | None = None,
    threads: int = 1,
    memory: int | str = "256M",
    any_tree: bool = False,
    retries: int = 3,
    resources: Mapping[str, float] | None = None,
) -> Counts:
    """Hashes the shards of a plan on the workers of Dask, waits for them, and returns the counts of all files.

    ``plan`` is a plan of :func:`pfh.shard`, or its folder. ``client`` is by default the current one. A task has
    ``threads`` and ``memory`` as of :func:`pfh.hash`. ``any_tree`` hashes whatever is at the planned path, as where
    each machine has a copy of the tree. A task that fails is tried ``retries`` times more, wherever Dask puts it.
    ``resources`` are those of Dask that each task takes: with ``{"pfh": 1}`` and workers that were started with
    ``--resources pfh=1``, one task runs on each worker at once, however many threads it has.

    >>> pfh.dask.hash("/shared/plan", client=client).failed
    0

    Raises ``Error`` if shards have no result then, with the reasons; the results of all others are there, and the same
    call does what is left. Raises ``ListError`` for what is no plan.
    """
    plan = Plan.of(plan)
    work = ((number, (plan.folder, number, threads, memory, any_tree)) for number in plan.heaviest_first())
    total = Counts()
    for counts in _run(client, hash_shard, work, "hash", retries, resources):
        total = total.plus(counts)
    return total


def compare(
    plan: Plan | StrOrBytesPath,
    *,
    family: str,
    out: StrOrBytesPath,
    client: Client | None = None,
    threshold: int | None = None,
    blocks: int | None = None,
    threads: int = 1,
    memory: int | str = "1G",
    retries: int = 3,
    resources: Mapping[str, float] | None = None,
) -> list[str]:
    """Finds all pairs of similar files of a plan that was hashed, and returns the paths of the lists of pairs.

    The pairs are exactly those of ``pfh compare`` with the merged list. ``family`` is ``ssdeep``, ``tlsh``, ``sdhash``
    or ``mrsh-v2``, and one of the plan's digests; ``threshold`` is as of :func:`pfh.compare`. The digests are
    divided into ``blocks`` (16), each of which is compared with each: *n* blocks are *n* (*n* + 1) / 2 tasks, and two
    blocks must fit into half of ``memory``.

    ``out`` is a folder for the results, which all workers see: lists in JSON Lines, one of each task that
    had something to compare. A result that is there is not made again, so take another folder for another family,
    threshold or number of blocks.

    >>> lists = pfh.dask.compare(plan, family="tlsh", out="/shared/pairs", client=client)
    >>> lines = (json.loads(line) for path in lists for line in open(path))
    >>> pairs = [(line["first"], line["second"]) for line in lines if line["type"] == "pair"]

    Raises ``Error`` if the plan has no digests of the family, if shards have no result, or tasks failed.
    """
    found = tiles(Plan.of(plan), family, blocks, out)
    work = ((place, (tile, family, threshold, threads, memory)) for place, tile in enumerate(found))
    for _ in _run(client, compare_tile, work, "compare", retries, resources):
        pass
    return sorted(tile.result for tile in found if os.path.exists(tile.result))


def _run(
    client: Client | None,
    function: Callable[..., Any],
    work: Iterable[tuple[int, tuple[Any, ...]]],
    name: str,
    retries: int,
    resources: Mapping[str, float] | None,
) -> Iterable[Any]:
    """Submits tasks, the first with the highest priority, and yields their results as they finish."""
    if client is None:
        client = get_client()
    # Unlike any other call's: a result that Dask remembers may have been removed since.
    token = uuid.uuid4().hex
    futures = [
        client.submit(
            function,
            *arguments,
            key=f"pfh-{name}-{token}-{number}",
            pure=False,
            retries=retries,
            priority=-rank,
            resources=None if resources is None else dict(resources),
        )
        for rank, (number, arguments) in enumerate(work)
    ]
    failed: list[str] = []
    try:
        for future in as_completed(futures):
            # One that fails stops no other.
            error = future.exception()
            if error is None:
                yield future.result()
            else:
                failed.append(str(error) or repr(error))
            future.release()
    finally:
        client.cancel([future for future in futures if not future.done()])
    if failed:
        more = f" (and {len(failed) - _NAMED_MAX} more)" if len(failed) > _NAMED_MAX else ""
        raise Error(f"{len(failed)} of {len(futures)} tasks failed: {'; '.join(failed[:_NAMED_MAX])}{more}")
