"""When CUDA starts: at its first use, not at import, and not in a process forked after that."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable

import torch
from torch import _C

_initialized = False
_local = threading.local()
_lock = threading.Lock()
_queued: list[tuple[Callable[[], object], list[str]]] = []

_NOT_COMPILED = "Torch not compiled with CUDA enabled"


class DeferredCudaCallError(Exception):
    """Raised when a call that waited for CUDA to start fails."""


def is_compiled() -> bool:
    return hasattr(_C, "_cuda_getDeviceCount")


def is_in_bad_fork() -> bool:
    return is_compiled() and _C._cuda_isInBadFork()


def require_build() -> None:
    if not is_compiled():
        raise AssertionError(_NOT_COMPILED)


def is_initialized() -> bool:
    """Return whether CUDA has started in this process.

    Example:
        >>> torch.cuda.is_initialized()
        False
    """
    return _initialized and not is_in_bad_fork()


def is_available() -> bool:
    """Return whether there is a CUDA device that this build can use. This does not start CUDA.

    Example:
        >>> torch.device("cuda" if torch.cuda.is_available() else "cpu")
        device(type='cpu')
    """
    return is_compiled() and _C._cuda_getDeviceCount() > 0


def init() -> None:
    """Start CUDA, which its first use does otherwise.

    Raises:
        AssertionError: In a build without CUDA.
        RuntimeError: Without a device, and in a process forked after CUDA had started.

    Example:
        >>> torch.cuda.init()
        Traceback (most recent call last):
            ...
        AssertionError: Torch not compiled with CUDA enabled
    """
    lazy_init()


def lazy_init() -> None:
    global _initialized
    if is_initialized() or hasattr(_local, "starting"):
        return
    with _lock:
        if is_initialized():
            return
        if is_in_bad_fork():
            raise RuntimeError(
                "Cannot re-initialize CUDA in forked subprocess. To use CUDA with "
                "multiprocessing, you must use the 'spawn' start method"
            )
        require_build()
        _C._cuda_init()
        torch.cuda.default_generators = _C._cuda_defaultGenerators()
        _local.starting = True
        try:
            for call, origin in _queued:
                try:
                    call()
                except Exception as error:
                    raise DeferredCudaCallError(
                        f"CUDA call failed lazily at initialization with error: {error}\n\n"
                        f"CUDA call was originally invoked at:\n\n{''.join(origin)}"
                    ) from error
            _queued.clear()
        finally:
            del _local.starting
        _initialized = True


def lazy_call(call: Callable[[], object]) -> None:
    """Call a function now if CUDA has started, otherwise when it starts."""
    if is_initialized():
        call()
    else:
        _queued.append((call, traceback.format_stack()))


class CudaError(RuntimeError):
    """Raised when a function of the CUDA runtime returns an error."""

    def __init__(self, code: int) -> None:
        super().__init__(f"{_C._cuda_getErrorString(code)} ({code})")


class cudaStatus:
    """Codes that functions of the CUDA runtime return.

    Example:
        >>> torch.cuda.cudaStatus.SUCCESS
        0
    """

    SUCCESS = 0
    ERROR_NOT_READY = 34


def check_error(res: int) -> None:
    """Raise CudaError unless a code is cudaStatus.SUCCESS.

    Example:
        >>> torch.cuda.check_error(0)  # doctest: +SKIP
    """
    require_build()
    if res != cudaStatus.SUCCESS:
        raise CudaError(res)


class _Runtime:
    """The functions of the CUDA runtime that programs call through `torch.cuda.cudart()`."""

    @staticmethod
    def cudaMemGetInfo(device: int) -> tuple[int, int]:
        return _C._cuda_memGetInfo(device)

    @staticmethod
    def cudaDeviceSynchronize() -> int:
        _C._cuda_synchronize()
        return 0

    @staticmethod
    def cudaGetErrorString(code: int) -> str:
        return _C._cuda_getErrorString(code)

    @staticmethod
    def cudaProfilerStart() -> int:
        return _C._cuda_profilerStart()

    @staticmethod
    def cudaProfilerStop() -> int:
        return _C._cuda_profilerStop()


def cudart() -> type[_Runtime]:
    """Return an object whose methods are functions of the CUDA runtime; this starts CUDA.

    Example:
        >>> free, total = torch.cuda.cudart().cudaMemGetInfo(0)  # doctest: +SKIP
    """
    lazy_init()
    return _Runtime
