"""Probe whether the driver is new enough for the CUDA toolkit."""

from __future__ import annotations

import ctypes

from . import ProbeContext, ProbeResult
from .build_tool import version_tuple
from .cuda_toolkit import find_nvcc, nvcc_release


def probe(context: ProbeContext, language: str) -> ProbeResult:
    """Compare major versions; a driver supports all toolkits of its major version."""
    nvcc = find_nvcc(context, language)
    if not nvcc:
        return ProbeResult(True, "there is no nvcc", applies=False)
    driver = driver_release()
    if not driver:
        return ProbeResult(True, "there is no driver (libcuda.so.1)", applies=False)
    toolkit = nvcc_release(context, nvcc)
    reason = f"the driver supports CUDA {driver}, the toolkit is {toolkit}"
    return ProbeResult(version_tuple(driver)[:1] >= version_tuple(toolkit)[:1], reason)


def driver_release() -> str:
    """Return the newest CUDA version that the driver supports; empty without a driver."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
        version = ctypes.c_int()
        if library.cuDriverGetVersion(ctypes.byref(version)):
            return ""
    except (OSError, AttributeError):
        return ""
    return f"{version.value // 1000}.{version.value % 1000 // 10}"
