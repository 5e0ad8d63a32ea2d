"""Settings of operators on CUDA devices. A build without CUDA keeps them, without effect."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch import _C
from torch.backends.cuda._attention import (
    SDPAParams,
    can_use_cudnn_attention,
    can_use_efficient_attention,
    can_use_flash_attention,
    is_ck_sdpa_available,
)
from torch.backends.cuda._workspaces import (
    blas_workspace_size,
    cublas_workspace_size,
    cublaslt_workspace_size,
)

__all__ = [
    "SDPAParams",
    "allow_fp16_bf16_reduction_math_sdp",
    "blas_workspace_size",
    "can_use_cudnn_attention",
    "can_use_efficient_attention",
    "can_use_flash_attention",
    "cuBLASModule",
    "cuFFTPlanCache",
    "cuFFTPlanCacheManager",
    "cublas_workspace_size",
    "cublaslt_workspace_size",
    "cudnn_sdp_enabled",
    "cufft_plan_cache",
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "fp16_bf16_reduction_math_sdp_allowed",
    "is_built",
    "is_ck_sdpa_available",
    "is_flash_attention_available",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
    "preferred_blas_library",
    "preferred_linalg_library",
    "preferred_rocm_fa_library",
    "sdp_kernel",
]

_LINALG_BACKENDS = {
    "default": _C._LinalgBackend.Default,
    "cusolver": _C._LinalgBackend.Cusolver,
    "magma": _C._LinalgBackend.Magma,
}


def is_built():
    """Return whether this build supports CUDA.

    Example:
        >>> torch.backends.cuda.is_built()
        False
    """
    return torch.cuda._is_compiled()


def preferred_linalg_library(backend=None):
    """Set or return the library that linear algebra on CUDA devices prefers.

    Args:
        backend: "default", "cusolver" or "magma"; None leaves the setting unchanged.

    Raises:
        RuntimeError: If `backend` is none of these.

    Example:
        >>> torch.backends.cuda.preferred_linalg_library("default")
        <_LinalgBackend.Default: 0>
    """
    if isinstance(backend, str):
        if backend not in _LINALG_BACKENDS:
            raise RuntimeError(f"Unknown input value. Choose from: {', '.join(_LINALG_BACKENDS)}.")
        backend = _LINALG_BACKENDS[backend]
    if backend is not None:
        if not isinstance(backend, _C._LinalgBackend):
            raise RuntimeError("Unknown input value type.")
        _C._set_linalg_preferred_backend(backend)
    return _C._get_linalg_preferred_backend()


class _BlasBackend:
    """The library of matrix products, with the names and numbers of PyTorch's enumeration."""

    def __init__(self, name: str, value: int) -> None:
        self.name, self.value = name, value

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {self.value}>"


class _ROCmFABackend(_BlasBackend):
    """The library of flash attention on ROCm."""


_ROCM_FA_BACKENDS = {
    "default": _ROCmFABackend("Default", 0),
    "aotriton": _ROCmFABackend("AOTriton", 1),
    "ck": _ROCmFABackend("Ck", 2),
}
_rocm_fa_backend = _ROCM_FA_BACKENDS["default"]


def preferred_rocm_fa_library(backend: Any = None) -> Any:
    """Set or return the library of flash attention on ROCm, which this build does not use.

    Args:
        backend: "default", "aotriton" or "ck"; None leaves the setting unchanged.

    Raises:
        RuntimeError: If `backend` is none of these.

    Example:
        >>> torch.backends.cuda.preferred_rocm_fa_library()  # doctest: +SKIP
        <_ROCmFABackend.Default: 0>
    """
    global _rocm_fa_backend
    if backend is not None:
        if backend not in _ROCM_FA_BACKENDS:
            names = ", ".join(_ROCM_FA_BACKENDS)
            raise RuntimeError(f"Unknown input value. Choose from: {names}.")
        _rocm_fa_backend = _ROCM_FA_BACKENDS[backend]
    return _rocm_fa_backend


_BLAS_BACKENDS = {
    "default": _BlasBackend("Cublas", 1),
    "cublas": _BlasBackend("Cublas", 1),
    "cublaslt": _BlasBackend("Cublaslt", 2),
}
_blas_backend = _BLAS_BACKENDS["default"]


