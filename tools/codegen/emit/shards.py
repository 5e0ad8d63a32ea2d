"""Sharding: a hash of the root name distributes a family's operators over numbered files.

The hash does not depend on the process or on other operators, so adding an operator changes one
file of each family. The number of files grows with the number of operators in coarse steps: each
file stays within its compile budget at any scale, and steps are rare.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeVar

from tools.codegen.emit.common import AUTOGRAD, Emitter

T = TypeVar("T")


@cache
def shard_of(key: str, count: int) -> int:
    """Return the shard of a name; it is the same in every process and version."""
    return zlib.crc32(key.encode()) % count


def shard_count(size: int, limit: int | None) -> int:
    """Return the least of 1, 2, 3, 4, 6, 8, 12, ... shards that hold `limit` operators each.

    Without a limit there is one shard.
    """
    if limit is None:
        return 1
    count = 1
    while count * limit < size:
        if count * 3 // 2 * limit >= size and count > 1:
            return count * 3 // 2
        count *= 2
    return count


def shards_of_family(emitter: Emitter, family: str) -> int:
    """Return how many files a family has.

    It depends on the number of all operators that exist, or for autograd and Python that have
    kernels, so that families with the same limit have corresponding files.
    """
    counted = emitter.built if emitter.directory == AUTOGRAD else emitter.declared
    return shard_count(len(counted(emitter.operators.functions)), emitter.limits.get(family))


def sharded(
    emitter: Emitter,
    family: str,
    items: Iterable[T],
    key: Callable[[T], str],
    count: int | None = None,
) -> list[tuple[str, list[T]]]:
    """Return the name and the items of each of the family's files, in order; some may be empty.

    With `everything` there is one file with all items, for people to read.
    """
    if emitter.everything:
        return [(f"{family}Everything", list(items))]
    if count is None:
        count = shards_of_family(emitter, family)
    shards: list[list[T]] = [[] for _ in range(count)]
    for item in items:
        shards[shard_of(key(item), count)].append(item)
    return [(f"{family}_{index}", members) for index, members in enumerate(shards)]
