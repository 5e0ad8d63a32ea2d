"""Functions of torch that are composed of operators: random numbers, rearrangements and products."""

from __future__ import annotations

import functools
import itertools
import math
import sys
from typing import TYPE_CHECKING, Any, cast

import torch
from torch._outputs import C_NAMES, into, kind_of
from torch._torch_function import (
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
)

if TYPE_CHECKING:
    from torch import Tensor


# ---- random numbers -----------------------------------------------------------------------------
def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: torch.Generator | None = None,
    out: Tensor | None = None,
    **options: Any,
) -> Tensor:
    """Draw normal numbers, each with its own mean and standard deviation.

    Args:
        mean: The means, a tensor or a number.
        std: The standard deviations, a tensor or a number.
        size: The shape, if both are numbers or tensors without dimensions.
        generator: Where the random numbers come from.
        out: A tensor to write the result to.
        **options: dtype, layout, device, pin_memory and requires_grad, if `size` is given.

    Raises:
        RuntimeError: If a standard deviation is negative.

    Example:
        >>> torch.normal(torch.zeros(2, 3), 1.0).shape
        torch.Size([2, 3])
        >>> torch.normal(0.0, 1.0, (4,)).shape
        torch.Size([4])
    """
    if size is not None:
        mean, std = float(mean), float(std)
    mean_is_tensor, std_is_tensor = isinstance(mean, torch.Tensor), isinstance(std, torch.Tensor)
    if not mean_is_tensor and not std_is_tensor:
        if size is None:
            raise TypeError("normal(): size is required if mean and std are numbers")
        requires_grad = options.pop("requires_grad", False)
        if _is_transformed():  # so that vmap can draw other numbers for each element
            result = torch.randn(size, generator=generator, **options).mul_(std).add_(mean)
        else:
            result = torch.empty(size, **options)
            result.normal_(mean, std, generator=generator)
        result = into(result, out, "normal")
        return result.requires_grad_() if requires_grad else result
    if std_is_tensor and std.is_complex():
        raise RuntimeError("normal expects standard deviation to be non-complex")
    tensors = [t for t in (mean, std) if isinstance(t, torch.Tensor)]
    tracked = torch.is_grad_enabled() and any(t.requires_grad for t in tensors)
    if out is None and (tracked or _is_transformed()):
        return _normal_without_slope().apply(mean, std, generator)
    with torch.no_grad():
        drawn = _normal_values(mean, std, generator)
    return into(drawn, out, "normal")  # type: ignore[no-any-return]


def _normal_values(mean: Any, std: Any, generator: torch.Generator | None) -> Tensor:
    tensors = [t for t in (mean, std) if isinstance(t, torch.Tensor)]
    like, shape = tensors[0], torch.broadcast_shapes(*(t.shape for t in tensors))
    if _is_transformed():
        drawn = torch.randn(shape, dtype=like.dtype, device=like.device, generator=generator)
        return drawn * std + mean
    if isinstance(std, torch.Tensor):
        if std.numel() and bool((std < 0).any()):
            raise RuntimeError("normal expects all elements of std >= 0.0")
        drawn = torch.empty(shape, dtype=like.dtype, device=like.device)
        return drawn.normal_(0, 1, generator=generator).mul_(std).add_(mean)
    drawn = torch.empty_like(mean, memory_format=torch.contiguous_format)
    return drawn.normal_(0, std, generator=generator).add_(mean)


@functools.cache
def _normal_without_slope() -> Any:
    """Return the function of mean and standard deviation whose derivative counts as zero."""

    class Normal(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(mean: Any, std: Any, generator: torch.Generator | None) -> Tensor:
            return _normal_values(mean, std, generator)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Tensor) -> None:
            ctx.shapes = [i.shape if isinstance(i, torch.Tensor) else None for i in inputs[:2]]
            ctx.result, ctx.dtype = output.shape, output.dtype

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Any:
            zeros = [None if s is None else grad.new_zeros(s) for s in ctx.shapes]
            return (*zeros, None)

        @staticmethod
        def jvp(ctx: Any, mean: Any, std: Any, generator: Any) -> Tensor:
            given = std if mean is None else mean
            return cast("Tensor", given.new_zeros(ctx.result, dtype=ctx.dtype))

    return Normal


def _is_transformed() -> bool:
    """Return whether a transform of torch.func runs, inside which values cannot be asked for."""
    levels = sys.modules.get("torch._transforms.levels")
    return levels is not None and levels.innermost_level() is not None


def _has_tangents() -> bool:
    """Return whether a level of forward-mode differentiation runs."""
    levels = sys.modules.get("torch._transforms.levels")
    return levels is not None and any(level.has_tangents for level in levels.running_levels())