def preferred_blas_library(backend: Any = None) -> Any:
    """Set or return the library that matrix products on CUDA devices prefer.

    Args:
        backend: "default", "cublas" or "cublaslt"; None leaves the setting unchanged.

    Raises:
        RuntimeError: If `backend` is none of these.

    Example:
        >>> torch.backends.cuda.preferred_blas_library()
        <_BlasBackend.Cublas: 1>
    """
    global _blas_backend
    if isinstance(backend, str):
        if backend not in _BLAS_BACKENDS:
            raise RuntimeError(f"Unknown input value. Choose from: {', '.join(_BLAS_BACKENDS)}.")
        backend = _BLAS_BACKENDS[backend]
    if backend is not None:
        if not isinstance(backend, _BlasBackend):
            raise RuntimeError("Unknown input value type.")
        _blas_backend = backend
    return _blas_backend


_PRECISIONS = {"none": "highest", "ieee": "highest", "tf32": "high"}


class cuBLASModule:
    """The settings of matrix products on CUDA devices, as attributes of `matmul`.

    Example:
        >>> torch.backends.cuda.matmul.allow_tf32
        False
    """

    _SWITCHES = (
        "allow_fp16_reduced_precision_reduction",
        "allow_bf16_reduced_precision_reduction",
        "allow_fp16_accumulation",
    )

    def __init__(self) -> None:
        self.__dict__["_precision"] = "none"

    def __getattr__(self, name: str) -> Any:
        if name == "allow_tf32":
            return torch.get_float32_matmul_precision() != "highest"
        if name == "fp32_precision":
            return self._precision
        if name in self._SWITCHES:
            return getattr(_C, f"_get_cublas_{name}")()
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "allow_tf32":
            torch.set_float32_matmul_precision("high" if value else "highest")
            self.__dict__["_precision"] = "tf32" if value else "ieee"
        elif name == "fp32_precision":
            if value not in _PRECISIONS:
                raise RuntimeError(f"Invalid precision '{value}' for the matmul of CUDA devices")
            torch.set_float32_matmul_precision(_PRECISIONS[value])
            self.__dict__["_precision"] = value
        elif name in self._SWITCHES:
            getattr(_C, f"_set_cublas_{name}")(bool(value))
        else:
            raise AttributeError(f"Unknown attribute {name}")


matmul = cuBLASModule()


class cuFFTPlanCache:
    """The plans of Fourier transforms that are kept for a device, those that were used last.

    Example:
        >>> torch.backends.cuda.cufft_plan_cache.clear()  # doctest: +SKIP
    """

    def __init__(self, device_index: int) -> None:
        self.device_index = device_index

    @property
    def size(self) -> int:
        """The number of plans."""
        return _C._cufft_get_plan_cache_size(self._device())

    @property
    def max_size(self) -> int:
        """The most plans that are kept; fewer drop those that were not used for longest."""
        return _C._cufft_get_plan_cache_max_size(self._device())

    @max_size.setter
    def max_size(self, value: int) -> None:
        _C._cufft_set_plan_cache_max_size(self._device(), value)

    def clear(self) -> None:
        """Drop all plans."""
        _C._cufft_clear_plan_cache(self._device())

    def _device(self) -> int:
        torch.cuda.init()
        return torch.cuda.current_device() if self.device_index < 0 else self.device_index


