"""Change the memory format of the weights of convolutions."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import nn

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]
_Module = TypeVar("_Module", bound="nn.Module")


def _convert(
    module: _Module, kinds: tuple[type, ...], memory_format: torch.memory_format
) -> _Module:
    for layer in module.modules():
        if isinstance(layer, kinds):
            layer.weight.data = layer.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(
    module: _Module, memory_format: torch.memory_format
) -> _Module:
    """Convert the weights of all 2-D convolutions of a module, in place.

    Args:
        module: The module.
        memory_format: The format, such as torch.channels_last.

    Example:
        >>> conv = nn.utils.convert_conv2d_weight_memory_format(
        ...     nn.Conv2d(8, 4, 3), torch.channels_last
        ... )
        >>> conv.weight.is_contiguous(memory_format=torch.channels_last)
        True
    """
    return _convert(module, (nn.Conv2d, nn.ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(
    module: _Module, memory_format: torch.memory_format
) -> _Module:
    """Convert the weights of all 3-D convolutions of a module, in place.

    Args:
        module: The module.
        memory_format: The format, such as torch.channels_last_3d.

    Example:
        >>> layers = nn.Sequential(nn.Linear(1, 1))
        >>> nn.utils.convert_conv3d_weight_memory_format(layers, torch.channels_last_3d) is layers
        True
    """
    return _convert(module, (nn.Conv3d, nn.ConvTranspose3d), memory_format)
