"""The default device as a mode of torch's functions, for libraries that know it in this form."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._contextlib import context_decorator

CURRENT_DEVICE: torch.device | None = None
"""The device of the innermost `DeviceContext` that is entered."""

_FACTORIES = """arange as_tensor asarray bartlett_window blackman_window empty empty_permuted
empty_quantized empty_strided eye fft.fftfreq fft.rfftfreq full hamming_window hann_window kaiser_window
linspace logspace nested.nested_tensor ones rand randint randn randperm range scalar_tensor
sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor
sparse_csr_tensor tensor tril_indices triu_indices zeros"""


@functools.lru_cache(1)
def _device_constructors() -> set[Any]:
    """Return the functions that create tensors on the default device."""
    found = set()
    for name in _FACTORIES.split():
        owner, _, short = name.rpartition(".")
        module = getattr(torch, owner) if owner else torch
        if hasattr(module, short):
            found.add(getattr(module, short))
    return found


class DeviceContext(TorchFunctionMode):
    """Context manager inside which functions create tensors on a device.

    `with torch.device(...):` does the same without a mode.

    Args:
        device: The device or its name.

    Example:
        >>> from torch.utils._device import DeviceContext
        >>> with DeviceContext("meta"):
        ...     torch.ones(2).device
        device(type='meta')
    """

    def __init__(self, device: Any) -> None:
        self.device = torch.device(device)
        self.old_device: torch.device | None = None

    def __enter__(self) -> DeviceContext:
        global CURRENT_DEVICE
        self.old_device, CURRENT_DEVICE = CURRENT_DEVICE, self.device
        self.device.__enter__()
        super().__enter__()
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        global CURRENT_DEVICE
        CURRENT_DEVICE = self.old_device
        super().__exit__(exc_type, exc_val, exc_tb)
        self.device.__exit__(exc_type, exc_val, exc_tb)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Add the device to calls that create a tensor without naming one."""
        kwargs = dict(kwargs or {})
        if func in _device_constructors() and kwargs.get("device") is None:
            kwargs["device"] = self.device
        return func(*args, **kwargs)


def device_decorator(device: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs another one with a default device.

    Args:
        device: The device or its name.
        func: The function.
    """
    context = torch.device(device)
    return context_decorator(lambda: context, func)


def set_device(device: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that runs functions with a default device.

    Args:
        device: The device or its name.

    Example:
        >>> from torch.utils._device import set_device
        >>> @set_device("meta")
        ... def build():
        ...     return torch.ones(2)
        >>> build().device
        device(type='meta')
    """
    return functools.partial(device_decorator, device)
