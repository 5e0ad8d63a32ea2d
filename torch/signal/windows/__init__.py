"""Windows: factors that taper the ends of a signal's part."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
from torch._lazy_attributes import import_at_use as _import_at_use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from torch import Tensor

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _window(
    name: str, M: int, sym: bool, options: dict[str, Any], shape: Callable[[Tensor, int], Tensor]
) -> Tensor:
    """Return `shape` of the places 0 ... M - 1 and of the last place of the window's period."""
    dtype = options.pop("dtype", None) or torch.get_default_dtype()
    requires_grad = options.pop("requires_grad", False)
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if options.get("layout", torch.strided) is not torch.strided:
        raise ValueError(
            f"{name} is implemented for strided tensors only, got: {options['layout']}"
        )
    if dtype not in (torch.float32, torch.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    places = torch.arange(M, dtype=torch.float64, **options)
    result = shape(places, M - 1 if sym else M) if M > 1 else torch.ones_like(places)
    return result.to(dtype).requires_grad_(requires_grad)


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any
) -> Tensor:
    """Make a window exp(-abs(place - center) / tau).

    Args:
        M: The number of elements.
        center: Where it is one; the middle by default. It cannot be given if `sym`.
        tau: The distance over which it falls to 1 / e.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.exponential(3)
        tensor([0.3679, 1.0000, 0.3679])
    """
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return _window(
        "exponential",
        M,
        sym,
        options,
        lambda x, last: (-(x - (last / 2 if center is None else center)).abs() / tau).exp(),
    )


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Make a window of half a sine wave.

    Args:
        M: The number of elements.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.cosine(3)
        tensor([0.5000, 1.0000, 0.5000])
    """
    return _window(
        "cosine", M, sym, options, lambda x, last: (math.pi / (last + 1) * (x + 0.5)).sin()
    )


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """Make a window of the normal density's shape.

    Args:
        M: The number of elements.
        std: Its standard deviation, in elements.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.gaussian(3)
        tensor([0.6065, 1.0000, 0.6065])
    """
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return _window(
        "gaussian", M, sym, options, lambda x, last: (-((x - last / 2) / std).square() / 2).exp()
    )


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:
    """Make a Kaiser window.

    Args:
        M: The number of elements.
        beta: How narrow it is, not negative.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.kaiser(3, beta=0.0)
        tensor([1., 1., 1.])
    """
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")

    def shape(x: Tensor, last: int) -> Tensor:
        inside = (1 - (2 * x / last - 1).square()).clamp(min=0).sqrt()
        return torch.i0(beta * inside) / torch.i0(torch.full_like(x, beta))

    return _window("kaiser", M, sym, options, shape)


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Any) -> Tensor:
    """Make a window of a sum of cosines with alternating signs.

    Args:
        M: The number of elements.
        a: The factors of the cosines, that of the constant first.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.general_cosine(3, a=[0.5, 0.5])
        tensor([0., 1., 0.])
    """
    return _cosines("general_cosine", M, a, sym, options)


def _cosines(name: str, M: int, a: Iterable[float], sym: bool, options: dict[str, Any]) -> Tensor:
    if not hasattr(a, "__iter__"):
        raise TypeError("Coefficients must be a list/tuple")
    factors = list(a)
    if not factors:
        raise ValueError("Coefficients cannot be empty")

    def shape(x: Tensor, last: int) -> Tensor:
        angle = 2 * math.pi / last * x
        result = torch.zeros_like(x)
        for k, factor in enumerate(factors):
            result += (-1) ** k * factor * (k * angle).cos()
        return result

    return _window(name, M, sym, options, shape)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """Make a window alpha - (1 - alpha) cos(2 pi x).

    Args:
        M: The number of elements.
        alpha: The constant.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.general_hamming(3, alpha=0.75)
        tensor([0.5000, 1.0000, 0.5000])
    """
    return general_cosine(M, a=[alpha, 1 - alpha], sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Make a Hamming window.

    Args:
        M: The number of elements.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.hamming(3)
        tensor([0.0800, 1.0000, 0.0800])
    """
    return general_cosine(M, a=[0.54, 0.46], sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Make a Hann window.

    Args:
        M: The number of elements.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.hann(3)
        tensor([0., 1., 0.])
    """
    return general_cosine(M, a=[0.5, 0.5], sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Make a Blackman window.

    Args:
        M: The number of elements.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.blackman(5)[2].round()
        tensor(1.)
    """
    return _cosines("blackman", M, [0.42, 0.5, 0.08], sym, options)


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Make a triangular window.

    Args:
        M: The number of elements.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.bartlett(5)
        tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return _window("bartlett", M, sym, options, lambda x, last: 1 - (2 * x / last - 1).abs())


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Make a Nuttall window of four cosines.

    Args:
        M: The number of elements.
        sym: Whether it is symmetric, rather than one period of a periodic window.
        **options: dtype, layout, device and requires_grad of the result.

    Example:
        >>> torch.signal.windows.nuttall(5)[2].round()
        tensor(1.)
    """
    factors = [0.3635819, 0.4891775, 0.1365995, 0.0106411]
    return general_cosine(M, a=factors, sym=sym, **options)


__getattr__ = _import_at_use(__name__)
