"""Functions of torch that are composed of operators: element by element, by index, and along a dimension."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

__all__ = [
    "adjoint",
    "aminmax",
    "angle",
    "cummax",
    "cummin",
    "fmax",
    "fmin",
    "frac",
    "frexp",
    "gcd",
    "gradient",
    "heaviside",
    "histogram",
    "index_fill",
    "lcm",
    "ldexp",
    "logcumsumexp",
    "masked_scatter",
    "matrix_exp",
    "msort",
    "put",
    "ravel",
    "renorm",
    "take",
    "true_divide",
    "unravel_index",
    "vander",
]


def _into(result: Any, out: Any) -> Any:
    """Return a result, or the tensor for it after a copy."""
    if out is None:
        return result
    if isinstance(result, tuple):
        return type(result)(tuple(_into(r, o) for r, o in zip(result, out, strict=True)))
    if out.shape != result.shape:
        out.resize_(result.shape)
    return out.copy_(result)


# ---- element by element --------------------------------------------------------------------------
def true_divide(dividend: Tensor, divisor: Any, *, out: Tensor | None = None) -> Tensor:
    """Divide, with a floating result for integers too.

    Args:
        dividend: The numerator.
        divisor: The denominator, a tensor or a number.
        out: The tensor for the result.

    Example:
        >>> torch.true_divide(torch.tensor([1, 2]), 2)
        tensor([0.5000, 1.0000])
    """
    return _into(torch.div(dividend, divisor), out)  # type: ignore[no-any-return]


def _without_nan(chosen: Tensor, input: Tensor, other: Tensor) -> Tensor:
    return torch.where(input.isnan(), other, torch.where(other.isnan(), input, chosen))


def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the larger of two elements; a number is larger than NaN.

    Args:
        input: The first tensor.
        other: The second tensor.
        out: The tensor for the result.

    Example:
        >>> torch.fmax(torch.tensor([1.0, torch.nan]), torch.tensor([2.0, 3.0]))
        tensor([2., 3.])
    """
    return _into(_without_nan(torch.maximum(input, other), input, other), out)  # type: ignore[no-any-return]


def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the smaller of two elements; a number is smaller than NaN.

    Args:
        input: The first tensor.
        other: The second tensor.
        out: The tensor for the result.

    Example:
        >>> torch.fmin(torch.tensor([1.0, torch.nan]), torch.tensor([2.0, 3.0]))
        tensor([1., 3.])
    """
    return _into(_without_nan(torch.minimum(input, other), input, other), out)  # type: ignore[no-any-return]


def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return what follows the decimal point, with the sign of the number.

    Args:
        input: A floating tensor.
        out: The tensor for the result.

    Example:
        >>> torch.frac(torch.tensor([1.5, -2.25]))
        tensor([ 0.5000, -0.2500])
    """
    return _into(input - input.trunc(), out)  # type: ignore[no-any-return]


def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply by powers of two.

    Args:
        input: The factors.
        other: The exponents.
        out: The tensor for the result.

    Example:
        >>> torch.ldexp(torch.tensor([1.0]), torch.tensor([1, 2, 3]))
        tensor([2., 4., 8.])
    """
    return _into(input * torch.pow(2.0, other), out)  # type: ignore[no-any-return]


def frexp(input: Tensor, *, out: Any = None) -> Any:
    """Split numbers into mantissas in [0.5, 1) and powers of two.

    Args:
        input: A floating tensor.
        out: The tensors for the results.

    Returns:
        A named tuple (mantissa, exponent); the exponents are int32.

    Raises:
        RuntimeError: If the tensor is not floating.

    Example:
        >>> torch.frexp(torch.tensor([1.0, 6.0]))
        torch.return_types.frexp(
        mantissa=tensor([0.5000, 0.7500]),
        exponent=tensor([1, 3], dtype=torch.int32))
    """
    if not input.dtype.is_floating_point:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    exact = input.detach().double().abs()
    regular = exact.isfinite() & (exact > 0)
    guess = torch.where(regular, exact, 1.0).log2().floor().to(torch.int32) + 1
    scaled = torch.where(regular, exact, 0.5) / torch.pow(2.0, guess.double())
    guess = guess + (scaled >= 1).int() - (scaled < 0.5).int()
    exponent = torch.where(regular, guess, 0)
    mantissa = torch.where(
        regular, input / torch.pow(2.0, exponent.double()).to(input.dtype), input
    )
    return _into(torch.return_types.frexp((mantissa, exponent)), out)


def gcd(input: Tensor, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Return the greatest common divisors of integers.

    Args:
        input: The first tensor.
        other: The second tensor.
        out: The tensor for the result.

    Example:
        >>> torch.gcd(torch.tensor([5, 10, 15]), torch.tensor([3, 4, 5]))
        tensor([1, 2, 5])
    """
    a, b = (t.abs() for t in torch.broadcast_tensors(input, torch.as_tensor(other)))
    kind = torch.result_type(a, b)
    a, b = a.to(kind), b.to(kind)
    while bool((b != 0).any()):
        a, b = torch.where(b == 0, a, b), torch.where(b == 0, b, a % b.clamp(min=1))
    return _into(a, out)  # type: ignore[no-any-return]


