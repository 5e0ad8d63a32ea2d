"""Masked reductions, each by an ordinary reduction of the input filled with its identity."""

from __future__ import annotations

import builtins

import torch
from torch import Tensor
from torch.masked._arguments import (
    Dims,
    canonical_dims,
    fill_masked_out,
    highest,
    lowest,
    require_strided,
    summed_dtype,
)
from torch.masked.maskedtensor.core import is_masked_tensor


def sum(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the sum of the elements that the mask keeps; 0 where it keeps none.

    Args:
        input: The elements.
        dim: The dimensions to sum over; all if None.
        keepdim: Whether those dimensions stay, with size 1.
        dtype: The dtype of the sum; int64 for integers if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.sum(torch.tensor([1, 2, 3]), mask=mask)
        tensor(4)
    """
    dtype = summed_dtype(input, dtype)
    if input.layout is not torch.strided and not is_masked_tensor(input):
        from torch.masked import _sparse

        return _sparse.reduce("sum", input, dim, keepdim, dtype, mask, 0)
    filled = fill_masked_out(input.to(dtype), mask, 0)
    dims = canonical_dims(dim, input.ndim)
    return torch.sum(filled, dims, keepdim=keepdim, dtype=dtype) if dims else filled.clone()


def prod(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the product of the elements that the mask keeps; 1 where it keeps none.

    Args:
        input: The elements.
        dim: The dimensions to multiply over; all if None.
        keepdim: Whether those dimensions stay, with size 1.
        dtype: The dtype of the product; int64 for integers if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.prod(torch.tensor([2, 0, 3]), mask=mask)
        tensor(6)
    """
    dtype = summed_dtype(input, dtype)
    if input.layout is not torch.strided and not is_masked_tensor(input):
        from torch.masked import _sparse

        return _sparse.reduce("prod", input, dim, keepdim, dtype, mask, 1)
    result = fill_masked_out(input.to(dtype), mask, 1)
    for each in reversed(canonical_dims(dim, input.ndim)):
        result = torch.prod(result, each, keepdim=keepdim)
    return result


def amax(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the largest of the elements that the mask keeps; the lowest number if it keeps none.

    Args:
        input: The elements.
        dim: The dimensions to reduce; all if None.
        keepdim: Whether those dimensions stay, with size 1.
        dtype: The dtype of the result; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([[True, False], [False, False]])
        >>> torch.masked.amax(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, mask=mask)
        tensor([1., -inf])
    """
    dtype = input.dtype if dtype is None else dtype
    identity = lowest("amax", dtype)
    if input.layout is not torch.strided and not is_masked_tensor(input):
        from torch.masked import _sparse

        return _sparse.reduce("amax", input, dim, keepdim, dtype, mask, identity)
    filled = fill_masked_out(input.to(dtype), mask, identity)
    dims = canonical_dims(dim, input.ndim)
    return torch.amax(filled, dims, keepdim) if dims else filled.clone()


def amin(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the smallest of the elements that the mask keeps; the highest number if it keeps none.

    Args:
        input: The elements.
        dim: The dimensions to reduce; all if None.
        keepdim: Whether those dimensions stay, with size 1.
        dtype: The dtype of the result; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([[False, True], [False, False]])
        >>> torch.masked.amin(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, mask=mask)
        tensor([2., inf])
    """
    dtype = input.dtype if dtype is None else dtype
    identity = highest("amin", dtype)
    if input.layout is not torch.strided and not is_masked_tensor(input):
        from torch.masked import _sparse

        return _sparse.reduce("amin", input, dim, keepdim, dtype, mask, identity)
    filled = fill_masked_out(input.to(dtype), mask, identity)
    dims = canonical_dims(dim, input.ndim)
    return torch.amin(filled, dims, keepdim) if dims else filled.clone()


def argmax(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the index of the largest of the elements that the mask keeps.

    Args:
        input: The elements.
        dim: The dimension to search; the index is into the flattened input if None.
        keepdim: Whether that dimension stays, with size 1.
        dtype: The dtype of the elements and of the result; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, True, False])
        >>> torch.masked.argmax(torch.tensor([1, 2, 3]), mask=mask)
        tensor(1)
    """
    require_strided("argmax", input)
    dtype = input.dtype if dtype is None else dtype
    filled = fill_masked_out(input, mask, lowest("argmax", input.dtype))
    return torch.argmax(filled, dim, builtins.bool(keepdim)).to(dtype)


def argmin(
    input: Tensor,
    dim: int | None = None,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the index of the smallest of the elements that the mask keeps.

    Args:
        input: The elements.
        dim: The dimension to search; the index is into the flattened input if None.
        keepdim: Whether that dimension stays, with size 1.
        dtype: The dtype of the result; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([False, True, True])
        >>> torch.masked.argmin(torch.tensor([1, 2, 3]), mask=mask)
        tensor(1)
    """
    require_strided("argmin", input)
    dtype = input.dtype if dtype is None else dtype
    filled = fill_masked_out(input, mask, highest("argmin", input.dtype))
    return torch.argmin(filled, dim, builtins.bool(keepdim)).to(dtype)


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the vector norm of the elements that the mask keeps.

    Args:
        input: The elements, of a floating or complex dtype.
        ord: The order of the norm; see torch.linalg.vector_norm.
        dim: The dimensions to reduce; all if None.
        keepdim: Whether those dimensions stay, with size 1.
        dtype: The dtype of the norm; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.norm(torch.tensor([3.0, 9.0, 4.0]), 2, mask=mask)
        tensor(5.)
    """
    require_strided("norm", input)
    fill = float("inf") if ord == float("-inf") else 0.0
    filled = fill_masked_out(input, mask, fill)
    dims = canonical_dims(dim, input.ndim)
    return torch.linalg.vector_norm(filled, ord, dims or None, keepdim, dtype=dtype)


def logsumexp(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the logarithm of the sum of exponentials of the elements that the mask keeps.

    Args:
        input: The elements.
        dim: The dimensions to reduce; all if None.
        keepdim: Whether those dimensions stay, with size 1.
        dtype: The dtype of the elements; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([[True, False], [False, False]])
        >>> torch.masked.logsumexp(torch.ones(2, 2), 1, mask=mask)
        tensor([1., -inf])
    """
    require_strided("logsumexp", input)
    dtype = input.dtype if dtype is None else dtype
    least = float("-inf") if dtype.is_complex else lowest("logsumexp", dtype)
    filled = fill_masked_out(input.to(dtype), mask, least)
    return torch.logsumexp(filled, canonical_dims(dim, input.ndim), keepdim=keepdim).to(dtype)
