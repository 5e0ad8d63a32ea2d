"""Group tensors for the operators that work on many tensors at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim._subclass_helpers import (
    _get_foreach_kernels_supported_devices,
    _get_fused_kernels_supported_devices,
)

__all__ = [
    "_get_foreach_kernels_supported_devices",
    "_get_fused_kernels_supported_devices",
]

_Groups = dict[tuple[Any, Any], tuple[list[list[Tensor | None]], list[int]]]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> _Groups:
    """Divide lists of equal length by the device and the dtype of the first list's tensors.

    Returns:
        (device, dtype) -> the part of each list, and the indices that it had if `with_indices`.
    """
    groups: _Groups = {}
    for index, row in enumerate(zip(*tensorlistlist, strict=True)):
        first = row[0]
        key = (None, None) if first is None else (first.device, first.dtype)
        lists, indices = groups.setdefault(key, ([[] for _ in row], []))
        for tensors, tensor in zip(lists, row, strict=True):
            tensors.append(tensor)
        if with_indices:
            indices.append(index)
    return groups


def _device_has_foreach_support(device: torch.device) -> bool:
    """Return whether a device has operators on many tensors."""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: list[Tensor], device: torch.device) -> bool:
    """Return whether the operators on many tensors take these."""
    return _device_has_foreach_support(device) and all(
        t is None or type(t) in (Tensor, torch.nn.Parameter) for t in tensors
    )
