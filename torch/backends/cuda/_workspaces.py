"""The memory that libraries of matrix products work in."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C


def cublas_workspace_size(size: int | None = None) -> int:
    """Set or return the bytes of cuBLAS's workspace, which each handle has for each stream.

    Args:
        size: The new size, which handles get when they are used next. None changes nothing.

    Raises:
        ValueError: If `size` is negative.

    Example:
        >>> torch.backends.cuda.cublas_workspace_size(8 << 20)  # doctest: +SKIP
        8388608
    """
    torch.cuda.init()
    if size is not None:
        if size < 0:
            raise ValueError(f"the size of a workspace must not be negative, but is {size}")
        _C._cuda_setCublasWorkspaceSize(size)
    return _C._cuda_getCublasWorkspaceSize()


def cublaslt_workspace_size(size: int | None = None) -> int:
    """Raise NotImplementedError: no operator uses cuBLASLt.

    Example:
        >>> torch.backends.cuda.cublaslt_workspace_size()  # doctest: +SKIP
    """
    torch.cuda.init()
    raise NotImplementedError("no operator uses cuBLASLt; cublas_workspace_size is cuBLAS's")


def blas_workspace_size(size: int | None = None, backend: Any = None) -> int:
    """Set or return the bytes of the workspace of a library of matrix products.

    Args:
        size: The new size; None changes nothing.
        backend: "cublas" or "cublaslt"; None for `preferred_blas_library`.

    Example:
        >>> torch.backends.cuda.blas_workspace_size()  # doctest: +SKIP
        33554432
    """
    preferred = torch.backends.cuda.preferred_blas_library
    name = preferred().name if backend is None else getattr(backend, "name", backend)
    if str(name).lower() == "cublaslt":
        return cublaslt_workspace_size(size)
    return cublas_workspace_size(size)
