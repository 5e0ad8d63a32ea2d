"""Versions of operators: what an operator did when an old archive was written.

The programs are generated from upgraders.yaml. The names of functions and classes here are those of
PyTorch's torch._C.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from torch.jit.generated.operator_upgraders import UPGRADERS


@dataclass(frozen=True)
class Upgrader:
    """A program that computes what an operator did from version `first` to version `last`."""

    operator: str
    first: int
    last: int
    schema: str
    program: Callable[..., Any]

    @property
    def name(self) -> str:
        return self.program.__name__


@dataclass(frozen=True)
class _UpgraderEntry:
    """One change of an operator: the first version that has it, and what stands for the old one."""

    bumped_at_version: int
    upgrader_name: str
    old_schema: str


@dataclass(frozen=True)
class _UpgraderRange:
    """The versions that one upgrader stands for."""

    min_version: int
    max_version: int


@cache
def _table() -> dict[str, tuple[Upgrader, ...]]:
    """Return the upgraders of each operator, oldest first."""
    table: dict[str, list[Upgrader]] = {}
    for row in sorted(UPGRADERS, key=lambda row: row[1]):
        upgrader = Upgrader(*row)
        table.setdefault(upgrader.operator, []).append(upgrader)
    return {operator: tuple(found) for operator, found in table.items()}


def find_upgrader(operator: str, version: int) -> Upgrader | None:
    """Return what stands for an operator such as "aten::div.Tensor" in an operator version.

    None means that the operator has not changed since.
    """
    return next((u for u in _table().get(operator, ()) if u.first <= version <= u.last), None)


def version_of(operator: str) -> int:
    """Return the first operator version in which the operator does what it does now; 0 if all do."""
    return max((upgrader.last + 1 for upgrader in _table().get(operator, ())), default=0)


# ---- the names of torch._C ---------------------------------------------------------------------
def _get_max_operator_version() -> int:
    """Return the operator version that this build has."""
    return max(upgrader.last + 1 for found in _table().values() for upgrader in found)


def _get_operator_version_map() -> dict[str, list[_UpgraderEntry]]:
    """Return the changes of every operator that has changed."""
    return {
        operator: [_UpgraderEntry(u.last + 1, u.name, u.schema) for u in found]
        for operator, found in _table().items()
    }


def _get_upgrader_ranges(name: str) -> list[_UpgraderRange]:
    """Return the versions that the upgraders of an operator stand for."""
    return [_UpgraderRange(u.first, u.last) for u in _table().get(name, ())]


def _get_upgraders_entry_map() -> dict[str, str]:
    """Return the text of each upgrader by its name."""
    found = (upgrader for upgraders in _table().values() for upgrader in upgraders)
    return {upgrader.name: inspect.getsource(upgrader.program) for upgrader in found}


def _get_upgraders_map_size() -> int:
    """Return the number of upgraders."""
    return len(UPGRADERS)
