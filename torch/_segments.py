"""Reductions of consecutive segments, composed of operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._composites import wrapped_axis

if TYPE_CHECKING:
    from torch import Tensor

# The reductions: what they are called in scatter_reduce, and the result of no elements.
_REDUCTIONS = {
    "sum": ("sum", 0.0),
    "mean": ("sum", 0.0),
    "prod": ("prod", 1.0),
    "max": ("amax", float("-inf")),
    "amax": ("amax", float("-inf")),
    "min": ("amin", float("inf")),
    "amin": ("amin", float("inf")),
}


def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """Reduce consecutive segments of a dimension.

    Args:
        data: Elements, of a floating-point dtype.
        reduce: "sum", "mean", "max", "min" or "prod".
        lengths: The number of elements in each segment, in the last of its dimensions; the others are
            the first `axis` dimensions of `data`.
        indices: Not supported.
        offsets: Instead of `lengths`, where each segment starts, and where the last one ends.
        axis: The dimension with the segments, the last one of `lengths` or `offsets`.
        unsafe: Whether to skip the check of the lengths; elements after the last segment do not count.
        initial: A further element of each segment.

    Returns:
        A tensor of the shape of `data`, whose dimension `axis` has the size of the number of segments. A
        segment without elements has `initial` or else the reduction's neutral element, nan for a mean.

    Raises:
        RuntimeError: If `reduce` is unknown, the lengths do not fit, or neither lengths nor offsets are given.

    Example:
        >>> torch.segment_reduce(torch.tensor([1.0, 2.0, 3.0]), "sum", lengths=torch.tensor([2, 1]))
        tensor([3., 3.])
    """
    axis = wrapped_axis(axis, data.dim())
    sizes = _sizes(data, reduce, lengths, indices, offsets, axis)
    if not unsafe:
        _check_lengths(sizes, data.shape[axis])
    rows, count = data.shape[:axis].numel(), sizes.shape[-1]
    flat = sizes.reshape(rows, count).to(torch.int64)
    used = flat.sum(1)
    if rows != 1 or used[0] != data.shape[axis]:
        positions = torch.arange(data.shape[axis], device=data.device)
        elements = data.flatten(0, axis)[(positions < used.unsqueeze(1)).flatten()]
    else:
        elements = data.flatten(0, axis)
    segments = torch.arange(rows * count, device=data.device).repeat_interleave(flat.flatten())
    reduced = _reduced(elements, segments, flat.flatten(), reduce, initial)
    return reduced.reshape(*data.shape[:axis], count, *data.shape[axis + 1 :])


def _sizes(data: Any, reduce: str, lengths: Any, indices: Any, offsets: Any, axis: int) -> Tensor:
    """Check the kinds of arguments; return the lengths."""
    if reduce not in _REDUCTIONS:
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}"
        )
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if not data.is_floating_point():
        kind = data.type().rpartition(".")[2].removesuffix("Tensor")
        raise NotImplementedError(f"\"_segment_reduce_cpu\" not implemented for '{kind}'")
    given, name = (lengths, "lengths") if lengths is not None else (offsets, "offsets")
    if given is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if axis != given.dim() - 1:
        raise RuntimeError(
            f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}."
        )
    if given.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"segment_reduce(): {name} must be int32 or int64, not {given.dtype}")
    if given.shape[:-1] != data.shape[:axis]:
        raise RuntimeError(
            f"segment_reduce(): {name} has the dimensions {tuple(given.shape[:-1])} before axis, "
            f"but data has {tuple(data.shape[:axis])}"
        )
    return given if lengths is not None else given.diff()


def _check_lengths(sizes: Tensor, elements: int) -> None:
    if (sizes < 0).any():
        raise RuntimeError("lengths contains negative value!")
    if (sizes.sum(-1) != elements).any():
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to "
            "data.size(lengths.dim()-1) when !unsafe."
        )


def _reduced(
    elements: Tensor, segments: Tensor, sizes: Tensor, reduce: str, initial: float | None
) -> Tensor:
    """Reduce rows by the numbers of their segments."""
    kind, neutral = _REDUCTIONS[reduce]
    start = elements.new_full(
        (len(sizes), *elements.shape[1:]), neutral if initial is None else initial
    )
    shape = (-1, *[1] * (elements.dim() - 1))
    index = segments.view(shape).expand_as(elements)
    if elements.requires_grad and kind in ("amax", "amin"):
        return _Extremum.apply(elements, index, start, kind)
    if elements.requires_grad and kind == "prod" and elements.isnan().any():
        return _Product.apply(elements, index, start)
    result = start.scatter_reduce(0, index, elements, kind)
    if reduce != "mean":
        return result
    empty = float("nan") if initial is None else initial
    counts = sizes.view(shape).to(elements.dtype)
    return torch.where(counts == 0, empty, result / counts)


class _Extremum(torch.autograd.Function):
    """The largest or smallest element of each segment, or nan if there is one.

    The gradient goes in equal shares to the elements that are the result, and to each nan; the
    element that `initial` adds has no share.
    """

    @staticmethod
    def forward(ctx: Any, elements: Tensor, index: Tensor, start: Tensor, kind: str) -> Tensor:
        result = start.scatter_reduce(0, index, elements, kind)
        ctx.save_for_backward(elements, index, result)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None, None]:
        elements, index, result = ctx.saved_tensors
        chosen = ((elements == result.gather(0, index)) | elements.isnan()).to(grad.dtype)
        counts = torch.zeros_like(result).scatter_add(0, index, chosen)
        return (
            grad.gather(0, index) * chosen / counts.gather(0, index).clamp(min=1),
            None,
            None,
            None,
        )


class _Product(torch.autograd.Function):
    """The product of each segment; the gradient of a nan is the product of the other elements."""

    @staticmethod
    def forward(ctx: Any, elements: Tensor, index: Tensor, start: Tensor) -> Tensor:
        ctx.save_for_backward(elements, index, start)
        return start.scatter_reduce(0, index, elements, "prod")

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        elements, index, start = ctx.saved_tensors

        def total(values: Tensor, kind: str, first: Tensor) -> Tensor:
            return first.scatter_reduce(0, index, values, kind).gather(0, index)

        zero, nan = elements == 0, elements.isnan()
        special = zero | nan
        none = torch.zeros_like(start)
        others = total(elements.masked_fill(special, 1), "prod", start)
        other_zeros = total(zero.to(grad.dtype), "sum", none) - zero.to(grad.dtype)
        other_nans = total(nan.to(grad.dtype), "sum", none) - nan.to(grad.dtype)
        others = others / elements.masked_fill(special, 1)
        others = torch.where(other_zeros > 0, others * 0, others)
        others = others.masked_fill(other_nans > 0, float("nan"))
        return grad.gather(0, index) * others, None, None


_segment_reduce = segment_reduce  # its name before it was public