def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the least common multiples of integers.

    Args:
        input: The first tensor.
        other: The second tensor.
        out: The tensor for the result.

    Example:
        >>> torch.lcm(torch.tensor([5, 10, 15]), torch.tensor([3, 4, 5]))
        tensor([15, 20, 15])
    """
    divisor = gcd(input, other).clamp(min=1)
    result = (torch.div(input, divisor, rounding_mode="trunc") * other).abs()
    return _into(result, out)  # type: ignore[no-any-return]


def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 0 for negative elements, 1 for positive ones, and `values` for zeros.

    Args:
        input: The tensor.
        values: What a zero becomes, of the same dtype.
        out: The tensor for the result.

    Raises:
        RuntimeError: If the dtypes differ.

    Example:
        >>> torch.heaviside(torch.tensor([-1.5, 0.0, 2.0]), torch.tensor([0.5]))
        tensor([0.0000, 0.5000, 1.0000])
    """
    if input.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return _into(torch.where(input == 0, values, (input > 0).to(input.dtype)), out)  # type: ignore[no-any-return]


def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angles of complex numbers in radians; 0 or pi for real ones.

    Args:
        input: The tensor.
        out: The tensor for the result.

    Example:
        >>> torch.angle(torch.tensor([1.0, -1.0]))
        tensor([0.0000, 3.1416])
    """
    if input.dtype.is_complex:
        return _into(torch.atan2(input.imag, input.real), out)  # type: ignore[no-any-return]
    number = input if input.dtype.is_floating_point else input.to(torch.get_default_dtype())
    turned = torch.where(number < 0, math.pi, torch.zeros_like(number))
    return _into(torch.where(number.isnan(), number, turned), out)  # type: ignore[no-any-return]


# ---- by index ------------------------------------------------------------------------------------
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements at positions of the flattened tensor.

    Args:
        input: The tensor.
        index: The positions, an int64 tensor; negative ones count from the end.
        out: The tensor for the result.

    Raises:
        IndexError: If a position is out of range.

    Example:
        >>> torch.take(torch.tensor([[4, 3], [6, 8]]), torch.tensor([0, 3]))
        tensor([4, 8])
    """
    return _into(input.reshape(-1)[index], out)  # type: ignore[no-any-return]


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return the tensor with other elements at positions of the flattened tensor.

    Args:
        input: The tensor.
        index: The positions.
        source: The elements, as many as positions.
        accumulate: Whether to add them.

    Example:
        >>> torch.put(torch.zeros(2, 2), torch.tensor([1, 2]), torch.tensor([5.0, 6.0]))
        tensor([[0., 5.],
                [6., 0.]])
    """
    flat = input.reshape(-1).clone()
    flat.index_put_((index.reshape(-1),), source.reshape(-1), accumulate)
    return flat.view(input.shape)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Return the tensor with a value at some indices of a dimension.

    Args:
        input: The tensor.
        dim: The dimension.
        index: The indices, an int64 tensor of one dimension.
        value: A number, or a tensor with one element.

    Raises:
        RuntimeError: If `value` is a tensor with dimensions.

    Example:
        >>> torch.index_fill(torch.zeros(2, 3), 1, torch.tensor([0, 2]), 1.0)
        tensor([[1., 0., 1.],
                [1., 0., 1.]])
    """
    if isinstance(value, Tensor) and value.dim():
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.dim()} dimension(s)."
        )
    chosen = torch.zeros(input.size(dim), dtype=torch.bool, device=input.device)
    chosen[index] = True
    shape = [1] * input.dim()
    shape[dim] = -1
    return torch.where(chosen.view(shape), torch.as_tensor(value).to(input), input)


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return the tensor with the elements of another, in order, where a mask is true.

    Args:
        input: The tensor.
        mask: A boolean tensor that broadcasts to it.
        source: The elements, at least as many as are true.

    Raises:
        RuntimeError: If there are too few elements.

    Example:
        >>> mask = torch.tensor([True, False, True])
        >>> torch.masked_scatter(torch.zeros(3), mask, torch.tensor([1.0, 2.0]))
        tensor([1., 0., 2.])
    """
    if input.dtype != source.dtype:
        raise RuntimeError(
            "masked_scatter_: expected self and source to have same dtypes but got "
            f"{input.dtype} and {source.dtype}"
        )
    shape = torch.broadcast_shapes(input.shape, mask.shape)
    flags = mask.expand(shape).reshape(-1)
    places = flags.cumsum(0) - 1
    if flags.numel() and int(places[-1]) >= source.numel():
        raise RuntimeError("masked_scatter: expected self and source to have enough elements")
    if source.numel() == 0:
        return input.expand(shape).clone()
    moved = source.reshape(-1)[places.clamp(min=0)]
    return torch.where(flags, moved, input.expand(shape).reshape(-1)).view(shape)


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Return the coordinates of positions of a flattened tensor.

    Args:
        indices: The positions.
        shape: The shape of the tensor.

    Example:
        >>> torch.unravel_index(torch.tensor(4), (3, 2))
        (tensor(2), tensor(0))
    """
    if indices.dtype.is_floating_point or indices.dtype.is_complex or indices.dtype == torch.bool:
        raise ValueError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    coordinates = []
    for size in reversed(sizes):
        coordinates.append(indices % size)
        indices = torch.div(indices, size, rounding_mode="floor")
    return tuple(reversed(coordinates))


