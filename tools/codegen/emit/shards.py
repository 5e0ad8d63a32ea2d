"""Sharding: a family's operators are spread over numbered files by a hash of their root name.

The hash does not depend on the process or on the other operators, so one more operator changes one
file of each family. The counts keep every file within its compile budget.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from tools.codegen.emit.common import Emitter

SHARDS: Mapping[str, int] = {
    "Operators": 6,
    "RegisterSchema": 6,
    "TensorMethods": 2,
    "RegisterCPU": 8,
    "RegisterMeta": 3,
    "RegisterCompositeExplicitAutograd": 2,
    "RegisterCompositeExplicitAutogradNonFunctional": 3,
    "RegisterCompositeImplicitAutograd": 2,
    "CompletedKernels": 1,
    # An operator's Node, the kernel that makes it and its Python class are in shards of one number.
    "Functions": 10,
    "VariableType": 10,
    "python_functions": 10,
    "ADInplaceOrViewType": 4,
    "TraceType": 5,
}

T = TypeVar("T")


def shard_of(key: str, count: int) -> int:
    """The shard of a name: stable across processes, versions and orders."""
    return zlib.crc32(key.encode()) % count


def sharded(
    emitter: Emitter, family: str, items: Iterable[T], key: Callable[[T], str]
) -> list[tuple[str, list[T]]]:
    """The name and the items of each of the family's files, in their order; one may be empty.

    For people to read, all of them in one file.
    """
    if emitter.everything:
        return [(f"{family}Everything", list(items))]
    count = SHARDS.get(family, 1)
    shards: list[list[T]] = [[] for _ in range(count)]
    for item in items:
        shards[shard_of(key(item), count)].append(item)
    return [(f"{family}_{index}", members) for index, members in enumerate(shards)]
