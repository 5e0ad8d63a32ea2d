"""Padding and resampling."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import torch
from torch import Tensor
from torch._C import _nn


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """The input with pad[0] before and pad[1] after the last dimension, and so on inwards."""
    return _nn.pad(input, pad, mode, value)


_OPERATORS = {
    (3, "nearest"): "upsample_nearest1d",
    (4, "nearest"): "upsample_nearest2d",
    (5, "nearest"): "upsample_nearest3d",
    (3, "nearest-exact"): "_upsample_nearest_exact1d",
    (4, "nearest-exact"): "_upsample_nearest_exact2d",
    (5, "nearest-exact"): "_upsample_nearest_exact3d",
    (3, "linear"): "upsample_linear1d",
    (4, "bilinear"): "upsample_bilinear2d",
    (5, "trilinear"): "upsample_trilinear3d",
    (4, "bicubic"): "upsample_bicubic2d",
}
_NEAREST = ("nearest", "area", "nearest-exact")
_ALIGNABLE = ("linear", "bilinear", "bicubic", "trilinear")


def _target(
    input: Tensor,
    size: int | Sequence[int] | None,
    scale_factor: float | Sequence[float] | None,
) -> tuple[list[int] | None, list[float] | None]:
    """The output size or the scale factors, one for each spatial dimension."""
    spatial = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    given = size if size is not None else scale_factor
    if given is None:
        raise ValueError("either size or scale_factor should be defined")
    name = "size" if size is not None else "scale_factor"
    if not isinstance(given, (int, float)):
        if len(given) != spatial:
            raise ValueError(
                f"Input and {name} must have the same number of spatial dimensions, but got input "
                f"with spatial dimensions of {list(input.shape[2:])} and "
                + (
                    f"output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
                    "format and output size in (o1, o2, ...,oK) format."
                    if size is not None
                    else f"scale_factor of shape {scale_factor}. Please provide input tensor in "
                    "(N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
                )
            )
        values = list(given)
    else:
        values = [given] * spatial
    return (values, None) if size is not None else (None, values)


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """(N, C, ...) resampled to a size, or by a factor.

    `align_corners` makes the corner pixels' centres coincide.
    """
    if mode in _NEAREST:
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | "
                "bilinear | bicubic | trilinear"
            )
    elif align_corners is None:
        align_corners = False
    sizes, scales = _target(input, size, scale_factor)
    if recompute_scale_factor:
        if scales is None:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        extents = zip(input.shape[2:], scales, strict=True)
        sizes, scales = [math.floor(extent * scale) for extent, scale in extents], None
    if mode == "area":
        return _area(input, sizes, scales)
    if antialias:
        raise ValueError("Anti-alias option is only supported for bilinear and bicubic modes")
    name = _OPERATORS.get((input.dim(), mode))
    if name is None:
        return _refuse(input, mode)
    operator = getattr(_nn, name, None)
    if operator is None:
        raise NotImplementedError(f"interpolate(): mode {mode!r} for {input.dim()}D input")
    if mode in _NEAREST:
        return operator(input, sizes, scales)
    return operator(input, sizes, align_corners, scales)


def _area(input: Tensor, sizes: list[int] | None, scales: list[float] | None) -> Tensor:
    if sizes is None:
        extents = zip(input.shape[2:], scales or (), strict=True)
        sizes = [math.floor(extent * scale) for extent, scale in extents]
    if input.dim() == 3:
        return torch.adaptive_avg_pool1d(input, sizes)
    if input.dim() == 4:
        return _nn.adaptive_avg_pool2d(input, sizes)
    raise NotImplementedError(f"interpolate(): mode 'area' for {input.dim()}D input")


def _refuse(input: Tensor, mode: str) -> Tensor:
    dims = {key_mode: dim for dim, key_mode in _OPERATORS if key_mode in _ALIGNABLE}
    if mode in dims and input.dim() in (3, 4, 5):
        raise NotImplementedError(
            f"Got {input.dim()}D input, but {mode} mode needs {dims[mode]}D input"
        )
    raise NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
        f"{input.dim()}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | area "
        f"| nearest-exact (got {mode})"
    )


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """The old name of interpolate."""
    warnings.warn(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode, align_corners)