# ---- along a dimension ---------------------------------------------------------------------------
def _cumulative(input: Tensor, dim: int, largest: bool) -> tuple[Tensor, Tensor]:
    """Return the extremes so far and their last positions, in a logarithmic number of steps."""
    moved = input.unsqueeze(0) if input.dim() == 0 else input
    dim = 0 if input.dim() == 0 else dim
    size, values = moved.size(dim), moved.detach()
    shape = [1] * moved.dim()
    shape[dim] = -1
    places = torch.arange(size, device=input.device).view(shape).expand(moved.shape).contiguous()
    step = 1
    while step < size:
        old, new = values.narrow(dim, 0, size - step), values.narrow(dim, step, size - step)
        keep = (new >= old) if largest else (new <= old)
        keep = (keep | new.isnan()) if values.dtype.is_floating_point else keep
        if values.dtype.is_floating_point:
            keep = keep & ~(old.isnan() & ~new.isnan())
        early = places.narrow(dim, 0, size - step)
        chosen = torch.where(keep, places.narrow(dim, step, size - step), early)
        values = torch.cat([values.narrow(dim, 0, step), torch.where(keep, new, old)], dim)
        places = torch.cat([places.narrow(dim, 0, step), chosen], dim)
        step *= 2
    result = moved.gather(dim, places)
    return (result.squeeze(0), places.squeeze(0)) if input.dim() == 0 else (result, places)


def cummax(input: Tensor, dim: int, *, out: Any = None) -> Any:
    """Return the largest element so far along a dimension, and its index.

    Args:
        input: The tensor.
        dim: The dimension.
        out: The tensors for the results.

    Returns:
        A named tuple (values, indices); of equal elements the last one counts.

    Example:
        >>> torch.cummax(torch.tensor([1, 3, 2, 3]), 0).values
        tensor([1, 3, 3, 3])
    """
    return _into(torch.return_types.cummax(_cumulative(input, dim, True)), out)


def cummin(input: Tensor, dim: int, *, out: Any = None) -> Any:
    """Return the smallest element so far along a dimension, and its index.

    Args:
        input: The tensor.
        dim: The dimension.
        out: The tensors for the results.

    Returns:
        A named tuple (values, indices); of equal elements the last one counts.

    Example:
        >>> torch.cummin(torch.tensor([3, 1, 2, 1]), 0).indices
        tensor([0, 1, 1, 3])
    """
    return _into(torch.return_types.cummin(_cumulative(input, dim, False)), out)


