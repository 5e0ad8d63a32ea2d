"""Functions of numbers that are composed of operators: parts of numbers, extrema, norms, histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch._composites import wrapped_axis
from torch._outputs import into, kind_of

if TYPE_CHECKING:
    from torch import Tensor


# ---- parts of numbers ----------------------------------------------------------------------------
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply by powers of two.

    Example:
        >>> torch.ldexp(torch.tensor([3.0]), torch.tensor([2]))
        tensor([12.])
    """
    if out is not None:
        check_holds_power(out)
    return into(_times_power(input, other), out, "ldexp")


def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """Multiply by powers of two, in place.

    Example:
        >>> torch.ldexp_(torch.tensor([3.0]), torch.tensor([1]))
        tensor([6.])
    """
    return torch.Tensor.ldexp_(input, other)


def _power_dtype(input: Tensor, other: Tensor) -> torch.dtype:
    dtype = torch.result_type(input, other)
    return dtype if dtype.is_floating_point or dtype.is_complex else torch.get_default_dtype()


def check_holds_power(out: Tensor) -> None:
    """Raise a RuntimeError if a tensor cannot hold a product with a power of two."""
    if not (out.is_floating_point() or out.is_complex()):
        raise RuntimeError(f"ldexp can't be cast to the desired output type {kind_of(out)}")


def _times_power(input: Tensor, other: Tensor) -> Tensor:
    dtype = _power_dtype(input, other)
    if other.is_floating_point() or other.is_complex():
        return torch.mul(input, torch.exp2(other)).to(dtype)
    # The power of a large integer may exceed the dtype where the product does not.
    wide = torch.promote_types(dtype, torch.float64)
    if wide != dtype:
        return (input.to(wide) * torch.exp2(other.to(torch.float64))).to(dtype)
    exponent = other.to(torch.int64)
    half = exponent >> 1
    first, second = (
        torch.exp2(half.to(torch.float64)),
        torch.exp2((exponent - half).to(torch.float64)),
    )
    return input * first * second


# ---- comparisons ---------------------------------------------------------------------------------
def _refuse_complex(refusal: str, *operands: Tensor) -> None:
    if any(each.is_complex() for each in operands):
        raise RuntimeError(f"{refusal} implemented for complex tensors.")


def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 0 for negative numbers, 1 for positive ones and `values` for 0.

    Raises:
        RuntimeError: If the dtypes differ.

    Example:
        >>> torch.heaviside(torch.tensor([-1.0, 0.0, 2.0]), torch.tensor(0.5))
        tensor([0.0000, 0.5000, 1.0000])
    """
    _refuse_complex("heaviside is not yet", input, values)
    if input.dtype != values.dtype or (out is not None and out.dtype != input.dtype):
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return into(torch.where(input == 0, values, (input > 0).to(input.dtype)), out)


def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the larger of two numbers; NaN only if both are NaN.

    Example:
        >>> torch.fmax(torch.tensor([1.0, float("nan")]), torch.tensor([2.0, 3.0]))
        tensor([2., 3.])
    """
    _refuse_complex("fmax not", input, other)
    return into(torch.where((input >= other) | other.isnan(), input, other), out)


def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller of two numbers; NaN only if both are NaN.

    Example:
        >>> torch.fmin(torch.tensor([1.0, float("nan")]), torch.tensor([2.0, 3.0]))
        tensor([1., 3.])
    """
    _refuse_complex("fmin not", input, other)
    return into(torch.where((input <= other) | other.isnan(), input, other), out)


def aminmax(
    input: Tensor, *, dim: int | None = None, keepdim: bool = False, out: Any = None
) -> Any:
    """Return the smallest and the largest element, of all or along a dimension.

    Example:
        >>> smallest, largest = torch.aminmax(torch.tensor([3.0, 1.0, 2.0]))
        >>> smallest, largest
        (tensor(1.), tensor(3.))
    """
    if input.numel() == 0:
        if dim is None:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
                "identity."
            )
        if input.size(dim) == 0:
            raise IndexError(f"aminmax: Expected reduction dim {dim} to have non-zero size.")
    dims = tuple(range(input.dim())) if dim is None else dim
    result = (torch.amin(input, dims, keepdim), torch.amax(input, dims, keepdim))
    return into(torch.return_types.aminmax(result), out, "aminmax")


# ---- norms and powers --------------------------------------------------------------------------
def renorm(
    input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None
) -> Tensor:
    """Scale the slices along a dimension so that no norm exceeds a maximum.

    Example:
        >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
    """
    if input.dim() < 2:
        raise RuntimeError(
            f"renorm: input needs at least 2 dimensions, got {input.dim()} dimensions"
        )
    axis = wrapped_axis(dim, input.dim())
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    others = [d for d in range(input.dim()) if d != axis]
    norms = torch.linalg.vector_norm(input, p, others, keepdim=True)
    scale = torch.where(norms > maxnorm, maxnorm / (norms + 1e-7), torch.ones_like(norms))
    return into(input * scale, out, "renorm")


def frobenius_norm(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the square root of the sum of squares, of all elements or over dimensions.

    Example:
        >>> torch.frobenius_norm(torch.tensor([[3.0, 4.0]]), (0, 1))
        tensor(5.)
    """
    return torch.linalg.vector_norm(input, 2, dim if dim != () else None, keepdim)


