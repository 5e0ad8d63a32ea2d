"""Functions that select, fill or move elements, composed of operators."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._checks import alert_not_deterministic, refuse_overlap
from torch._outputs import into, kind_of
from torch._torch_function import handle_torch_function, has_torch_function_unary

if TYPE_CHECKING:
    from torch import Tensor


# ---- views ---------------------------------------------------------------------------------------
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Exchange two dimensions, as `transpose` does under other names.

    Example:
        >>> torch.swapaxes(torch.zeros(2, 3), 0, 1).shape
        torch.Size([3, 2])
    """
    return input.transpose(axis0, axis1)


def ravel(input: Tensor) -> Tensor:
    """Return the elements in one dimension.

    Example:
        >>> torch.ravel(torch.zeros(2, 3)).shape
        torch.Size([6])
    """
    return input.contiguous().view(-1)


def adjoint(input: Tensor) -> Tensor:
    """Return the conjugate transpose of matrices.

    Example:
        >>> torch.adjoint(torch.tensor([[1j, 2.0]]))
        tensor([[0.-1.j],
                [2.-0.j]])
    """
    if input.dim() < 2:
        raise RuntimeError(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got "
            f"{input.dim()}-D tensor."
        )
    return input.mH


def is_inference(input: Tensor) -> bool:
    """Return whether a tensor was made in inference mode.

    Example:
        >>> torch.is_inference(torch.zeros(2))
        False
    """
    return input.is_inference()


def get_device(input: Tensor) -> int:
    """Return the index of a tensor's device, or -1 if it has none.

    Example:
        >>> torch.get_device(torch.ones(1))
        -1
    """
    return input.get_device()


