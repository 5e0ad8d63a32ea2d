"""DLPack: tensors that share memory with other libraries' arrays."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from torch import _C, Tensor, device, from_dlpack, strided

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(IntEnum):
    """The device types of DLPack.

    Example:
        >>> torch.ones(1).__dlpack_device__()[0] == torch.utils.dlpack.DLDeviceType.kDLCPU
        True
    """

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def to_dlpack(tensor: Tensor) -> object:
    """Return a DLPack capsule that shares a tensor's memory.

    Example:
        >>> from torch.utils.dlpack import from_dlpack, to_dlpack
        >>> from_dlpack(to_dlpack(torch.ones(2)))
        tensor([1., 1.])
    """
    return _C._to_dlpack(tensor, False)


def dl_device_of(tensor: Tensor) -> tuple[DLDeviceType, int]:
    """Return the device of a tensor as DLPack names it: a type and an index."""
    if tensor.is_meta:
        raise ValueError(f"Unknown device type {tensor.device.type} for Dlpack")
    kind, index = _C._dlpack_device(tensor)
    return DLDeviceType(kind), index


def torch_device_of(dl_device: Any) -> device:
    """Return the device that a pair of DLPack names.

    Raises:
        BufferError: If no tensor can be there.
    """
    if not isinstance(dl_device, tuple):
        raise TypeError(
            "_to_dlpack(): argument 'dl_device' must be tuple of ints, not "
            f"{type(dl_device).__name__}"
        )
    kind, index = dl_device
    name = {DLDeviceType.kDLCPU: "cpu", DLDeviceType.kDLCUDA: "cuda"}.get(kind)
    if name is None:
        raise BufferError(f"Unsupported device_type: {int(kind)}")
    return device(name) if name == "cpu" else device(name, index)


def exported(tensor: Tensor, stream: Any, max_version: Any, dl_device: Any, copy: Any) -> object:
    """Return the capsule of `Tensor.__dlpack__`, whose arguments the standard defines."""
    if tensor.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if tensor.is_conj():
        raise BufferError("Can't export tensors with the conjugate bit set")
    if tensor.layout is not strided:
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if tensor.device.type == "cpu" and stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    if dl_device is not None and (target := torch_device_of(dl_device)).type != tensor.device.type:
        if copy is False:
            raise ValueError(f"cannot move (i.e. copy) tensor from {tensor.device} to {target}")
        tensor = tensor.to(target)
    elif copy:
        tensor = tensor.clone()
    return _C._to_dlpack(tensor, max_version is not None and max_version[0] >= 1)
