"""Operators of the namespace aten that are declared when they are first asked for, with kernels in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import _C

_OPERATORS: dict[str, tuple[str, Callable[..., Any]]] = {
    "_pin_memory": (
        "(Tensor self, Device? device=None) -> Tensor",
        lambda self, device=None: self.pin_memory(),
    ),
    "_is_all_true": ("(Tensor self) -> Tensor", lambda self: self.all()),
    "_is_any_true": ("(Tensor self) -> Tensor", lambda self: self.any()),
    "angle": ("(Tensor self) -> Tensor", lambda self: torch.angle(self)),
}


def _sparse_mm_reduce(self: Any, other: Any, reduce: str) -> Any:
    raise NotImplementedError(
        "the indices of the products that amax and amin choose are not computed; "
        "torch.sparse.mm(self, other, reduce) computes the product"
    )


_OPERATORS |= {
    "_sparse_addmm": (
        "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        lambda self, mat1, mat2, beta=1, alpha=1: beta * self + alpha * (mat1 @ mat2),
    ),
    "_sparse_mm_reduce_impl": (
        "(Tensor self, Tensor other, str reduce) -> (Tensor, Tensor)",
        _sparse_mm_reduce,
    ),
}
_libraries: list[Any] = []


def declare(name: str) -> bool:
    """Declare an operator of the table; return whether there is one of that name."""
    if name not in _OPERATORS:
        return False
    schema, kernel = _OPERATORS.pop(name)
    library = _C._DispatchLibrary("FRAGMENT", "aten", "")
    library.define(name + schema)
    library.impl(name, "CompositeImplicitAutograd", kernel)
    _libraries.append(library)
    return True