def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Copy a range of a dimension.

    Example:
        >>> torch.narrow_copy(torch.arange(4), 0, 1, 2)
        tensor([1, 2])
    """
    return input.narrow(dim, start, length).clone(memory_format=torch.contiguous_format)


# ---- elements by their position ------------------------------------------------------------------
def _is_mapped(tensor: Tensor) -> bool:
    """Return whether the tensor belongs to a transform of torch.func, such as a vmap."""
    return hasattr(tensor, "_level")


def _check_positions(input: Tensor, index: Tensor) -> Tensor:
    """Return non-negative positions in the flattened tensor."""
    total = input.numel()
    if index.is_cpu and index.numel() and not _is_mapped(index):
        lowest, highest = index.aminmax()
        if lowest >= 0 and highest < total:
            return index
    wrong = (index < -total) | (index >= total)
    given = index
    if _is_mapped(wrong):  # all elements are checked
        wrong, given = torch.func.debug_unwrap(wrong), torch.func.debug_unwrap(index)
    if bool(wrong.any()):
        raise IndexError(
            f"out of range: tried to access index {int(given[wrong][0])} on a tensor of {total} "
            "elements."
        )
    return torch.where(index < 0, index + total, index)


def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements at positions in the flattened tensor.

    Args:
        input: The elements.
        index: The positions, as int64; the result has its shape.
        out: The tensor to write to.

    Raises:
        IndexError: If a position is outside of the tensor.

    Example:
        >>> torch.take(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([3, 0]))
        tensor([4., 1.])
    """
    if index.dtype != torch.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {kind_of(index)}")
    if input.numel() == 0 and index.numel():
        raise IndexError("take(): tried to take from an empty tensor")
    places = _check_positions(input, index.reshape(-1))
    result = input.reshape(-1).index_select(0, places).reshape(index.shape)
    if out is not None:
        refuse_overlap(out, input, index)
    return into(result, out, "take")  # type: ignore[no-any-return]


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return a copy with the elements at positions in the flattened tensor replaced.

    Args:
        input: The tensor.
        index: The positions, as int64.
        source: An element for each position.
        accumulate: Whether to add to the elements instead.

    Raises:
        IndexError: If a position is outside of the tensor.

    Example:
        >>> torch.put(torch.zeros(2, 2), torch.tensor([1, 2]), torch.tensor([5.0, 6.0]))
        tensor([[0., 5.],
                [6., 0.]])
    """
    if index.numel() != source.numel():
        raise RuntimeError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.numel()}, index.numel() = {index.numel()}"
        )
    if not accumulate:
        alert_not_deterministic("put_")
    places = _check_positions(input, index.reshape(-1))
    flat, values = input.reshape(-1), source.reshape(-1)
    changed = (
        flat.index_add(0, places, values) if accumulate else flat.index_copy(0, places, values)
    )
    return changed.reshape(input.shape)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Return a copy with slices of a dimension filled with a value.

    Args:
        input: The tensor.
        dim: The dimension.
        index: The positions of the slices.
        value: A number, or a tensor without dimensions.

    Example:
        >>> torch.index_fill(torch.zeros(3), 0, torch.tensor([0, 2]), 1.0)
        tensor([1., 0., 1.])
    """
    if isinstance(value, torch.Tensor) and value.dim():
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.dim()} dimension(s)."
        )
    is_complex = value.is_complex() if isinstance(value, torch.Tensor) else type(value) is complex
    if is_complex and not input.is_complex():
        raise RuntimeError(
            "index_fill_(): Converting complex Scalar to non-complex type is not supported"
        )
    if index.dtype != torch.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if index.dim() > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    filling = torch.as_tensor(value, dtype=input.dtype, device=input.device)
    shape = list(input.shape)
    if shape:
        shape[dim] = index.numel()
    if filling.requires_grad and shape:  # a position that occurs twice counts once
        column = [1] * len(shape)
        column[dim] = input.shape[dim]
        filled = torch.zeros(input.shape[dim], dtype=torch.bool, device=input.device)
        filled[index.reshape(-1)] = True
        return torch.where(filled.reshape(column), filling, input)
    positions = index.reshape(-1)
    size = input.shape[dim] if shape else 1
    positions = torch.where(positions < 0, positions + size, positions)
    return input.index_copy(dim, positions, filling.expand(shape))


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return a copy in which elements of `source`, in order, replace those that a mask selects.

    Raises:
        RuntimeError: If `source` has too few elements or another dtype, or the mask is not boolean.

    Example:
        >>> torch.masked_scatter(torch.zeros(3), torch.tensor([True, False, True]), torch.ones(2))
        tensor([1., 0., 1.])
    """
    if mask.dtype != torch.bool:
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {kind_of(mask)}"
        )
    if source.dtype != input.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got "
            f"{kind_of(input)} and {kind_of(source)}"
        )
    input, mask = torch.broadcast_tensors(input, mask)
    if _is_mapped(mask):  # the number of places may differ between elements
        if not source.numel():
            return input.clone()
        places = (mask.reshape(-1).cumsum(0) - 1).clamp(0, source.numel() - 1)
        taken = source.reshape(-1).gather(0, places).reshape(mask.shape)
        return torch.where(mask, taken, input)
    places = mask.reshape(-1).nonzero().squeeze(1)
    if source.numel() < places.numel():
        raise RuntimeError("Number of elements of source < number of ones in mask")
    flat = input.reshape(-1)
    return flat.index_copy(0, places, source.reshape(-1)[: places.numel()]).reshape(input.shape)


def nonzero_static(
    input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None
) -> Tensor:
    """Return the positions of a fixed number of elements that are not zero.

    Args:
        input: The tensor.
        size: The number of rows of the result.
        fill_value: What fills the rows that are left over.
        out: The tensor to write to.

    Example:
        >>> torch.nonzero_static(torch.tensor([1, 0, 2]), size=3)
        tensor([[ 0],
                [ 2],
                [-1]])
    """
    if size < 0:
        raise RuntimeError(f"nonzero_static: 'size' must be an non-negative integer, got {size}")
    if _is_mapped(input):  # the number may differ between elements
        return _first_nonzero(input != 0, size, fill_value)
    found = input.nonzero()[:size]
    rest = found.new_full((size - found.shape[0], found.shape[1]), fill_value)
    result = torch.cat([found, rest])
    return into(result, out, "nonzero_static")  # type: ignore[no-any-return]


def _first_nonzero(mask: Tensor, size: int, fill_value: int) -> Tensor:
    order = mask.reshape(-1).logical_not().to(torch.uint8).argsort(stable=True)[:size]
    coordinates = torch.unravel_index(order, mask.shape) if mask.dim() else ()
    places = torch.stack(coordinates, 1) if coordinates else order.new_empty(len(order), 0)
    known = torch.arange(len(places), device=mask.device) < mask.sum()
    found = places.where(known.unsqueeze(1), fill_value)
    rest = found.new_full((size - found.shape[0], found.shape[1]), fill_value)
    return torch.cat([found, rest])


def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sort along the first dimension.

    Example:
        >>> torch.msort(torch.tensor([3, 1, 2]))
        tensor([1, 2, 3])
    """
    result = input.sort(dim=0).values if input.dim() else input.clone()
    return into(result, out, "msort")  # type: ignore[no-any-return]


