"""Tensors whose operators are recorded and run later, as one graph.

They need a build with `BUILD_LAZY=ON`, and a call of `torch._lazy.ts_backend.init()`. Then
`tensor.to("lazy")` makes one, and `mark_step()` runs what was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from .closure import add_step_closure, run_step_closures

__all__ = [
    "add_step_closure",
    "get_tensor_id",
    "mark_step",
    "run_step_closures",
    "save",
    "sync_multi",
    "to_cpu",
    "wait_device_ops",
]


def _bindings() -> Any:
    """Return `torch._C._lazy`, or raise an error that names the option of the build."""
    module = getattr(torch._C, "_lazy", None)
    if module is None:
        message = (
            "this build has no lazy tensors; build with: BUILD_LAZY=ON python setup.py develop"
        )
        raise RuntimeError(message)
    return module


def mark_step(device: str = "", wait: bool = False) -> None:
    """End a step: compute all lazy tensors as one graph, then run the closures of the step.

    Args:
        device: The lazy device; there is only one.
        wait: Whether to wait until the graph has run; it always has when the call returns.
    """
    _bindings()._mark_step(device, [], wait)
    run_step_closures()


def wait_device_ops(devices: Iterable[str] | None = None) -> None:
    """Wait until everything that was started on the devices is done."""
    _bindings()._wait_device_ops(list(devices or []))


def sync_multi(tensors: Iterable[torch.Tensor], devices: Iterable[str] = ()) -> None:
    """Compute some lazy tensors as one graph."""
    _bindings()._sync_multi(list(tensors), list(devices))


def get_tensor_id(tensor: torch.Tensor) -> int:
    """Return the number of a lazy tensor's memory, which its views share."""
    number: int = _bindings()._get_tensor_id(tensor)
    return number


def to_cpu(tensors: Any, devices: Iterable[str] | None = None) -> Any:
    """Return a tensor or a nested structure of tensors on the CPU; they are computed as one graph."""
    leaves, structure = tree_flatten(tensors)
    sync_multi([leaf for leaf in leaves if _is_lazy(leaf)], devices or ())
    return tree_unflatten(
        [leaf.to("cpu") if _is_lazy(leaf) else leaf for leaf in leaves], structure
    )


def save(tensors: Any, *args: Any, **kwargs: Any) -> None:
    """Save a nested structure of tensors, after copying them to the CPU, by `torch.save`."""
    torch.save(to_cpu(tensors), *args, **kwargs)


def _is_lazy(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type == "lazy"
