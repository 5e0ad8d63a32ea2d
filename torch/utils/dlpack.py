"""DLPack: tensors that share memory with other libraries' arrays."""

from __future__ import annotations

from enum import IntEnum

from torch import _C, Tensor, from_dlpack

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
