"""Functions that rearrange their arguments in Python before they call an operator."""

from __future__ import annotations

import torch
from torch import _VF
from torch._torch_function import (
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
)

TYPE_CHECKING = False
if TYPE_CHECKING:  # typing costs a tenth of `import torch`
    from collections.abc import Sequence
    from typing import Any

    from torch import Tensor
else:
    Tensor = torch.Tensor

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "cdist",
    "einsum",
    "meshgrid",
    "norm",
    "split",
    "tensordot",
    "unique",
    "unique_consecutive",
]

# Functions that modules of torch define, which programs also find here, as they do `F`.
OTHER_NAMES = ("block_diag", "chain_matmul", "lu", "stft", "unravel_index")


def __getattr__(name: str) -> Any:
    if name in OTHER_NAMES:
        return getattr(torch, name)
    if name == "F":
        return torch.nn.functional
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def broadcast_tensors(*tensors: Any) -> list[Tensor]:
    """Expand tensors to their common shape.

    Args:
        *tensors: Tensors that broadcast with each other.

    Returns:
        A list of views, one for each tensor; expanded dimensions have stride 0.

    Raises:
        RuntimeError: If the shapes do not broadcast.

    Example:
        >>> row, column = torch.arange(3), torch.zeros(2, 1)
        >>> a, b = torch.broadcast_tensors(row, column)
        >>> a.shape, b.shape
        (torch.Size([2, 3]), torch.Size([2, 3]))
    """
    if has_torch_function(tensors):
        return handle_torch_function(broadcast_tensors, tensors, *tensors)
    return _VF.broadcast_tensors(tensors)


def broadcast_shapes(*shapes: Any) -> torch.Size:
    """Compute the shape that tensors of the given shapes broadcast to.

    Args:
        *shapes: Sequences of sizes; an int stands for a shape with one dimension.

    Raises:
        RuntimeError: If the shapes do not broadcast.
        ValueError: If a size is negative.

    Example:
        >>> torch.broadcast_shapes((2, 1), (3,), 1)
        torch.Size([2, 3])
    """
    sizes = [(shape,) if isinstance(shape, int) else shape for shape in shapes]
    result = [1] * max([0, *map(len, sizes)])
    for index, shape in enumerate(sizes):
        for i in range(-1, -1 - len(shape), -1):
            if shape[i] in (1, result[i]):
                continue
            if result[i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[i]} at {i}! "
                    f"Mismatching argument at index {index} had {shape}; but expected "
                    f"shape should be broadcastable to {result}"
                )
            if shape[i] < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            result[i] = shape[i]
    return torch.Size(result)


