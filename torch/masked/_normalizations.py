"""Masked functions whose results have the shape of the input: softmax, cumulative sums and the like."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.masked._arguments import fill_masked_out, highest, lowest, require_strided
from torch.masked._reductions import norm


def softmax(
    input: Tensor,
    dim: int | None,
    *,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the softmax of the elements that the mask keeps; others are 0, rows without any nan.

    Args:
        input: The elements.
        dim: The dimension along which the results sum to 1; the first if None.
        dtype: The dtype of the result; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.softmax(torch.tensor([1.0, 9.0, 1.0]), 0, mask=mask)
        tensor([0.5000, 0.0000, 0.5000])
    """
    require_strided("softmax", input)
    dtype = input.dtype if dtype is None else dtype
    filled = fill_masked_out(input.to(dtype), mask, lowest("softmax", dtype))
    return torch.softmax(filled, dim or 0)


def log_softmax(
    input: Tensor,
    dim: int | None,
    *,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the logarithm of the softmax of the elements that the mask keeps; others are -inf.

    Args:
        input: The elements.
        dim: The dimension along which the exponentials of the results sum to 1; the first if None.
        dtype: The dtype of the result; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.log_softmax(torch.tensor([1.0, 9.0, 1.0]), 0, mask=mask)
        tensor([-0.6931, -inf, -0.6931])
    """
    require_strided("log_softmax", input)
    dtype = input.dtype if dtype is None else dtype
    filled = fill_masked_out(input.to(dtype), mask, lowest("log_softmax", dtype))
    return torch.log_softmax(filled, dim or 0)


def softmin(
    input: Tensor,
    dim: int | None,
    *,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the softmax of the negative elements that the mask keeps.

    Args:
        input: The elements.
        dim: The dimension along which the results sum to 1; the first if None.
        dtype: The dtype of the result; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.softmin(torch.tensor([1.0, 0.0, 1.0]), 0, mask=mask)
        tensor([0.5000, 0.0000, 0.5000])
    """
    require_strided("softmin", input)
    dtype = input.dtype if dtype is None else dtype
    filled = fill_masked_out(input.to(dtype), mask, highest("softmin", dtype))
    return torch.softmax(-filled, dim or 0)


def normalize(
    input: Tensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Divide the elements that the mask keeps by their norm; the others are 0.

    Args:
        input: The elements, of a floating or complex dtype.
        ord: The order of the norm; see torch.linalg.vector_norm.
        dim: The dimension along which the norm is computed.
        eps: The smallest divisor.
        dtype: The dtype of the result; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.normalize(torch.tensor([3.0, 9.0, 4.0]), 2, 0, mask=mask)
        tensor([0.6000, 0.0000, 0.8000])
    """
    require_strided("normalize", input)
    divisor = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    kept = fill_masked_out(input if dtype is None else input.to(dtype), mask, 0)
    return kept / divisor.clamp_min(eps)


def cumsum(
    input: Tensor,
    dim: int | None,
    *,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the cumulative sum of the elements that the mask keeps; others count as 0.

    Args:
        input: The elements.
        dim: The dimension to sum along; the first if None.
        dtype: The dtype of the sums; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.cumsum(torch.tensor([1, 2, 3]), 0, mask=mask)
        tensor([1, 1, 4])
    """
    require_strided("cumsum", input)
    dtype = input.dtype if dtype is None else dtype
    return torch.cumsum(fill_masked_out(input.to(dtype), mask, 0), dim or 0).to(dtype)


def cumprod(
    input: Tensor,
    dim: int | None,
    *,
    dtype: torch.dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Return the cumulative product of the elements that the mask keeps; others count as 1.

    Args:
        input: The elements.
        dim: The dimension to multiply along; the first if None.
        dtype: The dtype of the products; that of the input if None.
        mask: True for elements to keep; it broadcasts to the input.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked.cumprod(torch.tensor([2, 2, 3]), 0, mask=mask)
        tensor([2, 2, 6])
    """
    require_strided("cumprod", input)
    dtype = input.dtype if dtype is None else dtype
    return torch.cumprod(fill_masked_out(input.to(dtype), mask, 1), dim or 0).to(dtype)


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: torch.dtype | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """Return the logarithm of the sum of two tensors' exponentials; masked elements count as -inf.

    Args:
        input: One tensor.
        other: The other, of the same shape.
        dtype: The dtype of the result; that of the input if None.
        input_mask: True for elements of `input` to keep.
        other_mask: True for elements of `other` to keep.

    Example:
        >>> import torch.masked
        >>> mask = torch.tensor([True, False])
        >>> torch.masked.logaddexp(torch.zeros(2), torch.ones(2), input_mask=mask)
        tensor([1.3133, 1.0000])
    """
    if input.layout is not torch.strided or other.layout is not torch.strided:
        raise ValueError(
            f"masked logaddexp expects strided tensors (got {input.layout} tensor for input, "
            f"{other.layout} for other)"
        )
    dtype = input.dtype if dtype is None else dtype
    left = fill_masked_out(input.to(dtype), input_mask, lowest("logaddexp", dtype))
    right = fill_masked_out(other.to(dtype), other_mask, lowest("logaddexp", dtype))
    return torch.logaddexp(left, right).to(dtype)