# ---- questions ----------------------------------------------------------------------------------
def _has_compatible_shallow_copy_type(input: Tensor, from_: Tensor) -> bool:
    """Return whether assigning one tensor to the other's `data` keeps its kind: dense or sparse."""
    if has_torch_function((input, from_)):
        return bool(
            handle_torch_function(_has_compatible_shallow_copy_type, (input, from_), input, from_)
        )
    types = {input.device.type, from_.device.type}
    dense = input.layout == torch.strided and types <= {"cpu", "cuda"}
    return input.layout == from_.layout and (dense or len(types) == 1)


# ---- rearrangements -----------------------------------------------------------------------------
def block_diag(*tensors: Tensor) -> Tensor:
    """Put matrices on the diagonal of one matrix.

    Args:
        *tensors: Tensors with at most two dimensions; vectors are rows.

    Example:
        >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([[3], [4]]))
        tensor([[1, 2, 0],
                [0, 0, 3],
                [0, 0, 4]])
    """
    if has_torch_function(tensors):
        return handle_torch_function(block_diag, tensors, *tensors)  # type: ignore[no-any-return]
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    if not given:
        return torch.empty(1, 0)
    for index, each in enumerate(given):
        if not isinstance(each, torch.Tensor):
            raise TypeError(
                f"expected Tensor as element {index} in argument 0, but got {type(each).__name__}"
            )
        if each.dim() > 2:
            raise RuntimeError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {index} has {each.dim()} dimensions"
            )
    blocks = [each.reshape(1, -1) if each.dim() < 2 else each for each in given]
    width, rows, before = sum(block.shape[1] for block in blocks), [], 0
    dtype = blocks[0].dtype
    for block in blocks[1:]:
        dtype = torch.promote_types(dtype, block.dtype)
    for block in blocks:
        after = width - before - block.shape[1]
        rows.append(torch.nn.functional.pad(block.to(dtype), (before, after)))
        before += block.shape[1]
    return torch.cat(rows)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """List the combinations of the elements of a vector.

    Args:
        input: A vector.
        r: How many elements each combination has.
        with_replacement: Whether an element may occur several times.

    Example:
        >>> torch.combinations(torch.tensor([1, 2, 3]))
        tensor([[1, 2],
                [1, 3],
                [2, 3]])
    """
    if input.dim() != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_empty(0)
    if r == 2:
        length = len(input)
        pairs = torch.triu_indices(
            length, length, 0 if with_replacement else 1, device=input.device
        )
        return input[pairs.t()]
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    chosen = list(choose(range(len(input)), r))
    places = torch.tensor(chosen, dtype=torch.int64, device=input.device).reshape(len(chosen), r)
    return input[places]


def argwhere(input: Tensor) -> Tensor:
    """List the indices of the elements that are not zero, one row for each.

    Example:
        >>> torch.argwhere(torch.tensor([0, 1, 2]))
        tensor([[1],
                [2]])
    """
    return input.nonzero()


def wrapped_axis(dim: int, rank: int) -> int:
    """Return a dimension counted from the first one.

    Raises:
        IndexError: If there is no such dimension; a number has one.
    """
    rank = max(rank, 1)
    if not -rank <= dim < rank:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got "
            f"{dim})"
        )
    return dim % rank


