"""Decompositions: operators written as programs of simpler operators.

A decomposition computes what the operator's kernel computes, from its arguments. Tools that know
few operators, such as exporters and compilers, replace the others with these.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from torch import ops
from torch._ops import OpOverload, OpOverloadPacket

__all__ = [
    "core_aten_decompositions",
    "decomposition_table",
    "get_decompositions",
    "meta_table",
    "pre_autograd_decomposition_table",
    "register_decomposition",
    "remove_decompositions",
]

# Operators with a decomposition that the core set has all the same.
_CORE = frozenset(
    f"aten::{name}"
    for name in (
        "_log_softmax",
        "_softmax",
        "addmm",
        "elu",
        "embedding",
        "embedding_dense_backward",
        "fill.Scalar",
        "gelu",
        "hardtanh",
        "leaky_relu",
        "mean.dim",
        "native_dropout",
        "native_group_norm",
        "native_group_norm_backward",
        "native_layer_norm",
        "native_layer_norm_backward",
        "split_with_sizes",
        "var.correction",
    )
)

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


def core_aten_decompositions() -> Table:
    """Return the decompositions of all operators that are not in the core set.

    Example:
        >>> from torch._decomp import core_aten_decompositions
        >>> table = core_aten_decompositions()
        >>> torch.ops.aten.mse_loss.default in table, torch.ops.aten.relu.default in table
        (True, False)
    """
    return {
        overload: function
        for overload, function in decomposition_table.items()
        if overload.name() not in _CORE
    }


from torch._decomp import (  # noqa: E402
    backward,
    elementwise,
    losses,
    normalization,
    programs,
    rearrangements,
    reductions,
)
from torch._decomp.tools import stored, written  # noqa: E402


def _signature(schema: Any) -> tuple[tuple[str, str], ...]:
    return tuple((each.name, str(each.type)) for each in schema.arguments)


def _add_writing_forms() -> None:
    """Register the in-place and out= forms of operators with one result."""
    for overload, function in list(decomposition_table.items()):
        if [str(each.type) for each in overload._schema.returns] != ["Tensor"]:
            continue
        packet = overload.overloadpacket
        wanted = _signature(overload._schema)
        for name in packet.overloads():
            other = getattr(packet, name)
            arguments = _signature(other._schema)
            if arguments == (*wanted, ("out", "Tensor")) and other not in decomposition_table:
                decomposition_table[other] = stored(function)
        in_place = getattr(ops.aten, f"{packet.__name__}_", None)
        if in_place is not None and overload._overloadname in in_place.overloads():
            other = getattr(in_place, overload._overloadname)
            if other not in decomposition_table:
                decomposition_table[other] = written(function)


_add_writing_forms()
del backward, elementwise, losses, normalization, programs, rearrangements, reductions
