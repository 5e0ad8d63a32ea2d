"""CUDA devices: how many there are, which is current, and what they can do."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C
from torch.cuda import _lazy

Device = torch.device | str | int | None


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """Return the index of a CUDA device; of the current one for None if that is allowed."""
    if isinstance(device, int) and not isinstance(device, bool):
        return device
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type == "cpu" and allow_cpu:
            return -1
        if device.type != "cuda":
            raise ValueError(f"Expected a cuda device, but got: {device}")
        if device.index is not None:
            return device.index
    elif device is not None:
        raise ValueError(f"Expected a torch.device or an integer, but got: {device!r}")
    if device is None and not optional:
        raise ValueError(
            f"Expected a torch.device with a specified index or an integer, but got:{device}"
        )
    return current_device()


def device_count() -> int:
    """Return the number of CUDA devices that this process can use.

    Example:
        >>> torch.cuda.device_count()
        0
    """
    return _C._cuda_getDeviceCount() if _lazy.is_compiled() else 0


def current_device() -> int:
    """Return the index of the current device of this thread.

    Example:
        >>> torch.cuda.current_device()  # doctest: +SKIP
        0
    """
    _lazy.lazy_init()
    return _C._cuda_getDevice()


def set_device(device: Device) -> None:
    """Make a device current. `with torch.cuda.device(...)` also restores the one before.

    Args:
        device: A CUDA device or its index; a negative index does nothing.

    Example:
        >>> torch.cuda.set_device(-1)
    """
    index = _get_device_index(device, optional=True)
    if index >= 0:
        _lazy.require_build()
        _C._cuda_setDevice(index)


def _exchange_device(index: int) -> int:
    if index < 0:
        return -1
    if not _lazy.is_compiled():
        raise RuntimeError("PyTorch was compiled without CUDA support")
    return _C._cuda_exchangeDevice(index)


def _maybe_exchange_device(index: int) -> int:
    return _exchange_device(index)


class _DeviceGuard:
    """Context manager for an index that is known to be valid."""

    def __init__(self, index: int) -> None:
        self.idx = index
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, *error: object) -> bool:
        self.idx = _exchange_device(self.prev_idx)
        return False


class device:
    """Context manager that makes a device current.

    Args:
        device: A CUDA device or its index; a negative index changes nothing.

    Example:
        >>> with torch.cuda.device(-1):
        ...     pass
    """

    def __init__(self, device: Any) -> None:
        self.idx = _get_device_index(device, optional=True)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, *error: object) -> bool:
        self.idx = _maybe_exchange_device(self.prev_idx)
        return False


class device_of(device):
    """Context manager that makes the device of a tensor current; for a CPU tensor, it does nothing.

    Args:
        obj: A tensor or a storage.

    Example:
        >>> with torch.cuda.device_of(torch.ones(1)):
        ...     pass
    """

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if obj.is_cuda else -1)


def synchronize(device: Device = None) -> None:
    """Wait until all work of a device is done.

    Args:
        device: A CUDA device or its index; the current one if None.

    Raises:
        AssertionError: In a build without CUDA.

    Example:
        >>> torch.cuda.synchronize()
        Traceback (most recent call last):
            ...
        AssertionError: Torch not compiled with CUDA enabled
    """
    _lazy.lazy_init()
    with torch.cuda.device(device):
        _C._cuda_synchronize()


class _CudaDeviceProperties:
    """The properties of a device, as attributes."""

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int

    def __init__(self, uuid: bytes = bytes(16), **properties: Any) -> None:
        self.__dict__.update(properties)
        self._uuid = uuid

    @property
    def uuid(self) -> Any:
        """Return the identity of the device, as an object of the module uuid."""
        from uuid import UUID

        return UUID(bytes=self._uuid)

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // 2**20}MB, "
            f"multi_processor_count={self.multi_processor_count})"
        )


def get_device_properties(device: Device = None) -> _CudaDeviceProperties:
    """Return name, compute capability, memory and other properties of a device.

    Args:
        device: A CUDA device or its index; the current one if None.

    Raises:
        AssertionError: If there is no such device.

    Example:
        >>> torch.cuda.get_device_properties(0).total_memory  # doctest: +SKIP
        8513978368
    """
    _lazy.lazy_init()
    index = _get_device_index(device, optional=True)
    if index < 0 or index >= device_count():
        raise AssertionError("Invalid device id")
    return _CudaDeviceProperties(**_C._cuda_getDeviceProperties(index))


def get_device_name(device: Device = None) -> str:
    """Return the name of a device.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.get_device_name(0)  # doctest: +SKIP
        'NVIDIA H100'
    """
    return get_device_properties(device).name


def get_device_capability(device: Device = None) -> tuple[int, int]:
    """Return the compute capability of a device.

    Args:
        device: A CUDA device or its index; the current one if None.

    Example:
        >>> torch.cuda.get_device_capability(0)  # doctest: +SKIP
        (9, 0)
    """
    properties = get_device_properties(device)
    return properties.major, properties.minor


def can_device_access_peer(device: Device, peer_device: Device) -> bool:
    """Return whether kernels of a device can use the memory of another one.

    Args:
        device: The device that runs the kernels.
        peer_device: The device with the memory.

    Raises:
        AssertionError: If one of them does not exist.

    Example:
        >>> torch.cuda.can_device_access_peer(0, 1)  # doctest: +SKIP
        True
    """
    _lazy.lazy_init()
    index = _get_device_index(device, optional=True)
    peer = _get_device_index(peer_device)
    for each, what in ((index, "device"), (peer, "peer device")):
        if each < 0 or each >= device_count():
            raise AssertionError(f"Invalid {what} id")
    return _C._cuda_canDeviceAccessPeer(index, peer)


def get_arch_list() -> list[str]:
    """Return the architectures that this build has kernels for; none on an emulated device.

    Example:
        >>> torch.cuda.get_arch_list()
        []
    """
    flags = _C._cuda_getArchFlags() if _lazy.is_available() else None
    return flags.split() if flags else []


def get_gencode_flags() -> str:
    """Return the options of nvcc for the architectures that this build has kernels for.

    Example:
        >>> torch.cuda.get_gencode_flags()
        ''
    """
    flags = []
    for name in get_arch_list():
        kind, _, number = name.partition("_")
        flags.append(f"-gencode compute=compute_{number},code={kind}_{number}")
    return " ".join(flags)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return whether the current device computes in bfloat16.

    Args:
        including_emulation: Whether devices count that compute it in float32.

    Example:
        >>> torch.cuda.is_bf16_supported()
        False
    """
    return _lazy.is_available() and (including_emulation or get_device_capability()[0] >= 8)