def take_along_dim(
    input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Select elements along a dimension; the shapes broadcast in the others.

    Args:
        input: A tensor.
        indices: int64 indices, with as many dimensions as `input`. Along a dimension, they count
            modulo its size.
        dim: The dimension; both tensors are flattened if None.
        out: A tensor to write the result to.

    Example:
        >>> x = torch.tensor([[3, 1], [2, 4]])
        >>> torch.take_along_dim(x, x.argsort(1), 1)
        tensor([[1, 3],
                [2, 4]])
    """
    if indices.dtype is not torch.int64:
        raise RuntimeError(
            "torch.take_along_dim(): dtype of indices should be Long but got " + kind_of(indices)
        )
    if dim is None:
        result = input.reshape(-1).gather(0, indices.reshape(-1))
    else:
        if input.dim() != indices.dim():
            raise RuntimeError(
                "torch.take_along_dim(): input and indices should have the same number of "
                f"dimensions, but got {input.dim()} dimensions for input, and {indices.dim()} "
                "dimensions for indices"
            )
        axis = wrapped_axis(dim, input.dim())
        shape = list(
            torch.broadcast_shapes(
                *([1 if d == axis else n for d, n in enumerate(t.shape)] for t in (input, indices))
            )
        )
        shape[axis] = input.shape[axis]
        source = input.expand(shape)
        shape[axis] = indices.shape[axis]
        places = indices.remainder(input.shape[axis]) if input.shape[axis] else indices
        result = source.gather(axis, places.expand(shape))
    return into(result, out, "take_along_dim")  # type: ignore[no-any-return]


# ---- numbers ------------------------------------------------------------------------------------
def isposinf(input: Tensor) -> Tensor:
    """Test which elements are positive infinity.

    Example:
        >>> torch.isposinf(torch.tensor([1.0, float("inf")]))
        tensor([False,  True])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(isposinf, (input,), input)  # type: ignore[no-any-return]
    return input == math.inf if input.is_floating_point() else torch.zeros_like(input).bool()


def isneginf(input: Tensor) -> Tensor:
    """Test which elements are negative infinity.

    Example:
        >>> torch.isneginf(torch.tensor([1.0, -float("inf")]))
        tensor([False,  True])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(isneginf, (input,), input)  # type: ignore[no-any-return]
    return input == -math.inf if input.is_floating_point() else torch.zeros_like(input).bool()


def isreal(input: Tensor) -> Tensor:
    """Test which elements have no imaginary part.

    Example:
        >>> torch.isreal(torch.tensor([1 + 1j, 2 + 0j]))
        tensor([False,  True])
    """
    if not input.is_complex():
        return torch.ones_like(input, dtype=torch.bool)
    return torch.imag(input) == 0


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """Compute the norm of a difference.

    Example:
        >>> torch.dist(torch.tensor([0.0, 0.0]), torch.tensor([3.0, 4.0]))
        tensor(5.)
    """
    return torch.norm(input - other, p)


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """Compute beta * input + alpha * outer(vec1, vec2).

    Example:
        >>> torch.addr(torch.zeros(2, 2), torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
    """
    for name, vector in (("vec1", vec1), ("vec2", vec2)):
        if vector.dim() != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vector.dim()}-D")
    if type(beta) not in _PLAIN or type(alpha) not in _PLAIN or not input.is_floating_point():
        _check_factors(
            beta,
            alpha,
            torch.promote_types(torch.promote_types(input.dtype, vec1.dtype), vec2.dtype),
        )
    if beta != 0 and input.is_floating_point() and input.dtype == vec1.dtype == vec2.dtype:
        column = vec1.unsqueeze(1)
        if beta == 1:
            return torch.addcmul(input, column, vec2, value=alpha)
        full = input.dtype in (torch.float32, torch.float64)  # others are rounded once
        if full and input.is_cpu and vec1.numel() * vec2.numel() >= 4096:
            # One pass; smaller matrices would be copied and given to the BLAS.
            return torch.addmm(input, column, vec2.unsqueeze(0), beta=beta, alpha=alpha)
        if full and not _is_transformed():
            return torch.outer(vec1 * alpha, vec2).add_(input, alpha=beta)
        return torch.addcmul(input * beta, column, vec2, value=alpha)
    dtypes = {input.dtype, vec1.dtype, vec2.dtype}
    if dtypes == {torch.bool}:
        product = torch.outer(vec1, vec2) & bool(alpha)
        return (product | input) if beta else product.expand_as(product | input)
    dtype = torch.promote_types(torch.promote_types(input.dtype, vec1.dtype), vec2.dtype)
    product = torch.outer(vec1, vec2).to(dtype) * alpha
    return product if beta == 0 else input.to(dtype) * beta + product


_PLAIN = (int, float)  # the types of factors that any tensor of floating-point numbers takes


def _check_factors(beta: float, alpha: float, dtype: torch.dtype) -> None:
    """Check the factors of addr against the dtype of the result."""
    integral = not (dtype.is_floating_point or dtype.is_complex)
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and dtype != torch.bool:
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if integral and isinstance(factor, (float, complex)):
            raise RuntimeError(
                f"For integral input tensors, argument {name} must not be a floating point number."
            )
        if isinstance(factor, complex) and not dtype.is_complex:
            raise RuntimeError(
                f"value cannot be converted to type {C_NAMES[dtype]} without overflow"
            )


def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor:
    """Compute beta * input + alpha * the sum of the products of pairs of matrices.

    Example:
        >>> torch.addbmm(torch.zeros(1, 1), torch.ones(3, 1, 2), torch.ones(3, 2, 1))
        tensor([[6.]])
    """
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.dim() != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    count, rows, inner = batch1.shape
    if batch2.shape[0] != count:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {count} and {batch2.shape[0]}"
        )
    if batch2.shape[1] != inner:
        raise RuntimeError(
            f"Incompatible matrix sizes for bmm ({rows}x{inner} and "
            f"{batch2.shape[1]}x{batch2.shape[2]})"
        )
    # The sum of the products is one product of the matrices side by side.
    left = batch1.transpose(0, 1).reshape(rows, count * inner)
    right = batch2.reshape(count * inner, batch2.shape[2])
    return torch.addmm(input, left, right, beta=beta, alpha=alpha)
