"""The tables of decompositions, which the modules with decompositions fill."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from torch._ops import OpOverload, OpOverloadPacket

Table = dict[OpOverload, Callable[..., Any]]
F = TypeVar("F", bound=Callable[..., Any])

global_decomposition_table: dict[str, Table] = defaultdict(dict)
decomposition_table = global_decomposition_table["post_autograd"]
pre_autograd_decomposition_table = global_decomposition_table["pre_autograd"]
meta_table = global_decomposition_table["meta"]


def _overloads(operators: Any) -> Iterable[OpOverload]:
    """Yield the overloads of operators, which may be nested in lists."""
    if isinstance(operators, OpOverload):
        yield operators
    elif isinstance(operators, OpOverloadPacket):
        for name in operators.overloads():
            yield getattr(operators, name)
    elif isinstance(operators, (list, tuple)):
        for each in operators:
            yield from _overloads(each)
    else:
        raise TypeError(f"expected an operator of torch.ops, but got {operators!r}")


def register_decomposition(
    aten_op: Any,
    registry: Table | None = None,
    *,
    type: str = "post_autograd",
    unsafe: bool = False,
) -> Callable[[F], F]:
    """Return a decorator that makes a function the decomposition of operators.

    Args:
        aten_op: An operator, which stands for all its overloads, an overload, or a list of these.
        registry: The table; by default the global one of `type`.
        type: "post_autograd", "pre_autograd" or "meta".
        unsafe: Accepted for PyTorch's callers; the function is registered as it is in any case.

    Raises:
        ValueError: If `type` is none of these.
        RuntimeError: If an overload already has a decomposition.

    Example:
        >>> from torch._decomp import register_decomposition
        >>> table = {}
        >>> @register_decomposition(torch.ops.aten.square.default, table)
        ... def square(x):
        ...     return x * x
        >>> table[torch.ops.aten.square.default](torch.tensor(3.0))
        tensor(9.)
    """
    if type not in ("post_autograd", "pre_autograd", "meta"):
        raise ValueError(f"there is no table of decompositions {type!r}")
    table = global_decomposition_table[type] if registry is None else registry

    def register(function: F) -> F:
        for overload in _overloads(aten_op):
            if overload in table:
                raise RuntimeError(f"duplicate registrations for {overload}")
            table[overload] = function
        return function

    return register


def get_decompositions(
    aten_ops: Sequence[OpOverload | OpOverloadPacket], type: str = "post_autograd"
) -> Table:
    """Return the decompositions of operators, by overload; others are left out.

    Args:
        aten_ops: Operators, which stand for all their overloads, or overloads.
        type: The table to look in.
    """
    table = global_decomposition_table[type]
    return {each: table[each] for each in _overloads(list(aten_ops)) if each in table}


def remove_decompositions(
    decompositions: Table, aten_ops: Sequence[OpOverload | OpOverloadPacket]
) -> None:
    """Remove operators from a table of decompositions.

    Args:
        decompositions: The table.
        aten_ops: Operators, which stand for all their overloads, or overloads.
    """
    for overload in _overloads(list(aten_ops)):
        decompositions.pop(overload, None)
