"""Settings of cuDNN, which computes convolutions on CUDA devices in builds that have it (USE_CUDNN).

Without it they are kept, without effect.
"""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import _C

_fp32_precision = "none"

# Data types that cuDNN may compute with, as PyTorch lists them.
CUDNN_TENSOR_DTYPES = {torch.half, torch.float, torch.double}

_SWITCHES = {
    "enabled": "cudnn_enabled",
    "benchmark": "cudnn_benchmark",
    "deterministic": "cudnn_deterministic",
    "allow_tf32": "cudnn_allow_tf32",
}


def is_available() -> bool:
    """Return whether this build uses cuDNN.

    Example:
        >>> torch.backends.cudnn.is_available()  # doctest: +SKIP
        True
    """
    return _C._cudnn_version() is not None


def version() -> int | None:
    """Return the version of cuDNN, as 91200 for 9.12.0; None without it.

    Example:
        >>> torch.backends.cudnn.version()  # doctest: +SKIP
        91200
    """
    return _C._cudnn_version()


def is_acceptable(tensor: torch.Tensor) -> bool:
    """Return whether cuDNN is enabled and can compute with a tensor.

    Args:
        tensor: A tensor of any device. Only floating-point tensors on CUDA devices are acceptable.

    Example:
        >>> torch.backends.cudnn.is_acceptable(torch.ones(1))
        False
    """
    if not _C._get_cudnn_enabled():
        return False
    if tensor.device.type != "cuda" or tensor.dtype not in CUDNN_TENSOR_DTYPES:
        return False
    if not is_available():
        warnings.warn(
            "This build has no cuDNN: install it (pip install nvidia-cudnn-cu13), and build again "
            "with USE_CUDNN=1",
            stacklevel=2,
        )
        return False
    return True


def _current_benchmark_limit() -> int | None:
    return _C._cuda_get_cudnn_benchmark_limit() if is_available() else None


def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str = "none",
) -> tuple[Any, ...]:
    """Change the settings that are not None, and return what all of them were.

    Example:
        >>> before = torch.backends.cudnn.set_flags(_benchmark=False)
    """
    wanted = {
        "enabled": _enabled,
        "benchmark": _benchmark,
        "deterministic": _deterministic,
        "allow_tf32": _allow_tf32,
    }
    before = {name: getattr(_C, f"_get_{_SWITCHES[name]}")() for name in wanted}
    limit = _current_benchmark_limit()
    for name, value in wanted.items():
        if value is not None:
            getattr(_C, f"_set_{_SWITCHES[name]}")(value)
    if _benchmark_limit is not None and limit is not None:
        _C._cuda_set_cudnn_benchmark_limit(_benchmark_limit)
    return (
        before["enabled"],
        before["benchmark"],
        limit,
        before["deterministic"],
        before["allow_tf32"],
        "none",
    )


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """Context manager for the settings, which are attributes of this module.

    Args:
        enabled: Whether operators may use cuDNN.
        benchmark: Whether cuDNN measures which algorithm is fastest.
        benchmark_limit: How many algorithms it tries; 0 means all.
        deterministic: Whether only deterministic algorithms are used.
        allow_tf32: Whether convolutions of float32 may use TensorFloat-32.
        fp32_precision: Accepted for compatibility.

    Example:
        >>> with torch.backends.cudnn.flags(enabled=False):
        ...     torch.backends.cudnn.enabled
        False
    """
    before = set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32)
    try:
        yield
    finally:
        set_flags(*before[:5])


class _Settings(types.ModuleType):
    """The module itself, whose settings are attributes."""

    def __getattr__(self, name: str) -> Any:
        if name in _SWITCHES:
            return getattr(_C, f"_get_{_SWITCHES[name]}")()
        if name == "benchmark_limit":
            return _current_benchmark_limit()
        if name == "fp32_precision":
            return _fp32_precision
        raise AttributeError(f"module 'torch.backends.cudnn' has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if torch.backends.flags_frozen() and name in (*_SWITCHES, "benchmark_limit"):
            raise RuntimeError(
                "not allowed to set torch.backends.cudnn flags after disable_global_flags; please "
                "use flags() context manager instead"
            )
        if name in _SWITCHES:
            getattr(_C, f"_set_{_SWITCHES[name]}")(value)
        elif name == "benchmark_limit" and is_available():
            _C._cuda_set_cudnn_benchmark_limit(value)
        else:
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Settings
