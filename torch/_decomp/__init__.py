"""Decompositions: operators written as programs of simpler operators.

A decomposition computes what the operator's kernel computes, from its arguments. Tools that know
few operators, such as exporters and compilers, replace the others with these.
"""

from __future__ import annotations

from typing import Any

from torch import ops
from torch._decomp import (
    backward,
    elementwise,
    losses,
    normalization,
    programs,
    rearrangements,
    reductions,
)
from torch._decomp._tables import (
    Table,
    decomposition_table,
    get_decompositions,
    global_decomposition_table,
    meta_table,
    pre_autograd_decomposition_table,
    register_decomposition,
    remove_decompositions,
)
from torch._decomp.tools import stored, written
from torch._published import publish_all

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
publish_all(globals(), ("get_decompositions", "register_decomposition", "remove_decompositions"))