class cuFFTPlanCacheManager:
    """The plan caches of all devices by index; the attributes are those of the current device.

    Example:
        >>> torch.backends.cuda.cufft_plan_cache[0].size  # doctest: +SKIP
        0
    """

    def __getitem__(self, device: Any) -> cuFFTPlanCache:
        index = torch.cuda._get_device_index(device)
        count = torch.cuda.device_count()
        if index < 0 or index >= count:
            raise RuntimeError(
                f"cufft_plan_cache: expected 0 <= device index < {count}, but got device with "
                f"index {index}"
            )
        return cuFFTPlanCache(index)

    def __getattr__(self, name: str) -> Any:
        return getattr(cuFFTPlanCache(-1), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(cuFFTPlanCache(-1), name, value)


cufft_plan_cache = cuFFTPlanCacheManager()


# ---- which kernels attention may use


def flash_sdp_enabled() -> bool:
    """Return whether attention may use the kernel that never stores the whole attention matrix.

    Example:
        >>> torch.backends.cuda.flash_sdp_enabled()
        True
    """
    return _C._get_flash_sdp_enabled()


def enable_flash_sdp(enabled: bool) -> None:
    """Set whether attention may use the kernel that never stores the whole attention matrix.

    Example:
        >>> torch.backends.cuda.enable_flash_sdp(True)
    """
    _C._set_sdp_use_flash(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Return whether attention may use the memory-efficient kernel.

    Example:
        >>> torch.backends.cuda.mem_efficient_sdp_enabled()
        True
    """
    return _C._get_mem_efficient_sdp_enabled()


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Set whether attention may use the memory-efficient kernel.

    Example:
        >>> torch.backends.cuda.enable_mem_efficient_sdp(True)
    """
    _C._set_sdp_use_mem_efficient(enabled)


def math_sdp_enabled() -> bool:
    """Return whether attention may use separate products and a softmax.

    Example:
        >>> torch.backends.cuda.math_sdp_enabled()
        True
    """
    return _C._get_math_sdp_enabled()


def enable_math_sdp(enabled: bool) -> None:
    """Set whether attention may use separate products and a softmax.

    Example:
        >>> torch.backends.cuda.enable_math_sdp(True)
    """
    _C._set_sdp_use_math(enabled)


def cudnn_sdp_enabled() -> bool:
    """Return whether attention may use cuDNN.

    Example:
        >>> torch.backends.cuda.cudnn_sdp_enabled()
        True
    """
    return _C._get_cudnn_sdp_enabled()


def enable_cudnn_sdp(enabled: bool) -> None:
    """Set whether attention may use cuDNN.

    Example:
        >>> torch.backends.cuda.enable_cudnn_sdp(True)
    """
    _C._set_sdp_use_cudnn(enabled)


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Return whether attention by separate products may add in 16-bit floats.

    Example:
        >>> torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed()
        False
    """
    return _C._get_math_sdp_allow_fp16_bf16_reduction()


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Set whether attention by separate products may add in 16-bit floats.

    Example:
        >>> torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(False)
    """
    _C._set_math_sdp_allow_fp16_bf16_reduction(enabled)


def is_flash_attention_available() -> bool:
    """Return whether this build has PyTorch's flash attention kernel for CUDA devices: it has not.

    Example:
        >>> torch.backends.cuda.is_flash_attention_available()
        False
    """
    return False


@contextlib.contextmanager
def sdp_kernel(
    enable_flash: bool = True,
    enable_math: bool = True,
    enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
) -> Iterator[None]:
    """Context manager that sets which kernels attention may use. Deprecated.

    Args:
        enable_flash: As for `enable_flash_sdp`.
        enable_math: As for `enable_math_sdp`.
        enable_mem_efficient: As for `enable_mem_efficient_sdp`.
        enable_cudnn: As for `enable_cudnn_sdp`.

    Example:
        >>> with torch.backends.cuda.sdp_kernel(enable_math=False):  # doctest: +SKIP
        ...     torch.backends.cuda.math_sdp_enabled()
        False
    """
    warnings.warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager "
        "will be removed. Please see `torch.nn.attention.sdpa_kernel()` for the new context "
        "manager, with updated signature.",
        FutureWarning,
        stacklevel=3,
    )
    settings = (
        (flash_sdp_enabled, enable_flash_sdp, enable_flash),
        (math_sdp_enabled, enable_math_sdp, enable_math),
        (mem_efficient_sdp_enabled, enable_mem_efficient_sdp, enable_mem_efficient),
        (cudnn_sdp_enabled, enable_cudnn_sdp, enable_cudnn),
    )
    before = [get() for get, _, _ in settings]
    try:
        for _, enable, wanted in settings:
            enable(wanted)
        yield
    finally:
        for (_, enable, _), value in zip(settings, before, strict=True):
            enable(value)
