"""Covariance and correlation of variables."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import torch
from torch._outputs import kind_of

if TYPE_CHECKING:
    from torch import Tensor


def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Estimate the covariance of variables.

    Args:
        input: A matrix with a row for each variable, or a vector.
        correction: What to subtract from the number of observations before dividing.
        fweights: How often each observation occurs.
        aweights: The weight of each observation.

    Example:
        >>> torch.cov(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    if input.dim() > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input.dim()} dimensions"
        )
    if input.dtype == torch.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input.reshape(1, -1) if input.dim() < 2 else input
    _check_weights("fweights", fweights, rows.shape[1])
    _check_weights("aweights", aweights, rows.shape[1])
    if not (rows.dtype.is_floating_point or rows.dtype.is_complex):
        rows = rows.to(torch.get_default_dtype())
    weights = fweights
    if aweights is not None:
        weights = aweights if weights is None else weights * aweights
    size: Any
    if weights is None:
        mean = rows.mean(1, keepdim=True) if rows.shape[1] else rows.sum(1, keepdim=True)
        size = rows.shape[1] - correction
    else:
        total = weights.sum()
        mean = (rows * weights).sum(1, keepdim=True) / total
        size = total - correction
        if aweights is not None and correction != 0:
            size = total - correction * (weights * aweights).sum() / total
    if size <= 0:
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
            "observations.",
            stacklevel=2,
        )
    centred = rows - mean
    weighted = centred if weights is None else centred * weights
    divisor = size.clamp(min=0) if isinstance(size, torch.Tensor) else max(size, 0)
    result = weighted @ centred.mH / divisor
    return result.squeeze()


def _check_weights(name: str, weights: Tensor | None, observations: int) -> None:
    """Raise RuntimeError unless there is one weight of the right kind for each observation."""
    if weights is None:
        return
    if weights.dim() > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
            f"{weights.dim()} dimensions"
        )
    floating = weights.is_floating_point()
    if floating != (name == "aweights") or weights.is_complex() or weights.dtype == torch.bool:
        raise RuntimeError(
            f"cov(): expected {name} to have {'integral' if name == 'fweights' else 'floating point'} dtype "
            f"but got {name} with {kind_of(weights)} dtype"
        )
    if weights.numel() != observations:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights.numel()} != {observations}"
        )
    if observations and (weights < 0).any().item():
        raise RuntimeError(f"cov(): {name} cannot be negative")


def corrcoef(input: Tensor) -> Tensor:
    """Estimate the correlation of variables, the rows of a matrix.

    Example:
        >>> torch.corrcoef(torch.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    matrix = cov(input)
    if matrix.dim() == 0:
        return matrix / matrix
    deviation = torch.sqrt(matrix.diagonal())
    if matrix.is_complex():
        deviation = torch.sqrt(torch.real(matrix.diagonal()))
    result = matrix / deviation.unsqueeze(1) / deviation.unsqueeze(0)
    return result if result.is_complex() else result.clamp(-1, 1)