def nuclear_norm(input: Tensor, dim: Any = (-2, -1), keepdim: bool = False) -> Tensor:
    """Return the sum of the singular values of matrices.

    Example:
        >>> torch.nuclear_norm(torch.eye(3))
        tensor(3.)
    """
    if isinstance(dim, bool):
        dim, keepdim = (-2, -1), dim
    elif isinstance(dim, int):
        dim = (dim, dim)  # refused
    return torch.linalg.matrix_norm(input, "nuc", dim, keepdim)


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Make the matrix of the powers of numbers, a row for each number.

    Example:
        >>> torch.vander(torch.tensor([1, 2, 3]))
        tensor([[1, 1, 1],
                [4, 2, 1],
                [9, 3, 1]])
    """
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    if count < 2:  # which torch.linalg.vander refuses
        whole = not (x.dtype.is_floating_point or x.dtype.is_complex)
        return x.new_ones(x.shape[0], count, dtype=torch.int64 if whole else x.dtype)
    powers = torch.linalg.vander(x, N=count)
    return powers if increasing else powers.flip(1)


# ---- derivatives --------------------------------------------------------------------------------
def _differences(input: Tensor, axis: int, spacing: Any, edge_order: int) -> Tensor:
    """Return the derivative along an axis by central differences.

    `spacing` is the distance between points, or a vector of their coordinates. See
    Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids" (1988).
    """
    size = input.size(axis)

    def at(start: int, count: int) -> Tensor:
        return input.narrow(axis, start, count)

    def step(index: int) -> Any:
        return steps.narrow(axis, index, 1) if isinstance(steps, torch.Tensor) else steps

    steps: Any = spacing
    if isinstance(spacing, torch.Tensor):
        shape = [1] * input.dim()
        shape[axis] = -1
        steps = spacing.diff().view(shape)
        if not steps.is_floating_point() and not steps.is_complex():
            steps = steps.to(input.dtype)
        before, after = steps.narrow(axis, 0, size - 2), steps.narrow(axis, 1, size - 2)
        total = before + after
        middle = (
            at(0, size - 2) * (-after / (before * total))
            + at(1, size - 2) * ((after - before) / (before * after))
            + at(2, size - 2) * (before / (after * total))
        )
    else:
        middle = (at(2, size - 2) - at(0, size - 2)) / (2 * steps)
    if edge_order == 1:
        first = (at(1, 1) - at(0, 1)) / step(0)
        last = (at(size - 1, 1) - at(size - 2, 1)) / step(size - 2)
    else:
        first = _edge(at(0, 1), at(1, 1), at(2, 1), step(0), step(1))
        last = -_edge(
            at(size - 1, 1), at(size - 2, 1), at(size - 3, 1), step(size - 2), step(size - 3)
        )
    return torch.cat([first, middle, last], axis)


def _edge(a: Tensor, b: Tensor, c: Tensor, h: Any, k: Any) -> Tensor:
    """Return the derivative at the first of three points, by a parabola."""
    return -(2 * h + k) / (h * (h + k)) * a + (h + k) / (h * k) * b - h / (k * (h + k)) * c


def _wrong_spacings(count: int, rank: int, dims: int, all_dims: bool) -> str:
    """Return the message for another number of spacings than of dimensions."""
    if all_dims:
        return (
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal "
            f"to 'self.dim() = {rank}', since dim argument was not given, but got a list of length "
            f"{count}"
        )
    return (
        "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
        f"arguments to have the same length, but got a spacing argument of length {count} and a dim "
        f"argument of length {dims}."
    )


def gradient(
    input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """Estimate the derivatives of a function on a grid.

    Args:
        input: The values of the function.
        spacing: The distance between points: a number, None for 1, a list of numbers, or a list of tensors
            with the coordinates.
        dim: The dimensions; all if None.
        edge_order: 1 or 2, the order of the differences at the ends.

    Raises:
        RuntimeError: If a dimension is too short, or `edge_order` is neither.

    Example:
        >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
        (tensor([3., 4., 6., 7.]),)
    """
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    given = range(input.dim()) if dim is None else [dim] if isinstance(dim, int) else dim
    dims = [wrapped_axis(d, input.dim()) for d in given]
    for i, d in enumerate(dims):
        if d in dims[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    spacing = 1 if spacing is None else spacing
    spacings = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    if len(spacings) != len(dims):
        raise RuntimeError(_wrong_spacings(len(spacings), input.dim(), len(dims), dim is None))
    for each in spacings:
        if isinstance(each, torch.Tensor) and each.device != input.device:
            raise RuntimeError(
                "torch.gradient expected each tensor to be on the same device, but got devices "
                f"{input.device} and {each.device}!"
            )
    if any(input.size(d) < edge_order + 1 for d in dims):
        raise RuntimeError(
            "torch.gradient expected each dimension size to be at least edge_order+1"
        )
    if input.dtype is torch.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    work = input if input.dtype.is_floating_point or input.dtype.is_complex else input.float()
    spacings = [s.item() if isinstance(s, torch.Tensor) and not s.dim() else s for s in spacings]
    return tuple(
        [_differences(work, d, s, edge_order) for d, s in zip(dims, spacings, strict=True)]
    )
