"""Windows for short-time Fourier transforms, such as hann_window."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from torch import Tensor


def _window(
    length: int, periodic: bool, options: dict[str, Any], period: float, shape: Any, name: str
) -> Tensor:
    """Make a symmetric window, computed in double precision.

    `shape` is given the positions in the first half, from 0 to half a period, and may overwrite
    them.
    """
    dtype = options.pop("dtype", None) or torch.get_default_dtype()
    requires_grad = options.pop("requires_grad", False)
    if not dtype.is_floating_point:
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
    if length < 0:
        raise RuntimeError(
            f"{name} requires non-negative window_length, got window_length={length}"
        )
    if length < 2:
        result = torch.ones(length, dtype=dtype, **options)
    else:
        last = length if periodic else length - 1
        half = last // 2 + 1
        middle = (half - 1) / last * period
        places = torch.linspace(0, middle, half, dtype=torch.float64, **options)
        result = torch.empty(length, dtype=dtype, **options)
        rising = result[:half].copy_(shape(places))
        result[half:] = rising[last + 1 - length : last + 1 - half].flip(0)
    return result.requires_grad_() if requires_grad else result


def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """Make a Hann window: one period of a raised cosine.

    Args:
        window_length: The number of elements.
        periodic: Whether the window continues with its first element instead of ending at it.
        **options: dtype, layout, device, pin_memory and requires_grad of the result.

    Example:
        >>> torch.hann_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return hamming_window(window_length, periodic, 0.5, 0.5, _name="hann_window", **options)


def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    *,
    _name: str = "hamming_window",
    **options: Any,
) -> Tensor:
    """Make a Hamming window: alpha - beta cos(2 pi x).

    Args:
        window_length: The number of elements.
        periodic: Whether the window continues with its first element instead of ending at it.
        alpha: The constant.
        beta: The factor of the cosine.
        **options: dtype, layout, device, pin_memory and requires_grad of the result.

    Example:
        >>> torch.hamming_window(4)
        tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """

    def shape(x: Tensor) -> Tensor:
        return x.cos_().mul_(-beta).add_(alpha)

    return _window(window_length, periodic, options, 2 * math.pi, shape, _name)


def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """Make a Blackman window: 0.42 - 0.5 cos(2 pi x) + 0.08 cos(4 pi x).

    Args:
        window_length: The number of elements.
        periodic: Whether the window continues with its first element instead of ending at it.
        **options: dtype, layout, device, pin_memory and requires_grad of the result.

    Example:
        >>> torch.blackman_window(5, periodic=False)[2]
        tensor(1.)
    """

    def shape(x: Tensor) -> Tensor:
        cosine = x.cos_()  # cos(2 a) = 2 cos(a)^2 - 1
        return (0.16 * cosine).sub_(0.5).mul_(cosine).add_(0.34)

    return _window(window_length, periodic, options, 2 * math.pi, shape, "blackman_window")


def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """Make a triangular window.

    Args:
        window_length: The number of elements.
        periodic: Whether the window continues with its first element instead of ending at it.
        **options: dtype, layout, device, pin_memory and requires_grad of the result.

    Example:
        >>> torch.bartlett_window(4)
        tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window(window_length, periodic, options, 2, lambda x: x, "bartlett_window")


def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any
) -> Tensor:
    """Make a Kaiser window.

    Args:
        window_length: The number of elements.
        periodic: Whether the window continues with its first element instead of ending at it.
        beta: How narrow it is.
        **options: dtype, layout, device, pin_memory and requires_grad of the result.

    Example:
        >>> torch.kaiser_window(5, periodic=False)[2]
        tensor(1.)
    """

    def shape(x: Tensor) -> Tensor:
        inside = (1 - x).mul_(x).sqrt_().mul_(2 * beta)
        return torch.i0(inside).div_(torch.i0(torch.full_like(x[:1], beta)))

    return _window(window_length, periodic, options, 1, shape, "kaiser_window")
