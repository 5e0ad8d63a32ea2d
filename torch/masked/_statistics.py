"""Masked means, medians and variances."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.masked._arguments import (
    Dims,
    broadcast_mask,
    canonical_dims,
    fill_masked_out,
    require_strided,
)
from torch.masked._reductions import sum
from torch.masked.maskedtensor.core import is_masked_tensor


def mean(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the mean of the elements that the mask keeps; nan where it keeps none.

    Args:
        input: The elements, of a floating or complex dtype unless `dtype` is given.
        dim: The dimensions to reduce; all if None.
        keepdim: Whether those dimensions stay, with size 1.
        dtype: The dtype of the mean; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Raises:
        ValueError: If the result would have an integer dtype.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.mean(torch.tensor([1.0, 2.0, 5.0]), mask=mask)
        tensor(3.)
    """
    dtype = input.dtype if dtype is None else dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            "mean(): Could not infer output dtype. Input dtype must be either a floating point or "
            f"complex dtype. Got: {dtype}"
        )
    if input.layout is not torch.strided and not is_masked_tensor(input):
        from torch.masked import _sparse

        return _sparse.reduce("mean", input, dim, keepdim, dtype, mask, 0)
    dims = canonical_dims(dim, input.ndim)
    if mask is None:
        return torch.mean(input, dims, keepdim, dtype=dtype) if dims else input.to(dtype, copy=True)
    total = sum(input, dims, keepdim=keepdim, dtype=dtype, mask=mask)
    return total / count(input, mask, dims, keepdim)


def median(
    input: Tensor,
    dim: int = -1,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the median of the elements that the mask keeps, the lower one of two; nan if none.

    Args:
        input: The elements.
        dim: The dimension to reduce.
        keepdim: Whether that dimension stays, with size 1.
        dtype: The dtype of the elements; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Raises:
        ValueError: If the mask keeps no element of a row of integers.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True, True])
        >>> torch.masked.median(torch.tensor([4.0, 2.0, 1.0, 3.0]), 0, mask=mask)
        tensor(3.)
    """
    require_strided("median", input)
    dtype = input.dtype if dtype is None else dtype
    dim = (canonical_dims(-1 if dim is None else dim, input.ndim) or (0,))[0]
    if mask is None:
        return torch.median(input.to(dtype), dim, keepdim).values
    kept = broadcast_mask(input, mask)
    if not dtype.is_floating_point:
        if not kept.any(dim).all():
            raise ValueError(
                "masked median expects no fully masked out rows if dtype is not floating point"
            )
        return _exact_median(input.to(dtype), kept, dim, keepdim)
    filled = fill_masked_out(input.to(dtype), kept, float("nan"))
    return torch.nanmedian(filled, dim, keepdim).values


def _exact_median(input: Tensor, kept: Tensor, dim: int, keepdim: bool) -> Tensor:
    filled = fill_masked_out(input, kept, torch.iinfo(input.dtype).max)
    ordered = filled.sort(dim).values
    found = ordered.gather(dim, (kept.sum(dim, keepdim=True) - 1) // 2)
    return found if keepdim else found.squeeze(dim)


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the variance of the elements that the mask keeps; nan where it keeps none.

    Args:
        input: The elements; integers are converted to the default dtype.
        dim: The dimensions to reduce; all if None.
        unbiased: Whether to divide by the number of elements less one; True if None.
        correction: The number to subtract from the number of elements, instead of `unbiased`.
        keepdim: Whether the reduced dimensions stay, with size 1.
        dtype: The dtype of the variance; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Raises:
        ValueError: If both `unbiased` and `correction` are given.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.var(torch.tensor([1.0, 9.0, 3.0]), mask=mask)
        tensor(2.)
    """
    return _variance(input, dim, _correction(unbiased, correction), keepdim, dtype, mask)


def std(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the standard deviation of the elements that the mask keeps; see :func:`var`.

    Args:
        input: The elements; integers are converted to the default dtype.
        dim: The dimensions to reduce; all if None.
        unbiased: Whether to divide by the number of elements less one; True if None.
        correction: The number to subtract from the number of elements, instead of `unbiased`.
        keepdim: Whether the reduced dimensions stay, with size 1.
        dtype: The dtype of the deviation; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Raises:
        ValueError: If both `unbiased` and `correction` are given.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.std(torch.tensor([1.0, 9.0, 3.0]), unbiased=False, mask=mask)
        tensor(1.)
    """
    return torch.sqrt(
        _variance(input, dim, _correction(unbiased, correction), keepdim, dtype, mask)
    )


def count(input: Tensor, mask: Tensor | None, dims: tuple[int, ...], keepdim: bool) -> Tensor:
    """Return how many elements the mask keeps for each result."""
    kept = torch.ones(input.shape, dtype=torch.int64, device=input.device)
    return sum(kept, dims, keepdim=keepdim, mask=mask)


def _correction(unbiased: bool | None, correction: float | None) -> float:
    if unbiased is not None and correction is not None:
        raise ValueError("Only one of unbiased and correction may be given")
    if correction is not None:
        return correction
    return 0.0 if unbiased is False else 1.0


def _variance(
    input: Tensor,
    dim: Dims,
    correction: float,
    keepdim: bool,
    dtype: torch.dtype | None,
    mask: Tensor | None,
) -> Tensor:
    require_strided("std/var", input)
    if dtype is None:
        exact = not (input.dtype.is_floating_point or input.dtype.is_complex)
        dtype = torch.get_default_dtype() if exact else input.dtype
    dims = canonical_dims(dim, input.ndim)
    number = count(input, mask, dims, True)
    centre = sum(input, dims, keepdim=True, dtype=dtype, mask=mask) / number
    difference = input.to(dtype) - centre
    squares = difference * difference.conj()
    total = sum(squares, dims, keepdim=keepdim, dtype=dtype, mask=mask)
    number = number if keepdim else number.reshape(total.shape)
    # A row without elements would be 0 / -1: it has no variance.
    divisor = torch.where(number == 0, 0, number - correction).clamp_min(0)
    return total / divisor.to(total.real.dtype)