def split(
    tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Split a tensor into consecutive views along one dimension.

    Args:
        tensor: The tensor to split.
        split_size_or_sections: The length of each piece (the last may be shorter), or a sequence
            with one length for each piece.
        dim: The dimension to split.

    Raises:
        RuntimeError: If a sequence of lengths does not add up to `tensor.size(dim)`.

    Example:
        >>> torch.split(torch.arange(5), 2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
        >>> torch.split(torch.arange(5), [1, 4])
        (tensor([0]), tensor([1, 2, 3, 4]))
    """
    if has_torch_function_unary(tensor):
        return handle_torch_function(split, (tensor,), tensor, split_size_or_sections, dim=dim)
    return tensor.split(split_size_or_sections, dim)


def _letters(subscripts: Sequence[Any]) -> str:
    """Spell a subscript list of einsum's second notation, [0, Ellipsis, 27], with letters."""
    text = ""
    for each in subscripts:
        if each is ...:
            text += "..."
        elif 0 <= each < 52:
            text += chr(ord("A") + each) if each < 26 else chr(ord("a") + each - 26)
        else:
            raise ValueError("einsum(): a subscript in a sublist must be in range [0, 52)")
    return text


_TOO_FEW_OPERANDS = (
    "einsum(): must specify the equation string and at least one operand, or at least one operand "
    "and its subscripts list"
)


def einsum(*args: Any) -> Tensor:
    """Sum products of elements along labelled dimensions (Einstein's convention).

    A label that several operands share aligns their dimensions; a label missing from the output
    is summed over.

    Args:
        *args: An equation such as "ij,jk->ik" followed by its operands, or each operand followed
            by a list of integer labels in [0, 52), with the output's labels last. Without an
            output, the labels that occur once appear in alphabetical order.

    Raises:
        ValueError: If an operand or its labels are missing, or a label is out of range.

    Example:
        >>> a, b = torch.arange(6).reshape(2, 3), torch.ones(3, 2, dtype=torch.int64)
        >>> torch.einsum("ij,jk->ik", a, b)
        tensor([[ 3,  3],
                [12, 12]])
        >>> torch.einsum(a, [0, 1], b, [1, 2], [0, 2])
        tensor([[ 3,  3],
                [12, 12]])
    """
    if len(args) < 2:
        raise ValueError(_TOO_FEW_OPERANDS)
    if isinstance(args[0], torch.Tensor):
        operands = list(args[0 : len(args) // 2 * 2 : 2])
        equation = ",".join(_letters(args[i]) for i in range(1, len(args), 2))
        if len(args) % 2 == 1:
            equation += "->" + _letters(args[-1])
    else:
        equation, operands = args[0], list(args[1:])
        if len(operands) == 1 and isinstance(operands[0], list | tuple):
            operands = list(operands[0])
        if not operands:
            raise ValueError(_TOO_FEW_OPERANDS)
    if has_torch_function(operands):
        return handle_torch_function(einsum, operands, equation, *operands)
    return _VF.einsum(equation, operands)


def _tensors(arguments: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """Return the tensors of `f(a, b)` and of `f([a, b])`."""
    if len(arguments) == 1 and isinstance(arguments[0], list | tuple):
        return tuple(arguments[0])
    return arguments


def _is_single(arguments: tuple[Any, ...]) -> bool:
    """Return whether a function of several tensors has one that is not in a sequence."""
    return len(arguments) == 1 and not isinstance(arguments[0], list | tuple)


def atleast_1d(*tensors: Any) -> Any:
    """Give tensors without dimensions one dimension; return all others unchanged.

    Args:
        *tensors: Tensors, or one sequence of them.

    Returns:
        A tensor for a single tensor, else a tuple of tensors.

    Example:
        >>> torch.atleast_1d(torch.tensor(5), torch.tensor([1, 2]))
        (tensor([5]), tensor([1, 2]))
    """
    if has_torch_function(tensors):
        return handle_torch_function(atleast_1d, tensors, *tensors)
    result = _VF.atleast_1d(_tensors(tensors))
    return result[0] if _is_single(tensors) else result


def atleast_2d(*tensors: Any) -> Any:
    """View tensors with fewer than two dimensions as matrices with one row.

    Args:
        *tensors: Tensors, or one sequence of them.

    Returns:
        A tensor for a single tensor, else a tuple of tensors.

    Example:
        >>> torch.atleast_2d(torch.tensor([1, 2]))
        tensor([[1, 2]])
    """
    if has_torch_function(tensors):
        return handle_torch_function(atleast_2d, tensors, *tensors)
    result = _VF.atleast_2d(_tensors(tensors))
    return result[0] if _is_single(tensors) else result


def atleast_3d(*tensors: Any) -> Any:
    """View tensors with fewer than three dimensions as tensors with three.

    Args:
        *tensors: Tensors, or one sequence of them.

    Returns:
        A tensor for a single tensor, else a tuple of tensors.

    Example:
        >>> torch.atleast_3d(torch.tensor([1, 2])).shape
        torch.Size([1, 2, 1])
    """
    if has_torch_function(tensors):
        return handle_torch_function(atleast_3d, tensors, *tensors)
    result = _VF.atleast_3d(_tensors(tensors))
    return result[0] if _is_single(tensors) else result


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Expand vectors to the grid that they span.

    Args:
        *tensors: Vectors with the same dtype, or one sequence of them.
        indexing: "ij" (the default, with a warning), so that the first vector runs along the rows,
            or "xy", so that it runs along the columns.

    Returns:
        One view for each vector.

    Example:
        >>> x, y = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
        >>> x
        tensor([[1, 1, 1],
                [2, 2, 2]])
    """
    if has_torch_function(tensors):
        return handle_torch_function(meshgrid, tensors, *tensors, indexing=indexing)
    given = {} if indexing is None else {"indexing": indexing}
    return _VF.meshgrid(_tensors(tensors), **given)


def cartesian_prod(*tensors: Any) -> Tensor:
    """Make all combinations of one element of each vector.

    Args:
        *tensors: Vectors with the same dtype.

    Example:
        >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
        tensor([[1, 3],
                [1, 4],
                [2, 3],
                [2, 4]])
    """
    if has_torch_function(tensors):
        return handle_torch_function(cartesian_prod, tensors, *tensors)
    return _VF.cartesian_prod(tensors)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """Sum products over several dimensions of two tensors.

    Args:
        a: The first tensor.
        b: The second tensor.
        dims: How many dimensions to contract, the last of `a` with the first of `b`; or two lists
            of dimensions, one for each tensor.
        out: A tensor to write the result to.

    Raises:
        RuntimeError: If the contracted dimensions differ in size.

    Example:
        >>> torch.tensordot(torch.ones(2, 3, 4), torch.ones(3, 4, 5), dims=2).shape
        torch.Size([2, 5])
    """
    if has_torch_function((a, b)):
        return handle_torch_function(tensordot, (a, b), a, b, dims=dims, out=out)
    if isinstance(dims, torch.Tensor):
        dims = dims.tolist()
    if isinstance(dims, list | tuple):
        of_a, of_b = ([each] if isinstance(each, int) else list(each) for each in dims)
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        of_a, of_b = list(range(-dims, 0)), list(range(dims))
    result = _VF.tensordot(a, b, of_a, of_b)
    if out is None:
        return result
    from torch._outputs import into

    return into(result, out, "tensordot")


def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """Compute the distances between the rows of two matrices, or batches of them.

    Args:
        x1: A tensor of shape (..., p, m).
        x2: A tensor of shape (..., r, m).
        p: The order of the norm.
        compute_mode: "use_mm_for_euclid_dist" or "donot_use_mm_for_euclid_dist"; the default uses
            a matrix product for Euclidean distances of more than 25 rows.

    Returns:
        A tensor of shape (..., p, r).

    Raises:
        ValueError: If `compute_mode` is unknown.

    Example:
        >>> torch.cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]))
        tensor([[5.]])
    """
    if has_torch_function((x1, x2)):
        return handle_torch_function(cdist, (x1, x2), x1, x2, p=p, compute_mode=compute_mode)
    modes = {
        "use_mm_for_euclid_dist_if_necessary": None,
        "use_mm_for_euclid_dist": 1,
        "donot_use_mm_for_euclid_dist": 2,
    }
    if compute_mode not in modes:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return _VF.cdist(x1, x2, p, modes[compute_mode])


def _requested(results: tuple[Tensor, ...], inverse: bool, counts: bool) -> Any:
    values, *others = results
    chosen = [each for each, wanted in zip(others, (inverse, counts), strict=True) if wanted]
    return (values, *chosen) if chosen else values


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Find the distinct elements, in ascending order.

    Args:
        input: A tensor.
        sorted: Whether the result must be sorted; it always is.
        return_inverse: Whether to return where each element is in the result.
        return_counts: Whether to return how often each element occurs.
        dim: The dimension whose slices are compared; None compares single elements.

    Returns:
        The distinct elements, then what was asked for.

    Example:
        >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
        (tensor([1, 3]), tensor([1, 2]))
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            unique,
            (input,),
            input,
            sorted=sorted,
            return_inverse=return_inverse,
            return_counts=return_counts,
            dim=dim,
        )
    if dim is None:
        found = _VF._unique2(input, sorted, return_inverse, return_counts)
    else:
        found = _VF.unique_dim(input, dim, sorted, return_inverse, return_counts)
    return _requested(found, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Drop the elements that equal the one before them.

    Args:
        input: A tensor.
        return_inverse: Whether to return where each element is in the result.
        return_counts: Whether to return how many elements each result stands for.
        dim: The dimension whose slices are compared; None compares single elements.

    Returns:
        The elements that remain, then what was asked for.

    Example:
        >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
        tensor([1, 2, 1])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            unique_consecutive,
            (input,),
            input,
            return_inverse=return_inverse,
            return_counts=return_counts,
            dim=dim,
        )
    found = _VF.unique_consecutive(input, return_inverse, return_counts, dim)
    return _requested(found, return_inverse, return_counts)


def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """Compute the vector norm (sum |x|^p)^(1/p).

    Args:
        input: A tensor of a floating or complex dtype.
        p: The order. "fro" and None mean 2; `float("inf")` gives the largest absolute value; "nuc"
            sums the singular values of matrices.
        dim: The dimension or dimensions to reduce; None means all.
        keepdim: Whether reduced dimensions remain, with size 1.
        out: A tensor to write the result to.
        dtype: The dtype to convert the input to before the computation.

    Example:
        >>> torch.norm(torch.tensor([[3.0, 4.0], [6.0, 8.0]]), dim=1)
        tensor([ 5., 10.])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            norm, (input,), input, p=p, dim=dim, keepdim=keepdim, out=out, dtype=dtype
        )
    if isinstance(p, str) and p != "fro":
        axes = list(range(input.dim())) if dim is None else [dim] if isinstance(dim, int) else dim
        return torch.linalg.matrix_norm(input, p, axes, keepdim, dtype=dtype, out=out)
    order = 2.0 if p in ("fro", None) else p
    dims = [dim] if isinstance(dim, int) else (None if dim is None else list(dim))
    kwargs: dict[str, Any] = {} if out is None else {"out": out}
    return torch._C._linalg.linalg_vector_norm(input, order, dims, keepdim, dtype=dtype, **kwargs)


def _assert(condition: Any, message: str) -> None:
    """Check a condition; torch.fx records the check."""
    if type(condition) is not Tensor and has_torch_function_unary(condition):
        handle_torch_function(_assert, (condition,), condition, message)
        return
    assert condition, message


_assert.__module__ = "torch"
