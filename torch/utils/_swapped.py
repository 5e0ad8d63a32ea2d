"""swap_tensors, and set_module."""

from __future__ import annotations

import weakref
from typing import Any

import torch

__all__ = ["set_module", "swap_tensors"]


def set_module(obj: Any, mod: str) -> None:
    """Set the module that a function or class says it is from.

    Example:
        >>> def double(x):
        ...     return 2 * x
        >>> torch.utils.set_module(double, "tools")
        >>> double.__module__
        'tools'
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


_UNSET = object()


def _taken(tensor: torch.Tensor, name: str) -> Any:
    """Return what a slot holds, and empty the slot."""
    value = getattr(tensor, name, _UNSET)
    if value is not _UNSET:
        delattr(tensor, name)
    return value


def _poison(tensor: torch.Tensor) -> None:
    """Refuse gradients that a graph made before would add to a leaf after the exchange."""
    if tensor.is_leaf and tensor.requires_grad:
        torch.autograd.graph.get_gradient_edge(tensor).node.register_prehook(_refuse_gradients)


def _refuse_gradients(grad_outputs: Any) -> None:
    raise RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen "
        "when you try to run backward on a tensor that was swapped. For a module m with "
        "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the "
        "device or dtype of the module (e.g. `m.cpu()` or `m.half()`) between running forward and "
        "backward. To resolve this, please only change the device/dtype before running forward "
        "(or after both forward and backward)."
    )


def swap_tensors(t1: torch.Tensor, t2: torch.Tensor) -> None:
    """Exchange the contents of two tensors, which keep their identities.

    Their values, shapes, classes, attributes and places in the autograd graph are exchanged.

    Args:
        t1: A tensor.
        t2: Another tensor.

    A graph that was recorded with a leaf before can no longer be used: its backward pass raises an error.

    Raises:
        RuntimeError: If there is a weak reference to a tensor, or their slots differ.

    Example:
        >>> a, b = torch.zeros(2), torch.ones(3)
        >>> kept = a
        >>> torch.utils.swap_tensors(a, b)
        >>> kept
        tensor([1., 1., 1.])
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(tensor):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    slots = [set(getattr(type(tensor), "__slots__", ())) for tensor in (t1, t2)]
    if slots[0] != slots[1]:
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    for tensor in (t1, t2):
        _poison(tensor)
    held = {name: (_taken(t1, name), _taken(t2, name)) for name in slots[0]}
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for name, (first, second) in held.items():
        for tensor, value in ((t1, second), (t2, first)):
            if value is not _UNSET:
                setattr(tensor, name, value)
    torch._C._swap_tensor_impl(t1, t2)
