"""Group tensors for operators on lists, and tell where those have kernels of their own."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

TensorLists = list[list[Tensor | None]]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Return the device types on which one call for a list is faster than one per tensor."""
    return ["cuda", "xpu", "mtia", torch._C._get_privateuse1_backend_name()]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Return the device types on which optimizers can update all parameters in one call."""
    return ["mps", "cpu", "hpu", *_get_foreach_kernels_supported_devices()]


def _device_has_foreach_support(device: torch.device) -> bool:
    """Return whether a device is the CPU or has such kernels."""
    return device.type in ("cpu", *_get_foreach_kernels_supported_devices())


def _has_foreach_support(tensors: Sequence[Tensor | None], device: torch.device) -> bool:
    """Return whether a list can be passed to such operators: plain tensors on such a device."""
    return _device_has_foreach_support(device) and all(
        tensor is None or type(tensor) in (Tensor, torch.nn.Parameter) for tensor in tensors
    )


def _group_tensors_by_device_and_dtype(
    tensorlistlist: TensorLists, with_indices: bool = False
) -> dict[tuple[torch.device, torch.dtype], tuple[TensorLists, list[int]]]:
    """Split lists of equal length by the devices and dtypes of the tensors of the first one.

    Args:
        tensorlistlist: The lists, for example parameters, gradients and averages. Later ones may be
            empty or contain None.
        with_indices: Whether to return where in the lists the tensors were.

    Returns:
        For each device and dtype, the parts of the lists and the indices.

    Raises:
        RuntimeError: If the lists are of different lengths, or the first one contains None.
    """
    first = tensorlistlist[0]
    if any(each and len(each) != len(first) for each in tensorlistlist):
        raise RuntimeError("Tensorlists must have the same length if not empty")
    groups: dict[tuple[torch.device, torch.dtype], tuple[TensorLists, list[int]]] = {}
    for index, tensor in enumerate(first):
        if tensor is None:
            raise RuntimeError("Tensors of the first list provided must be defined")
        key = (tensor.device, tensor.dtype)
        lists, indices = groups.setdefault(key, ([[] for _ in tensorlistlist], []))
        for target, source in zip(lists, tensorlistlist, strict=True):
            if source:
                target.append(source[index])
        if with_indices:
            indices.append(index)
    return groups
