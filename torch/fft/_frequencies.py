"""The frequencies of a transform, and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


def _counted(count: int, name: str, out: Tensor | None, options: dict[str, Any]) -> Tensor:
    """Return 0, 1, ..., in `out` if it is given."""
    dtype = options.get("dtype") or (torch.get_default_dtype() if out is None else out.dtype)
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if out is not None:
        return torch.arange(count, out=out)
    return torch.arange(count, **{**options, "dtype": dtype})


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    requires_grad: bool = False,
    **options: Any,
) -> Tensor:
    """Compute the frequencies of the results of :func:`fft`, in cycles per unit of the samples.

    Args:
        n: The number of samples.
        d: The distance of two samples.
        out: A tensor to write the result to.
        requires_grad: Whether the result requires gradients.
        **options: dtype, layout, device and pin_memory of the result.

    Example:
        >>> torch.fft.fftfreq(4)
        tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    numbers = _counted(n, "fftfreq", out, options)
    numbers[(n + 1) // 2 :] -= n
    numbers.mul_(1.0 / (n * d))
    return numbers.requires_grad_() if requires_grad else numbers


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    requires_grad: bool = False,
    **options: Any,
) -> Tensor:
    """Compute the frequencies of the results of :func:`rfft`, in cycles per unit of the samples.

    Args:
        n: The number of samples.
        d: The distance of two samples.
        out: A tensor to write the result to.
        requires_grad: Whether the result requires gradients.
        **options: dtype, layout, device and pin_memory of the result.

    Example:
        >>> torch.fft.rfftfreq(4)
        tensor([0.0000, 0.2500, 0.5000])
    """
    numbers = _counted(n // 2 + 1, "rfftfreq", out, options).mul_(1.0 / (n * d))
    return numbers.requires_grad_() if requires_grad else numbers


def _axes(input: Tensor, dim: int | Sequence[int] | None) -> list[int]:
    if dim is None:
        return list(range(input.dim()))
    return [dim] if isinstance(dim, int) else list(dim)


def fftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Move frequency zero to the middle.

    Args:
        input: Frequencies in the order of :func:`fftfreq`.
        dim: The dimensions to reorder; all of them by default.

    Example:
        >>> torch.fft.fftshift(torch.fft.fftfreq(4))
        tensor([-0.5000, -0.2500,  0.0000,  0.2500])
    """
    axes = _axes(input, dim)
    return torch.roll(input, [input.size(axis) // 2 for axis in axes], axes)


def ifftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Move frequency zero from the middle to the start: the inverse of :func:`fftshift`.

    Args:
        input: Frequencies in ascending order.
        dim: The dimensions to reorder; all of them by default.

    Example:
        >>> torch.fft.ifftshift(torch.arange(-2, 3))
        tensor([ 0,  1,  2, -2, -1])
    """
    axes = _axes(input, dim)
    return torch.roll(input, [(input.size(axis) + 1) // 2 for axis in axes], axes)
