"""Padding and resampling."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import SupportsIndex

import torch
from torch import Tensor
from torch._C import _nn
from torch._torch_function import handle_torch_function, has_torch_function_unary


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Pad the last dimensions of a tensor.

    Args:
        input: Tensor to pad.
        pad: Numbers of elements to add before and after the last dimension, then before and after
            the second to last, and so on. Negative numbers crop.
        mode: ``constant``, ``reflect`` (without the edge), ``replicate`` (the edge) or
            ``circular``.
        value: Value of the padding in ``constant`` mode. The default is 0.

    Returns:
        The padded tensor.

    Example:
        >>> x = torch.tensor([[1.0, 2.0, 3.0]])
        >>> F.pad(x, (1, 2))
        tensor([[0., 1., 2., 3., 0., 0.]])
        >>> F.pad(x, (1, 2), mode="reflect")
        tensor([[2., 1., 2., 3., 2., 1.]])
    """
    if has_torch_function_unary(input):
        function = torch.nn.functional.pad  # the parameter hides the name
        return handle_torch_function(function, (input,), input, pad, mode=mode, value=value)
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
_SMOOTH_OPERATORS = {
    (4, "bilinear"): "_upsample_bilinear2d_aa",
    (4, "bicubic"): "_upsample_bicubic2d_aa",
    (4, "lanczos"): "_upsample_lanczos2d_aa",
}
_NEAREST = ("nearest", "area", "nearest-exact")
_ALIGNABLE = ("linear", "bilinear", "bicubic", "trilinear")


def _output_extents(
    input: Tensor,
    size: int | Sequence[int] | None,
    scale_factor: float | Sequence[float] | None,
) -> tuple[list[int] | None, list[float] | None]:
    """Return (sizes, None) or (None, scale factors), with one entry per spatial dimension."""
    spatial = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    extents = size if size is not None else scale_factor
    if extents is None:
        raise ValueError("either size or scale_factor should be defined")
    name = "output" if size is not None else "scale_factor"
    if not isinstance(extents, (int, float)):
        if len(extents) != spatial:
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
        values = list(extents)
    else:
        values = [extents] * spatial
    if size is None:
        return None, values
    if not isinstance(size, (int, float)) and not all(_is_integer(value) for value in values):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, "
            f"int], but got size with types {[type(value) for value in values]}"
        )
    return values, None


def _is_integer(value: object) -> bool:
    if isinstance(value, Tensor):
        return not value.is_floating_point()
    return isinstance(value, SupportsIndex)


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resample the spatial dimensions to a size or by a factor.

    Args:
        input: Tensor of shape (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        size: Output size: one number or one per spatial dimension.
        scale_factor: Ratio of output to input size: one number or one per spatial dimension.
        mode: ``nearest``, ``nearest-exact``, ``linear`` (3D input), ``bilinear`` or ``bicubic``
            (4D), ``trilinear`` (5D), or ``area``.
        align_corners: If True, the centers of the corner pixels of input and output coincide.
            Otherwise, their outer corners do. Only for the linear and cubic modes.
        recompute_scale_factor: If True, round the output size down and derive the factor from it.
        antialias: If True, average more of the input where it shrinks. Only for ``bilinear`` and
            ``bicubic``, and for ``lanczos``, which needs it.

    Returns:
        The resampled tensor, (N, C, ...).

    Raises:
        ValueError: If not exactly one of `size` and `scale_factor` is given, or an option does not
            apply to the mode.
        NotImplementedError: If the mode does not support inputs of that dimension.

    Example:
        >>> F.interpolate(torch.tensor([[[1.0, 2.0]]]), scale_factor=2.0)
        tensor([[[1., 1., 2., 2.]]])
        >>> F.interpolate(torch.tensor([[[1.0, 2.0]]]), size=3, mode="linear", align_corners=True)
        tensor([[[1.0000, 1.5000, 2.0000]]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            interpolate,
            (input,),
            input,
            size=size,
            scale_factor=scale_factor,
            mode=mode,
            align_corners=align_corners,
            recompute_scale_factor=recompute_scale_factor,
            antialias=antialias,
        )
    if mode in _NEAREST:
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | "
                "bilinear | bicubic | trilinear"
            )
    elif align_corners is None:
        align_corners = False
    sizes, scales = _output_extents(input, size, scale_factor)
    if recompute_scale_factor:
        if scales is None:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        extents = zip(input.shape[2:], scales, strict=True)
        sizes, scales = [math.floor(extent * scale) for extent, scale in extents], None
    if mode == "area":
        return _interpolate_area(input, sizes, scales)
    if antialias and (input.dim(), mode) not in _SMOOTH_OPERATORS:
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a "
            "4-D tensor as input"
        )
    if mode == "lanczos" and not antialias:
        raise ValueError("lanczos mode requires antialias=True")
    name = (_SMOOTH_OPERATORS if antialias else _OPERATORS).get((input.dim(), mode))
    if name is None:
        return _raise_unsupported(input, mode)
    operator = getattr(_nn, name)
    if mode in _NEAREST:
        return operator(input, sizes, scales)
    return operator(input, sizes, align_corners, scales)


def _interpolate_area(input: Tensor, sizes: list[int] | None, scales: list[float] | None) -> Tensor:
    if sizes is None:
        extents = zip(input.shape[2:], scales or (), strict=True)
        sizes = [math.floor(extent * scale) for extent, scale in extents]
    if input.dim() == 3:
        return torch.adaptive_avg_pool1d(input, sizes)
    if input.dim() == 4:
        return _nn.adaptive_avg_pool2d(input, sizes)
    if input.dim() == 5:
        return _nn.adaptive_avg_pool3d(input, sizes)
    raise NotImplementedError(
        f"interpolate() does not support mode 'area' for {input.dim()}D input"
    )


def _raise_unsupported(input: Tensor, mode: str) -> Tensor:
    dims = {key_mode: dim for dim, key_mode in _OPERATORS if key_mode in _ALIGNABLE}
    if mode in dims and input.dim() in (3, 4, 5):
        raise NotImplementedError(
            f"Got {input.dim()}D input, but {mode} mode needs {dims[mode]}D input"
        )
    raise NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
        f"{input.dim()}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | "
        f"lanczos | area | nearest-exact (got {mode})"
    )


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Call interpolate and warn that this name is deprecated.

    Args:
        input: See interpolate().
        size: See interpolate().
        scale_factor: See interpolate().
        mode: See interpolate().
        align_corners: See interpolate().

    Returns:
        The resampled tensor.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     F.upsample(torch.tensor([[[1.0, 2.0]]]), scale_factor=2.0)
        tensor([[[1., 1., 2., 2.]]])
    """
    if has_torch_function_unary(input):
        return handle_torch_function(
            upsample,
            (input,),
            input,
            size=size,
            scale_factor=scale_factor,
            mode=mode,
            align_corners=align_corners,
        )
    warnings.warn(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=2,
    )
    return interpolate(input, size, scale_factor, mode, align_corners)
