"""Fourier transforms of two and more dimensions, over three operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import _VF

from ._support import axes, checked_points, factor, floating, resized, written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


def _complex_transforms(
    input: Tensor, s: Any, dim: Any, norm: str | None, forward: bool, name: str
) -> Tensor:
    x = floating(input, name, complex=not forward)
    dims, sizes = axes(x, s, dim)
    x = resized(x, dims, sizes)
    weight = factor(norm, forward)
    if dims and not x.is_complex():
        return _VF._fft_r2c(x, dims, weight, False)
    return _VF._fft_c2c(floating(x, name, complex=True), dims, weight, forward)


def _half_spectra(
    input: Tensor, s: Any, dim: Any, norm: str | None, forward: bool, name: str
) -> Tensor:
    x = floating(input, name, real=True)
    dims, sizes = axes(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    x = resized(x, dims, sizes)
    weight = factor(norm, forward)
    if forward:
        return _VF._fft_r2c(x, dims, weight, True)
    half = _VF._fft_r2c(x, dims[-1:], weight, True).conj()
    return _VF._fft_c2c(half, dims[:-1], weight, False) if dims[:-1] else half


def _from_half_spectra(
    input: Tensor, s: Any, dim: Any, norm: str | None, forward: bool, name: str
) -> Tensor:
    x = floating(input, name, complex=True)
    dims, sizes = axes(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    given = sizes[-1] if s is not None else -1
    points = checked_points(2 * (x.size(dims[-1]) - 1) if given == -1 else given)
    x = resized(x, dims, [*(sizes or [-1] * len(dims))[:-1], points // 2 + 1])
    weight = factor(norm, forward)
    if not forward:
        return _VF._fft_c2r(x, dims, weight, points)
    if dims[:-1]:
        x = _VF._fft_c2c(x, dims[:-1], weight, True)
    return _VF._fft_c2r(x.conj(), dims[-1:], weight, points)


def fft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the Fourier transform of two dimensions.

    Args:
        input: A tensor, real or complex.
        s: The numbers of points; dimensions are cut or extended with zeros to them.
        dim: The dimensions to transform.
        norm: "backward" (no factor), "ortho" (one over the root of the number of points) or
            "forward" (one over the number of points).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.fft2(torch.ones(2, 2)).real
        tensor([[4., 0.],
                [0., 0.]])
    """
    return written(_complex_transforms(input, s, dim, norm, True, "fft2"), out, "fftn")


def fftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the Fourier transform of several dimensions.

    Args:
        input: A tensor, real or complex.
        s: The numbers of points; dimensions are cut or extended with zeros to them.
        dim: The dimensions to transform; by default all, or the last len(s).
        norm: "backward" (no factor), "ortho" (one over the root of the number of points) or
            "forward" (one over the number of points).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.fftn(torch.ones(2, 2, 2)).real.sum()
        tensor(8.)
    """
    return written(_complex_transforms(input, s, dim, norm, True, "fftn"), out, "fftn")


def ifft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the inverse Fourier transform of two dimensions.

    Args:
        input: A tensor, real or complex.
        s: The numbers of points; dimensions are cut or extended with zeros to them.
        dim: The dimensions to transform.
        norm: "backward" (one over the number of points), "ortho" (one over the root of it) or
            "forward" (no factor).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.ifft2(torch.ones(2, 2)).real
        tensor([[1., 0.],
                [0., 0.]])
    """
    return written(_complex_transforms(input, s, dim, norm, False, "ifft2"), out, "ifftn")


def ifftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the inverse Fourier transform of several dimensions.

    Args:
        input: A tensor, real or complex.
        s: The numbers of points; dimensions are cut or extended with zeros to them.
        dim: The dimensions to transform; by default all, or the last len(s).
        norm: "backward" (one over the number of points), "ortho" (one over the root of it) or
            "forward" (no factor).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.ifftn(torch.ones(2, 2, 2)).real.sum()
        tensor(1.)
    """
    return written(_complex_transforms(input, s, dim, norm, False, "ifftn"), out, "ifftn")


def rfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the Fourier transform of two dimensions of real numbers.

    Args:
        input: A real tensor. The result has no negative frequencies of the last dimension.
        s: The numbers of points; dimensions are cut or extended with zeros to them.
        dim: The dimensions to transform.
        norm: "backward" (no factor), "ortho" (one over the root of the number of points) or
            "forward" (one over the number of points).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.rfft2(torch.ones(2, 4)).real
        tensor([[8., 0., 0.],
                [0., 0., 0.]])
    """
    return written(_half_spectra(input, s, dim, norm, True, "rfft2"), out, "rfftn")


def rfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the Fourier transform of several dimensions of real numbers.

    Args:
        input: A real tensor. The result has no negative frequencies of the last dimension.
        s: The numbers of points; dimensions are cut or extended with zeros to them.
        dim: The dimensions to transform; by default all, or the last len(s).
        norm: "backward" (no factor), "ortho" (one over the root of the number of points) or
            "forward" (one over the number of points).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.rfftn(torch.ones(2, 2, 4)).shape
        torch.Size([2, 2, 3])
    """
    return written(_half_spectra(input, s, dim, norm, True, "rfftn"), out, "rfftn")


def irfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the inverse of :func:`rfft2`.

    Args:
        input: The frequencies, from zero up to half of the points in the last dimension.
        s: The numbers of points of the result; 2 (size - 1) for the last one by default.
        dim: The dimensions to transform.
        norm: "backward" (one over the number of points), "ortho" (one over the root of it) or
            "forward" (no factor).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.irfft2(torch.fft.rfft2(torch.ones(2, 4)))
        tensor([[1., 1., 1., 1.],
                [1., 1., 1., 1.]])
    """
    return written(_from_half_spectra(input, s, dim, norm, False, "irfft2"), out, "irfftn")


def irfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the inverse of :func:`rfftn`.

    Args:
        input: The frequencies, from zero up to half of the points in the last dimension.
        s: The numbers of points of the result; 2 (size - 1) for the last one by default.
        dim: The dimensions to transform; by default all, or the last len(s).
        norm: "backward" (one over the number of points), "ortho" (one over the root of it) or
            "forward" (no factor).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.irfftn(torch.fft.rfftn(torch.ones(4)))
        tensor([1., 1., 1., 1.])
    """
    return written(_from_half_spectra(input, s, dim, norm, False, "irfftn"), out, "irfftn")


def hfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the real transform of numbers that are Hermitian in two dimensions.

    Args:
        input: The numbers, from place zero up to half of the points in the last dimension.
        s: The numbers of points of the result; 2 (size - 1) for the last one by default.
        dim: The dimensions to transform.
        norm: "backward" (no factor), "ortho" (one over the root of the number of points) or
            "forward" (one over the number of points).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.hfft2(torch.ones(2, 3)).shape
        torch.Size([2, 4])
    """
    return written(_from_half_spectra(input, s, dim, norm, True, "hfft2"), out, "hfftn")


def hfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the real transform of numbers that are Hermitian in several dimensions.

    Args:
        input: The numbers, from place zero up to half of the points in the last dimension.
        s: The numbers of points of the result; 2 (size - 1) for the last one by default.
        dim: The dimensions to transform; by default all, or the last len(s).
        norm: "backward" (no factor), "ortho" (one over the root of the number of points) or
            "forward" (one over the number of points).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.hfftn(torch.ones(2, 2, 3)).shape
        torch.Size([2, 2, 4])
    """
    return written(_from_half_spectra(input, s, dim, norm, True, "hfftn"), out, "hfftn")


def ihfft2(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the inverse of :func:`hfft2`.

    Args:
        input: A real tensor.
        s: The numbers of points; dimensions are cut or extended with zeros to them.
        dim: The dimensions to transform.
        norm: "backward" (one over the number of points), "ortho" (one over the root of it) or
            "forward" (no factor).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.ihfft2(torch.ones(2, 4)).shape
        torch.Size([2, 3])
    """
    return written(_half_spectra(input, s, dim, norm, False, "ihfft2"), out, "ihfftn")


def ihfftn(
    input: Tensor,
    s: Sequence[int] | None = None,
    dim: Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the inverse of :func:`hfftn`.

    Args:
        input: A real tensor.
        s: The numbers of points; dimensions are cut or extended with zeros to them.
        dim: The dimensions to transform; by default all, or the last len(s).
        norm: "backward" (one over the number of points), "ortho" (one over the root of it) or
            "forward" (no factor).
        out: A tensor to write the result to.

    Example:
        >>> torch.fft.ihfftn(torch.ones(2, 2, 4)).shape
        torch.Size([2, 2, 3])
    """
    return written(_half_spectra(input, s, dim, norm, False, "ihfftn"), out, "ihfftn")
