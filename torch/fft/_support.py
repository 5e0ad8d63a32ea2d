"""What the transforms share: normalization, numbers of points, and dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import _VF
from torch._outputs import into, kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

# Normalization by nothing, the root or the number of the points: 0, 1 and 2 for the operators.
_FORWARD = {None: 0, "backward": 0, "ortho": 1, "forward": 2}
_LOW = (torch.float16, torch.bfloat16)
_REAL_INPUT = "{0} expects a real input tensor, but got {1}"
_REFUSED = {
    **dict.fromkeys(("rfft2", "rfftn"), "rfftn expects a real-valued input tensor, but got {1}"),
    **dict.fromkeys(("ihfft2", "ihfftn"), "Only supports floating-point dtypes, but found: {1}"),
}
_INVERSE = {None: 2, "backward": 2, "ortho": 1, "forward": 0}


def factor(norm: str | None, forward: bool) -> int:
    factors = _FORWARD if forward else _INVERSE
    if norm not in factors:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return factors[norm]


def floating(input: Tensor, name: str, *, real: bool = False, complex: bool = False) -> Tensor:
    """Convert integers to the default dtype, and real numbers to complex ones if wanted."""
    if input.is_complex():
        if real:
            raise RuntimeError(_REFUSED.get(name, _REAL_INPUT).format(name, kind_of(input)))
        return input
    if not input.is_floating_point():
        input = input.to(torch.get_default_dtype())
    elif input.dtype in _LOW and torch.is_autocast_enabled(input.device.type):
        input = input.float()
    if input.dtype in _LOW:
        raise RuntimeError(f"Unsupported dtype {kind_of(input)}")
    if not complex:
        return input
    return input.to(torch.complex128 if input.dtype == torch.float64 else torch.complex64)


def resized(input: Tensor, dims: Sequence[int], sizes: Sequence[int]) -> Tensor:
    """Cut dimensions, or extend them with zeros, if `sizes` are given."""
    if not sizes:
        return input
    for dim, size in zip(dims, sizes, strict=True):
        if size == -1:
            continue
        now = input.size(dim)
        if size < now:
            input = input.narrow(dim, 0, size)
        elif size > now:
            after = input.dim() - 1 - dim % input.dim()
            input = _VF.constant_pad_nd(input, [0, 0] * after + [0, size - now])
    return input


def checked_points(n: int) -> int:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return n


def axes(
    input: Tensor, s: Sequence[int] | None, dim: Sequence[int] | int | None
) -> tuple[list[int], list[int]]:
    """Return the dimensions to transform, not negative, and the numbers of points, if given.

    Raises:
        RuntimeError: If a dimension has no points.
    """
    if isinstance(s, int):
        s = [s]
    rank = input.dim()
    if dim is None:
        count = rank if s is None else len(s)
        if count > rank:
            raise RuntimeError(
                f"Got shape with {count} values but input tensor only has {rank} dimensions."
            )
        dims = list(range(rank - count, rank))
    else:
        limit = rank or 1
        dims = []
        for each in [dim] if isinstance(dim, int) else dim:
            if not -rank <= each < limit:
                raise IndexError(
                    f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], "
                    f"but got {each})"
                )
            dims.append(each % limit)
        if len(set(dims)) != len(dims):
            raise RuntimeError("FFT dims must be unique")
    if s is not None and len(s) != len(dims):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    for each, size in zip(dims, s or [-1] * len(dims), strict=True):
        checked_points(input.size(each) if size == -1 else size)
    return dims, [] if s is None else list(s)


def written(result: Tensor, out: Tensor | None, name: str) -> Tensor:
    """Return the result, or `out` with it, which must have the same kind of numbers."""
    if out is None:
        return result
    if result.is_complex() and not out.is_complex():
        raise RuntimeError(f"{name} expects a complex output tensor, but got {kind_of(out)}")
    if not result.is_complex() and not out.is_floating_point():
        raise RuntimeError(f"{name} expects a floating point output tensor, but got {kind_of(out)}")
    return into(result, out, name)  # type: ignore[no-any-return]


def with_points(input: Tensor, n: int | None, dim: int) -> Tensor:
    """Return the input with n points in a dimension."""
    if n is not None:
        return resized(input, [dim], [checked_points(n)])
    checked_points(input.size(dim))
    return input