def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithms of the cumulative sums of exponentials.

    Args:
        input: A floating tensor.
        dim: The dimension.
        out: The tensor for the result.

    Example:
        >>> torch.logcumsumexp(torch.zeros(3), 0)
        tensor([0.0000, 0.6931, 1.0986])
    """
    size, step, result = input.size(dim) if input.dim() else 1, 1, input
    while step < size:
        sums = torch.logaddexp(
            result.narrow(dim, 0, size - step), result.narrow(dim, step, size - step)
        )
        result = torch.cat([result.narrow(dim, 0, step), sums], dim)
        step *= 2
    return _into(result.clone() if result is input else result, out)  # type: ignore[no-any-return]


def aminmax(
    input: Tensor, *, dim: int | None = None, keepdim: bool = False, out: Any = None
) -> Any:
    """Return the smallest and the largest elements.

    Args:
        input: The tensor.
        dim: The dimension to reduce; all if None.
        keepdim: Whether the result keeps the dimension, with size 1.
        out: The tensors for the results.

    Returns:
        A named tuple (min, max).

    Example:
        >>> torch.aminmax(torch.tensor([1, -3, 5]))
        torch.return_types.aminmax(
        min=tensor(-3),
        max=tensor(5))
    """
    dims = () if dim is None else dim
    if dim is None and input.numel() == 0:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    pair = (torch.amin(input, dims, keepdim), torch.amax(input, dims, keepdim))
    return _into(torch.return_types.aminmax(pair), out)


def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sort along the first dimension.

    Args:
        input: The tensor.
        out: The tensor for the result.

    Example:
        >>> torch.msort(torch.tensor([3, 1, 2]))
        tensor([1, 2, 3])
    """
    return _into(torch.sort(input, 0).values, out)  # type: ignore[no-any-return]


def renorm(
    input: Tensor, p: float, dim: int, maxnorm: float, *, out: Tensor | None = None
) -> Tensor:
    """Scale slices whose norm is larger than a limit down to it.

    Args:
        input: The tensor.
        p: The order of the norm.
        dim: The dimension that counts the slices.
        maxnorm: The limit.
        out: The tensor for the result.

    Example:
        >>> torch.renorm(torch.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
    """
    others = [d for d in range(input.dim()) if d != dim % input.dim()]
    norms = torch.linalg.vector_norm(input, p, others, keepdim=True)
    factor = torch.where(norms > maxnorm, maxnorm / (norms + 1e-7), torch.ones_like(norms))
    return _into(input * factor, out)  # type: ignore[no-any-return]


def ravel(input: Tensor) -> Tensor:
    """Return the elements as a tensor of one dimension, a view where possible.

    Example:
        >>> torch.ravel(torch.ones(2, 2))
        tensor([1., 1., 1., 1.])
    """
    return input.reshape(-1)


def adjoint(input: Tensor) -> Tensor:
    """Return a view with the last two dimensions exchanged and the elements conjugated.

    Example:
        >>> torch.adjoint(torch.ones(2, 3)).shape
        torch.Size([3, 2])
    """
    return input.mH


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """Return the matrix of powers of a vector.

    Args:
        x: The vector.
        N: The number of columns; that of the elements if None.
        increasing: Whether the powers grow from left to right.

    Example:
        >>> torch.vander(torch.tensor([1, 2, 3]))
        tensor([[1, 1, 1],
                [4, 2, 1],
                [9, 3, 1]])
    """
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    powers = torch.arange(x.numel() if N is None else N, device=x.device)
    result = x.unsqueeze(-1) ** (powers if increasing else powers.flip(0))
    return result if x.dtype.is_floating_point or x.dtype.is_complex else result.long()


