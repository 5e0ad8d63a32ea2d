"""The displayed names of Nodes, in messages and as Python classes."""

from __future__ import annotations

from tools.autograd.model import Derivatives, Differentiability
from tools.codegen.emit.python_overloads import NUMBERS_AS_TENSORS


def shown_name(entry: Differentiability, derivatives: Derivatives) -> str:
    """Return the Node's own name, or that of the Tensor overload that it replaces.

    `x * 2` calls mul.Scalar here; PyTorch makes a tensor of the number and calls mul.Tensor, so
    programs expect to see MulBackward0.
    """
    name = entry.function.full_name
    if entry.function.root_name in NUMBERS_AS_TENSORS and ".Scalar" in name:
        twin = derivatives.entries.get(name.replace(".Scalar", ".Tensor"), {})
        if entry.dispatch_key in twin:
            return str(twin[entry.dispatch_key].node)
    return str(entry.node)
