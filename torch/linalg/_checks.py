"""Checks of arguments that the composed functions of torch.linalg share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor


def check_matrix(A: Tensor, function: str, argument: str = "A") -> None:
    """Raise RuntimeError unless a tensor holds matrices."""
    if A.dim() < 2:
        raise RuntimeError(
            f"{function}: The input tensor {argument} must have at least 2 dimensions."
        )


def check_square(A: Tensor, function: str) -> None:
    """Raise RuntimeError unless a tensor holds square matrices."""
    check_matrix(A, function)
    rows, columns = A.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{function}: A must be batches of square matrices, but they are {rows} by {columns} "
            "matrices"
        )


def all_true(conditions: Tensor) -> bool:
    """Return whether all conditions hold, of all elements of a vmap together."""
    if type(conditions) is not torch.Tensor:
        conditions = torch.func.debug_unwrap(conditions)
    return bool(conditions.all())
