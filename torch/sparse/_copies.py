"""The functions of torch that copy the indices or the values of a sparse tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

Tensor = torch.Tensor


def _copy_of(method: str, layout: str) -> Callable[..., Tensor]:
    """Return a function that copies what a method of a sparse tensor returns."""

    def function(input: Tensor, *, out: Any = None) -> Tensor:
        copied = getattr(input, method)().clone()
        return copied if out is None else out.resize_(copied.shape).copy_(copied)

    name = f"{method}_copy"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Copy what `Tensor.{method}` returns.\n\nArgs:\n    input: A sparse tensor.\n"
        "    out: The tensor to write to.\n\nRaises:\n"
        f"    RuntimeError: If the layout of `input` has no such part.\n\nExample:\n"
        f"    >>> a = torch.eye(2).to_sparse({layout})\n"
        f"    >>> torch.equal(torch.{name}(a), a.{method}())\n    True\n"
    )
    return function


indices_copy = _copy_of("indices", "")
values_copy = _copy_of("values", "")
crow_indices_copy = _copy_of("crow_indices", "layout=torch.sparse_csr")
col_indices_copy = _copy_of("col_indices", "layout=torch.sparse_csr")
ccol_indices_copy = _copy_of("ccol_indices", "layout=torch.sparse_csc")
row_indices_copy = _copy_of("row_indices", "layout=torch.sparse_csc")
