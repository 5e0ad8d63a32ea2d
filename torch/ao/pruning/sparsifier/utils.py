"""Names of modules and of their tensors, and the parametrization that applies a mask."""

from __future__ import annotations

from itertools import chain
from typing import Any

import torch
from torch import nn
from torch.nn.utils.parametrize import is_parametrized, type_before_parametrizations

__all__ = [
    "FakeSparsity",
    "fqn_to_module",
    "get_arg_info_from_tensor_fqn",
    "module_contains_param",
    "module_to_fqn",
    "swap_module",
]


def module_contains_param(module: nn.Module, parametrization: type[nn.Module]) -> bool:
    """Return whether a parameter of a module has a parametrization of a class.

    Example:
        >>> from torch.ao.pruning.sparsifier.utils import FakeSparsity, module_contains_param
        >>> module_contains_param(nn.Linear(1, 1), FakeSparsity)
        False
    """
    if not is_parametrized(module):
        return False
    return any(
        isinstance(each, parametrization)
        for each in chain.from_iterable(module.parametrizations.values())  # type: ignore[union-attr,operator]
    )


def swap_module(mod: nn.Module, mapping: dict[type[nn.Module], type[nn.Module]]) -> nn.Module:
    """Return the module that a table has in place of a module of this class, with its hooks.

    Args:
        mod: The module.
        mapping: The classes, each with a `from_dense` that makes a module of it.

    Example:
        >>> from torch.ao.pruning.sparsifier.utils import swap_module
        >>> swap_module(nn.ReLU(), {})
        ReLU()
    """
    kind = type_before_parametrizations(mod)
    if kind not in mapping:
        return mod
    new: nn.Module = mapping[kind].from_dense(mod)  # type: ignore[attr-defined]
    for hook in mod._forward_pre_hooks.values():
        new.register_forward_pre_hook(hook)
    for hook in mod._forward_hooks.values():
        new.register_forward_hook(hook)
    devices = {each.device for each in chain(mod.parameters(), mod.buffers())}
    if len(devices) > 1:
        raise AssertionError(
            "swap_module only works with cpu or single-device CUDA modules, but got devices "
            f"{devices}"
        )
    return new.to(*devices)


def module_to_fqn(model: nn.Module, module: nn.Module, prefix: str = "") -> str | None:
    """Return the name of a module in a model, None if it is not there.

    Example:
        >>> from torch.ao.pruning import module_to_fqn
        >>> model = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh()))
        >>> module_to_fqn(model, model[1][0])
        '1.0'
    """
    for name, each in model.named_modules():
        if each is module:
            return f"{prefix}.{name}".strip(".") if prefix else name
    return None


def fqn_to_module(model: nn.Module | None, path: str) -> nn.Module | None:
    """Return the module, or other attribute, of a name, None if there is none.

    Example:
        >>> from torch.ao.pruning import fqn_to_module
        >>> fqn_to_module(nn.Sequential(nn.ReLU()), "0")
        ReLU()
    """
    found: Any = model
    for name in path.split(".") if path else ():
        found = getattr(found, name, None)
    return found  # type: ignore[no-any-return]


def get_arg_info_from_tensor_fqn(model: nn.Module, tensor_fqn: str) -> dict[str, Any]:
    """Return the module of a tensor's name, and the names of both.

    Example:
        >>> from torch.ao.pruning import get_arg_info_from_tensor_fqn
        >>> get_arg_info_from_tensor_fqn(nn.Sequential(nn.Linear(2, 2)), "0.weight")["tensor_name"]
        'weight'
    """
    path, _, name = tensor_fqn.rpartition(".")
    return {
        "module_fqn": path,
        "module": fqn_to_module(model, path),
        "tensor_name": name,
        "tensor_fqn": tensor_fqn,
    }


class FakeSparsity(nn.Module):
    """Parametrization that multiplies a weight by a mask, which is no part of the state.

    Args:
        mask: The mask: 0 for elements that are to be zero.

    Example:
        >>> from torch.ao.pruning import FakeSparsity
        >>> FakeSparsity(torch.tensor([1.0, 0.0]))(torch.tensor([3.0, 4.0]))
        tensor([3., 0.])
    """

    mask: torch.Tensor

    def __init__(self, mask: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("mask", mask)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the product."""
        if self.mask.shape != x.shape:
            raise AssertionError(f"mask shape ({self.mask.shape}) must match x shape ({x.shape})")
        return self.mask * x

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:  # type: ignore[override]
        """Return nothing: the sparsifier stores the mask."""
        return {}
