"""Sharding: a family's operators are spread over numbered files by a hash of their root name.

The hash does not depend on the process or on the other operators, so one more operator changes one
file of each family. The number of files follows the number of operators in coarse steps, so that
each stays within its compile budget at any scale and the steps are rare.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeVar

from tools.codegen.emit.common import Emitter

T = TypeVar("T")


@cache
def shard_of(key: str, count: int) -> int:
    """The shard of a name: stable across processes, versions and orders."""
    return zlib.crc32(key.encode()) % count


def shard_count(size: int, limit: int | None) -> int:
    """The least of 1, 2, 3, 4, 6, 8, 12, ... shards that hold `limit` each; 1 without a limit."""
    if limit is None:
        return 1
    count = 1
    while count * limit < size:
        if count * 3 // 2 * limit >= size and count > 1:
            return count * 3 // 2
        count *= 2
    return count


def shards_of_family(emitter: Emitter, family: str) -> int:
    """How many files a family has: by the number of all operators, so that families with one limit
    have files that correspond."""
    return shard_count(len(emitter.operators.functions), emitter.limits.get(family))


def sharded(
    emitter: Emitter,
    family: str,
    items: Iterable[T],
    key: Callable[[T], str],
    count: int | None = None,
) -> list[tuple[str, list[T]]]:
    """The name and the items of each of the family's files, in their order; one may be empty.

    For people to read, all of them in one file.
    """
    if emitter.everything:
        return [(f"{family}Everything", list(items))]
    if count is None:
        count = shards_of_family(emitter, family)
    shards: list[list[T]] = [[] for _ in range(count)]
    for item in items:
        shards[shard_of(key(item), count)].append(item)
    return [(f"{family}_{index}", members) for index, members in enumerate(shards)]
