"""The batching rule of each operator, by which a running vmap calls it once for all elements.

The rules of views, reductions, products and so on have modules of their own.
"""

from __future__ import annotations

from typing import Any

from torch import _C
from torch._transforms import (
    batch_layers,
    batch_matrices,
    batch_places,
    batch_random,
    batch_shapes,
    functions,
)
from torch._transforms.batch_calls import VmapInfo, loop, placed, point_wise
from torch._transforms.batched import Rule, VmapLevel
from torch._transforms.levels import map_tensors
from torch._transforms.operators import (
    POINT_WISE,
    VIEWS,
    base_name,
    functional_of,
    operator_name,
)

_rules: dict[Any, Rule] = {}


def rule_of(func: Any) -> Rule:
    """Return the batching rule of an operator."""
    rule = _rules.get(func)
    if rule is None:
        rule = _rules[func] = _find_rule(func)
    return rule


def _find_rule(func: Any) -> Rule:
    if func.namespace != "aten":
        return _custom_rule(func)
    name, base = operator_name(func), base_name(func)
    for table in (
        batch_shapes.RULES,
        batch_matrices.RULES,
        batch_layers.RULES,
        batch_places.RULES,
        batch_random.RULES,
    ):
        found = table.get(name) or table.get(base)
        if found is not None:
            return found
    if base.endswith("_") and base[:-1] in VIEWS:
        return _change_geometry
    if base in POINT_WISE or (base.endswith("_") and base[:-1] in POINT_WISE):
        return point_wise
    return loop


def _change_geometry(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Replace what a batched tensor holds by a view."""
    functional = functional_of(func)
    viewed = rule_of(functional)(level, functional, args, kwargs)
    args[0]._value = viewed._value
    _C._set_geometry_of(args[0], viewed)
    return args[0]


def _custom_rule(func: Any) -> Rule:
    def rule(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        own = getattr(func, "_vmap_rule", None)
        if own is None:
            return loop(level, func, args, kwargs)
        dims = map_tensors(lambda t: 0 if level.owns(t) else None, tuple(args))
        dims = tuple(d if d == 0 or isinstance(d, (list, tuple)) else None for d in dims)
        info = VmapInfo(level.size, level.randomness)
        result, out_dims = own(info, dims, *level.unwrapped(args), **level.unwrapped(kwargs))
        return placed(level, result, out_dims)

    return rule


class RunningVmap(VmapLevel):
    """A vmap that calls operators by their rules."""

    def __init__(self, size: int, randomness: str) -> None:
        functions.install()
        super().__init__(size, randomness)

    def call(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call an operator for all elements."""
        self.calling += 1
        try:
            return rule_of(func)(self, func, args, kwargs)
        finally:
            self.calling -= 1
