"""Copy a module to several devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.modules.module import Module
from torch.nn.parallel.scatter_gather import device_of_index

__all__ = ["replicate"]


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """Copy a module to devices; gradients of the copies reach the module's parameters.

    Args:
        network: The module.
        devices: A device for each copy.
        detach: Whether the copies have no connection to the module's gradients.

    Example:
        >>> layer = nn.Linear(1, 1, bias=False)  # doctest: +SKIP
        >>> first, second = nn.parallel.replicate(layer, ["cpu", "cpu"])  # doctest: +SKIP
        >>> (first(torch.ones(1)) + second(torch.ones(1))).backward()  # doctest: +SKIP
        >>> layer.weight.grad  # doctest: +SKIP
        tensor([[2.]])
    """
    return [_replica(network, device_of_index(device), detach, {}) for device in devices]


def _replica(module: Module, device: torch.device, detach: bool, copies: dict[Any, Any]) -> Module:
    if module in copies:
        return copies[module]
    made = module._replicate_for_data_parallel()
    copies[module] = made

    def moved(tensor: Tensor | None) -> Tensor | None:
        if tensor is None:
            return None
        if tensor not in copies:
            copies[tensor] = (tensor.detach() if detach else tensor).to(device).view_as(tensor)
        return copies[tensor]

    # Copies of parameters are results of operators, so they are attributes and no parameters.
    made._buffers = {name: moved(buffer) for name, buffer in module._buffers.items()}
    made._modules = {
        name: None if child is None else _replica(child, device, detach, copies)
        for name, child in module._modules.items()
    }
    made._former_parameters = {name: moved(p) for name, p in module._parameters.items()}
    made.__dict__.update(made._former_parameters)
    return made