def is_tf32_supported() -> bool:
    """Return whether the current device multiplies float32 in TensorFloat-32.

    Example:
        >>> torch.cuda.is_tf32_supported()
        False
    """
    return _lazy.is_available() and get_device_capability()[0] >= 8


def ipc_collect() -> None:
    """Release memory that was sent to other processes and that they use no more.

    Sending a tensor does this too.

    Example:
        >>> torch.cuda.ipc_collect()  # doctest: +SKIP
    """
    from torch.multiprocessing.reductions import sent_blocks

    _lazy.lazy_init()
    sent_blocks.collect()


def get_sync_debug_mode() -> int:
    """Return what happens when an operation waits for the device: nothing (0), a warning or an error.

    Example:
        >>> torch.cuda.get_sync_debug_mode()  # doctest: +SKIP
        0
    """
    _lazy.lazy_init()
    return _C._cuda_get_sync_debug_mode()


_SYNC_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Set what happens when an operation makes the host wait for a stream.

    Such are `item()`, `nonzero()` and copies to memory that is not pinned. Waiting for an event, or
    for the whole device by `synchronize()`, is not reported.

    Args:
        debug_mode: "default" or 0 does nothing, "warn" or 1 warns, and "error" or 2 raises.

    Raises:
        RuntimeError: If there is no such mode.

    Example:
        >>> torch.cuda.set_sync_debug_mode("warn")  # doctest: +SKIP
        >>> torch.ones(2, device="cuda").sum().item()  # doctest: +SKIP
        UserWarning: called a synchronizing CUDA operation
        2.0
    """
    _lazy.lazy_init()
    mode = _SYNC_DEBUG_MODES.get(debug_mode, -1) if isinstance(debug_mode, str) else debug_mode
    if mode not in _SYNC_DEBUG_MODES.values():
        raise RuntimeError(
            "invalid value of debug_mode, expected one of `default`, `warn`, `error`"
        )
    _C._cuda_set_sync_debug_mode(mode)


def current_blas_handle() -> int:
    """Return the cuBLAS handle of the current device and stream as a number, for other libraries.

    Raises:
        NotImplementedError: In a build without cuBLAS.

    Example:
        >>> torch.cuda.current_blas_handle()  # doctest: +SKIP
        94201734406416
    """
    _lazy.lazy_init()
    return _C._cuda_getCurrentBlasHandle()


def current_solver_handle() -> int:
    """Return the cuSOLVER handle of the current device and stream as a number, for other libraries.

    Raises:
        NotImplementedError: In a build without cuSOLVER.

    Example:
        >>> torch.cuda.current_solver_handle()  # doctest: +SKIP
        94201734455104
    """
    _lazy.lazy_init()
    return _C._cuda_getCurrentSolverHandle()
