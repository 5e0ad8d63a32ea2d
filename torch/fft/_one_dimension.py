"""Fourier transforms of one dimension, over three operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import _VF

from ._support import checked_points, factor, floating, resized, with_points, written

if TYPE_CHECKING:
    from torch import Tensor


def _complex_transform(
    input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool, name: str
) -> Tensor:
    x = with_points(floating(input, name), n, dim)
    if x.is_complex():
        return _VF._fft_c2c(x, [dim], factor(norm, forward), forward)
    result = _VF._fft_r2c(x, [dim], factor(norm, forward), False)
    return result if forward else result.conj()


def _half_spectrum(
    input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool, name: str
) -> Tensor:
    x = with_points(floating(input, name, real=True), n, dim)
    result = _VF._fft_r2c(x, [dim], factor(norm, forward), True)
    return result if forward else result.conj()


def _from_half_spectrum(
    input: Tensor, n: int | None, dim: int, norm: str | None, forward: bool, name: str
) -> Tensor:
    x = floating(input, name, complex=True)
    points = checked_points(2 * (x.size(dim) - 1) if n is None else n)
    x = resized(x, [dim], [points // 2 + 1])
    return _VF._fft_c2r(x.conj() if forward else x, [dim], factor(norm, forward), points)


def fft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the discrete Fourier transform of one dimension.

    Args:
        input: A tensor, real or complex.
        n: The number of points; the dimension is cut or extended with zeros to it.
        dim: The dimension to transform.
        norm: "backward" (no factor), "ortho" (one over the root of the number of points) or
            "forward" (one over the number of points).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.fft(torch.tensor([1.0, 2.0, 1.0, 0.0]))
        tensor([4.+0.j, 0.-2.j, 0.+0.j, 0.+2.j])
    """
    return written(_complex_transform(input, n, dim, norm, True, "fft"), out, "fft")


def ifft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the inverse discrete Fourier transform of one dimension.

    Args:
        input: A tensor, real or complex.
        n: The number of points; the dimension is cut or extended with zeros to it.
        dim: The dimension to transform.
        norm: "backward" (one over the number of points), "ortho" (one over the root of it) or
            "forward" (no factor).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.ifft(torch.tensor([4.0 + 0j, -2j, 0j, 2j])).real
        tensor([1., 2., 1., 0.])
    """
    return written(_complex_transform(input, n, dim, norm, False, "ifft"), out, "ifft")


def rfft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the Fourier transform of real numbers, without its negative frequencies.

    Args:
        input: A real tensor.
        n: The number of points; the dimension is cut or extended with zeros to it.
        dim: The dimension to transform.
        norm: "backward" (no factor), "ortho" (one over the root of the number of points) or
            "forward" (one over the number of points).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.rfft(torch.tensor([1.0, 2.0, 1.0, 0.0]))
        tensor([4.+0.j, 0.-2.j, 0.+0.j])
    """
    return written(_half_spectrum(input, n, dim, norm, True, "rfft"), out, "rfft")


def irfft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the inverse of :func:`rfft`.

    Args:
        input: The frequencies from zero up to half of the points.
        n: The number of points of the result; 2 (size - 1) by default.
        dim: The dimension to transform.
        norm: "backward" (one over the number of points), "ortho" (one over the root of it) or
            "forward" (no factor).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.irfft(torch.tensor([4.0 + 0j, -2j, 0j]))
        tensor([1., 2., 1., 0.])
    """
    return written(_from_half_spectrum(input, n, dim, norm, False, "irfft"), out, "irfft")


def hfft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the real transform of numbers that are Hermitian: x[-k] = conj(x[k]).

    Args:
        input: The numbers from place zero up to half of the points.
        n: The number of points of the result; 2 (size - 1) by default.
        dim: The dimension to transform.
        norm: "backward" (no factor), "ortho" (one over the root of the number of points) or
            "forward" (one over the number of points).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.hfft(torch.tensor([1.0, 0.5, 0.0]))
        tensor([2., 1., 0., 1.])
    """
    return written(_from_half_spectrum(input, n, dim, norm, True, "hfft"), out, "hfft")


def ihfft(
    input: Tensor,
    n: int | None = None,
    dim: int = -1,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the inverse of :func:`hfft`.

    Args:
        input: A real tensor.
        n: The number of points; the dimension is cut or extended with zeros to it.
        dim: The dimension to transform.
        norm: "backward" (one over the number of points), "ortho" (one over the root of it) or
            "forward" (no factor).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.ihfft(torch.tensor([2.0, 1.0, 0.0, 1.0])).real
        tensor([1.0000, 0.5000, 0.0000])
    """
    return written(_half_spectrum(input, n, dim, norm, False, "ihfft"), out, "ihfft")
