"""The devices and streams of the accelerator."""

from __future__ import annotations

from types import ModuleType

import torch
from torch import _C

Device = torch.device | str | int | None


def device_count() -> int:
    """Return the number of devices of the accelerator, 0 without one.

    Example:
        >>> torch.accelerator.device_count() >= 0
        True
    """
    return _C._accelerator_deviceCount()


def is_available() -> bool:
    """Return whether there is an accelerator with a device.

    Example:
        >>> torch.accelerator.is_available() == (torch.accelerator.device_count() > 0)
        True
    """
    return device_count() > 0


def current_accelerator(check_available: bool = False) -> torch.device | None:
    """Return the accelerator as a device without an index, or None if no back end is loaded.

    Args:
        check_available: Whether to return None also if the back end has no device.

    Example:
        >>> torch.accelerator.current_accelerator(check_available=True)
    """
    accelerator = _C._get_accelerator()
    return None if check_available and not is_available() else accelerator


def index_of(device: Device) -> int:
    """Return the index of a device of the accelerator."""
    if device is None:
        return current_device_index()
    if isinstance(device, int):
        return device
    device = torch.device(device)
    accelerator = current_accelerator()
    if accelerator is None or device.type != accelerator.type:
        raise ValueError(f"{device.type} doesn't match the current accelerator {accelerator}.")
    return current_device_index() if device.index is None else device.index


_WITHOUT = "Cannot access accelerator device when none is available."


def get_device_capability(device: Device = None, /) -> dict[str, set[torch.dtype]]:
    """Return what a device of the accelerator can do.

    Returns:
        A dict with `supported_dtypes`, the dtypes that its operators work with.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.get_device_capability()  # doctest: +SKIP
        Traceback (most recent call last):
            ...
        RuntimeError: Cannot access accelerator device when none is available.
    """
    if not is_available():
        raise RuntimeError(_WITHOUT)
    index_of(device)
    names = (
        "uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 bool"
    )
    return {"supported_dtypes": {getattr(torch, name) for name in names.split()}}


def current_device_index() -> int:
    """Return the index of the current device.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.current_device_index()  # doctest: +SKIP
        0
    """
    return _C._accelerator_getDeviceIndex()


def set_device_index(device: Device, /) -> None:
    """Make a device current.

    Args:
        device: A device of the accelerator, or its index.

    Raises:
        RuntimeError: If there is no accelerator.
        ValueError: If the device is of another type.

    Example:
        >>> torch.accelerator.set_device_index(0)  # doctest: +SKIP
    """
    _C._accelerator_setDeviceIndex(index_of(device))


def current_stream(device: Device = None, /) -> torch.Stream:
    """Return the current stream of a device.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.current_stream().query()  # doctest: +SKIP
        True
    """
    return _C._accelerator_getStream(index_of(device))


def set_stream(stream: torch.Stream) -> None:
    """Make a stream current on its device.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.set_stream(torch.accelerator.current_stream())  # doctest: +SKIP
    """
    _C._accelerator_setStream(stream)


def synchronize(device: Device = None, /) -> None:
    """Wait until a device has done all its work.

    Args:
        device: A device of the accelerator, or its index; the current one if None.

    Raises:
        RuntimeError: If there is no accelerator.

    Example:
        >>> torch.accelerator.synchronize()  # doctest: +SKIP
    """
    _C._accelerator_synchronizeDevice(index_of(device))


class device_index:
    """Context manager that makes a device current.

    Args:
        device: The index of a device; None changes nothing.

    Example:
        >>> with torch.accelerator.device_index(None):
        ...     pass
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx = device
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is not None:
            self.prev_idx = current_device_index()
            set_device_index(self.idx)

    def __exit__(self, *error: object) -> None:
        if self.idx is not None:
            set_device_index(self.prev_idx)


def back_end() -> ModuleType:
    """Return the module of the accelerator, such as torch.cuda."""
    current_device_index()  # or raises
    accelerator = current_accelerator()
    return getattr(torch, accelerator.type if accelerator is not None else "cpu")


current_device_idx = current_device_index
set_device_idx = set_device_index
