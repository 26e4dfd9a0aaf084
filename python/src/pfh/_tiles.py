"""Similarity of all files of a plan: blocks of digests, each compared with each."""

from __future__ import annotations

import os
from typing import NamedTuple

from . import _native
from ._errors import Error
from ._plan import Plan
from ._program import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._arrow import StrOrBytesPath

__all__ = ["Tile", "compare_tile", "tiles"]

#: Blocks of digests, unless the caller names another number: 136 tasks.
BLOCKS = 16


class Tile(NamedTuple):
    """Two blocks of digests that are compared with each other, or one with itself."""

    result: str
    """The path of the pairs."""
    left: tuple[str, ...]
    """The lists of one block: results of shards."""
    right: tuple[str, ...]
    """Those of the other; empty where a block is compared with itself."""
    weight: int
    """The number of pairs of entries."""


def tiles(plan: Plan, family: str, blocks: int | None, out: StrOrBytesPath) -> list[Tile]:
    """Divides the comparison of all files of a plan into tiles, the heaviest first; makes the folder of the results.

    Raises ``Error`` if the plan lacks the family, or a shard its result, and ``ListError`` for one that is damaged.
    """
    if family not in plan.algorithms:
        raise Error(
            f"{plan.folder} has no digests of {family}, but {', '.join(plan.algorithms)}; make a plan with "
            f"algorithms={family!r}"
        )
    missing = plan.missing()
    if missing:
        raise Error(f"{plan.folder}: {len(missing)} of {len(plan.shards)} shards have no result; hash the plan first")
    for shard in plan.shards:
        plan._check_ends(shard)
    count = min(len(plan.shards), BLOCKS if blocks is None else blocks)
    if count < 1:
        raise Error(f"blocks={blocks}: there must be at least one")
    cuts = [place * len(plan.shards) // count for place in range(count + 1)]
    parts = [plan.shards[first:end] for first, end in zip(cuts, cuts[1:])]
    lists = [tuple(plan.result(shard.number) for shard in part) for part in parts]
    entries = [sum(shard.entries for shard in part) for part in parts]
    folder = os.path.abspath(os.fsdecode(out))
    os.makedirs(folder, exist_ok=True)
    found: list[Tile] = []
    for left in range(count):
        for right in range(left, count):
            path = os.path.join(folder, f"{left:05}-{right:05}.jsonl")
            weight = entries[left] * entries[right] // (2 if left == right else 1)
            found.append(Tile(path, lists[left], () if left == right else lists[right], weight))
    return sorted(found, key=lambda tile: -tile.weight)


def compare_tile(tile: Tile, family: str, threshold: int | None, threads: int, memory: int | str) -> int:
    """Compares the digests of a tile, unless it has a result, and returns the size of that in bytes.

    The result is a list of pairs in JSON Lines, which appears whole.

    Raises ``Error`` if there is none then.
    """
    if os.path.exists(tile.result):
        return os.path.getsize(tile.result)
    # The program takes no list in which nothing is to be compared: files may be too short for digests.
    left = [path for path in tile.left if _has_digests(path, family)]
    right = [path for path in tile.right if _has_digests(path, family)]
    if not left or (tile.right and not right):
        return 0
    chosen = [] if threshold is None else [f"--threshold={threshold}"]
    status, message = run(
        ["compare", "--quiet", f"--algorithm={family}", "--format=jsonl", f"--output={tile.result}"]
        + [f"--threads={threads}", f"--memory={memory}", *chosen]
        + [f"--digests={path}" for path in left]
        + [f"--against-digests={path}" for path in right]
    )
    if status != 0:
        raise Error(f"{tile.result}: {message or f'pfh compare ended with status {status}'}")
    return os.path.getsize(tile.result)


def _has_digests(path: str, family: str) -> bool:
    with _native.read(path, "jsonl") as records:
        return any(record.similarities.get(family) for record in records)