def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Return the coordinates of positions in a flattened tensor.

    Args:
        indices: The positions.
        shape: The shape of the tensor.

    Raises:
        TypeError: If the positions or the sizes are no integers.
        ValueError: If a size is negative.

    Example:
        >>> torch.unravel_index(torch.tensor([7]), (2, 4))
        (tensor([1]), tensor([3]))
    """
    if has_torch_function_unary(indices):
        return handle_torch_function(unravel_index, (indices,), indices, shape=shape)
    if indices.is_floating_point() or indices.is_complex() or indices.dtype == torch.bool:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    if not sizes:
        return ()
    steps = [math.prod(sizes[d + 1 :]) for d in range(len(sizes))]
    as_row = functools.partial(torch.tensor, dtype=torch.int64, device=indices.device)
    quotients = indices.unsqueeze(-1).floor_divide(as_row(steps))
    return quotients.remainder(as_row(sizes)).unbind(-1)


# ---- parts that autograd does not know as views
class _Parts(torch.autograd.Function):
    """Parts of a tensor that share its memory, as results of their own."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, dim: int, split: Any) -> tuple[Tensor, ...]:
        ctx.dim = dim
        return _apart(input, split)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return torch.cat(grads, ctx.dim), None, None


def _apart(input: Tensor, split: Any) -> tuple[Tensor, ...]:
    with torch._C._AutoDispatchBelowADInplaceOrView():
        return tuple(split(input))


def _parts(input: Tensor, dim: int, split: Any) -> tuple[Tensor, ...]:
    if type(input) not in (torch.Tensor, torch.nn.Parameter):
        return tuple(split(input))
    if input.requires_grad and torch.is_grad_enabled():
        return _Parts.apply(input, dim, split)  # type: ignore[no-any-return, no-untyped-call]
    return _apart(input, split)


def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor as `torch.split` does into parts that may be changed in place.

    The parts share the memory of `input`, but autograd does not know it: gradients are only right if
    `input` is not used after a part has been changed.

    Args:
        input: The tensor.
        split_size: The size of each part.
        dim: The dimension to split.

    Example:
        >>> x = torch.ones(4, requires_grad=True)
        >>> first, second = torch.unsafe_split(x * 1, 2)
        >>> first.mul_(3).sum().backward()
        >>> x.grad
        tensor([3., 3., 0., 0.])
    """
    return _parts(input, dim, lambda x: torch.split(x, split_size, dim))


def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Split a tensor into parts of given sizes; see `torch.unsafe_split`.

    Args:
        input: The tensor.
        split_sizes: The size of each part.
        dim: The dimension to split.

    Example:
        >>> [part.tolist() for part in torch.unsafe_split_with_sizes(torch.arange(3), [1, 2])]
        [[0], [1, 2]]
    """
    return _parts(input, dim, lambda x: torch.split_with_sizes(x, split_sizes, dim))


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor into a number of parts; see `torch.unsafe_split`.

    Args:
        input: The tensor.
        chunks: The number of parts.
        dim: The dimension to split.

    Example:
        >>> [part.tolist() for part in torch.unsafe_chunk(torch.arange(4), 2)]
        [[0, 1], [2, 3]]
    """
    return _parts(input, dim, lambda x: torch.chunk(x, chunks, dim))