def histogram(
    input: Tensor,
    bins: Any,
    *,
    range: tuple[float, float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: Any = None,
) -> Any:
    """Count elements by intervals.

    Args:
        input: The tensor.
        bins: The number of equal intervals, or an increasing tensor with their limits.
        range: The limits of equal intervals; those of the elements if None.
        weight: What each element counts for.
        density: Whether to divide by the total and by the widths.
        out: The tensors for the results.

    Returns:
        A named tuple (hist, bin_edges).

    Example:
        >>> torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0)).hist
        tensor([0., 2., 1., 0.])
    """
    values = input.reshape(-1)
    if isinstance(bins, Tensor):
        edges = bins
    else:
        low, high = (
            range or (float(values.min()), float(values.max())) if values.numel() else (0.0, 1.0)
        )
        low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
        edges = torch.linspace(low, high, bins + 1, dtype=input.dtype, device=input.device)
    inside = (values >= edges[0]) & (values <= edges[-1])
    places = torch.searchsorted(edges, values, right=True).clamp(max=edges.numel() - 1) - 1
    counts = torch.ones_like(values) if weight is None else weight.reshape(-1)
    hist = edges.new_zeros(edges.numel() - 1)
    hist = hist.index_add(0, places[inside], counts[inside])
    if density:
        hist = hist / hist.sum() / edges.diff()
    return _into(torch.return_types.histogram((hist, edges)), out)


def _differences(input: Tensor, axis: int, spacing: Any, edge_order: int) -> Tensor:
    """Return the derivative along an axis by central differences.

    Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids" (1988).
    """
    size = input.size(axis)

    def at(start: int, count: int) -> Tensor:
        return input.narrow(axis, start, count)

    steps: Any = spacing
    if isinstance(spacing, Tensor):
        shape = [1] * input.dim()
        shape[axis] = -1
        steps = spacing.diff().view(shape).to(input.dtype)
        before, after = steps.narrow(axis, 0, size - 2), steps.narrow(axis, 1, size - 2)
        total = before * after * (before + after)
        middle = at(2, size - 2) * before**2 - at(0, size - 2) * after**2
        middle = (middle + at(1, size - 2) * (after**2 - before**2)) / total
        ends = [steps.narrow(axis, i, 1) for i in (0, 1, size - 2, size - 3)]
    else:
        middle = (at(2, size - 2) - at(0, size - 2)) / (2 * steps)
        ends = [steps] * 4
    if edge_order == 1:
        first = (at(1, 1) - at(0, 1)) / ends[0]
        last = (at(size - 1, 1) - at(size - 2, 1)) / ends[2]
    else:
        first = _edge(at(0, 1), at(1, 1), at(2, 1), ends[0], ends[1])
        last = -_edge(at(size - 1, 1), at(size - 2, 1), at(size - 3, 1), ends[2], ends[3])
    return torch.cat([first, middle, last], axis)


def _edge(a: Tensor, b: Tensor, c: Tensor, h: Any, k: Any) -> Tensor:
    """Return the derivative at the first of three points, by a parabola."""
    return -(2 * h + k) / (h * (h + k)) * a + (h + k) / (h * k) * b - h / (k * (h + k)) * c


def gradient(
    input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """Estimate the derivatives of a function on a grid.

    Args:
        input: The values of the function.
        spacing: The distance between points: a number, a list of numbers, or a list of tensors
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
    dims = list(range(input.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    spacings = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    if any(input.size(d) < edge_order + 1 for d in dims):
        raise RuntimeError(
            "torch.gradient expected each dimension size to be at least edge_order+1"
        )
    work = input if input.dtype.is_floating_point or input.dtype.is_complex else input.float()
    return tuple(
        [_differences(work, d, s, edge_order) for d, s in zip(dims, spacings, strict=True)]
    )


def matrix_exp(A: Tensor) -> Tensor:
    """Return the exponentials of square matrices.

    Scaling and squaring of a Taylor polynomial of degree 18, whose error is below double precision
    for norms up to 1.

    Args:
        A: Tensor of shape (..., n, n).

    Raises:
        RuntimeError: If the matrices are not square or not floating.

    Example:
        >>> torch.matrix_exp(torch.zeros(2, 2))
        tensor([[1., 0.],
                [0., 1.]])
    """
    if A.dim() < 2 or A.size(-1) != A.size(-2):
        raise RuntimeError(
            "linalg.matrix_exp: A must be batches of square matrices, but they are "
            f"{' by '.join(map(str, A.shape[-2:]))} matrices"
        )
    if not (A.dtype.is_floating_point or A.dtype.is_complex):
        raise RuntimeError(f"Expected a floating point or complex tensor as input. Got {A.dtype}")
    norm = float(A.detach().abs().sum(-2).amax()) if A.numel() else 0.0
    squarings = max(0, math.ceil(math.log2(norm))) if norm > 0 and math.isfinite(norm) else 0
    scaled = A / 2**squarings
    eye = torch.eye(A.size(-1), dtype=A.dtype, device=A.device).expand(A.shape)
    result = eye
    for degree in range(18, 0, -1):
        result = eye + scaled @ result / degree
    for _ in range(squarings):
        result = result @ result
    return result.clone() if result is eye else result
