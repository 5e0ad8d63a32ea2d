"""Products of matrices of small floating-point numbers that have scales."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

__all__ = ["ScalingType", "SwizzleType", "scaled_grouped_mm", "scaled_mm"]


class ScalingType(Enum):
    """Which numbers of a matrix share a scale: all, each row, or each block.

    Example:
        >>> F.ScalingType.RowWise.value
        1
    """

    TensorWise = 0
    RowWise = 1
    BlockWise1x16 = 2
    BlockWise1x32 = 3
    BlockWise1x128 = 4
    BlockWise128x128 = 5


class SwizzleType(Enum):
    """The order of scales in memory.

    Example:
        >>> F.SwizzleType.NO_SWIZZLE.value
        0
    """

    NO_SWIZZLE = 0
    SWIZZLE_32_4_4 = 1


def scaled_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    scale_a: Tensor | list[Tensor],
    scale_recipe_a: ScalingType | list[ScalingType],
    scale_b: Tensor | list[Tensor],
    scale_recipe_b: ScalingType | list[ScalingType],
    swizzle_a: SwizzleType | list[SwizzleType] | None = None,
    swizzle_b: SwizzleType | list[SwizzleType] | None = None,
    bias: Tensor | None = None,
    output_dtype: torch.dtype | None = torch.bfloat16,
    contraction_dim: Sequence[int] = (),
    use_fast_accum: bool = False,
) -> Tensor:
    """Multiply two matrices of 8-bit floats, each multiplied with its scales.

    Args:
        mat_a: (M, K), of a float8 dtype.
        mat_b: (K, N), of a float8 dtype.
        scale_a: The scale of `mat_a`: a tensor with one element, or of the shape (M, 1).
        scale_recipe_a: ScalingType.TensorWise or ScalingType.RowWise.
        scale_b: The scale of `mat_b`: a tensor with one element, or of the shape (1, N).
        scale_recipe_b: The recipe of `mat_b`, the same as for `mat_a`.
        swizzle_a: Ignored: these scales have one order only.
        swizzle_b: Ignored.
        bias: A tensor of N elements to add to each row, or None.
        output_dtype: The dtype of the result; that of `mat_a` if None.
        contraction_dim: Ignored on the CPU.
        use_fast_accum: Ignored: sums are computed in float32.

    Returns:
        A tensor of the shape (M, N).

    Raises:
        ValueError: If dtypes, recipes or shapes of scales do not fit together.
        RuntimeError: If the shapes of the matrices do not.

    Example:
        >>> a, scale = torch.eye(2).to(torch.float8_e4m3fn), torch.tensor(0.5)
        >>> F.scaled_mm(a, a, scale, F.ScalingType.TensorWise, scale, F.ScalingType.TensorWise)
        tensor([[0.2500, 0.0000],
                [0.0000, 0.2500]], dtype=torch.bfloat16)
    """
    return _scaled_mm_v2(
        mat_a,
        mat_b,
        _as_list(scale_a),
        _values(scale_recipe_a),
        _values(swizzle_a),
        _as_list(scale_b),
        _values(scale_recipe_b),
        _values(swizzle_b),
        bias,
        output_dtype,
        contraction_dim,
        use_fast_accum,
    )


def scaled_grouped_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    scale_a: Tensor | list[Tensor],
    scale_recipe_a: ScalingType | list[ScalingType],
    scale_b: Tensor | list[Tensor],
    scale_recipe_b: ScalingType | list[ScalingType],
    swizzle_a: SwizzleType | list[SwizzleType] | None = None,
    swizzle_b: SwizzleType | list[SwizzleType] | None = None,
    bias: Tensor | None = None,
    offs: Tensor | None = None,
    output_dtype: torch.dtype | None = torch.bfloat16,
    contraction_dim: Sequence[int] = (),
    use_fast_accum: bool = False,
) -> Tensor:
    """Multiply the matrices of each group, 8-bit floats with a scale for each row; see `grouped_mm`.

    Args:
        mat_a: (M, K), whose rows are divided into groups, or (G, M, K).
        mat_b: (G, K, N); or (K, N), whose columns are divided, or its rows if `mat_a` has two dimensions too.
        scale_a: The scale of each row of `mat_a`: (M), (G, M), or (G * M) if its columns are divided.
        scale_recipe_a: ScalingType.RowWise.
        scale_b: The scale of each column of `mat_b`: (N), (G, N), or (G * N) if its rows are divided.
        scale_recipe_b: ScalingType.RowWise.
        swizzle_a: Ignored: these scales have one order only.
        swizzle_b: Ignored.
        bias: Must be None.
        offs: Where each group ends in the dimension that is divided, (G), of dtype int32; None if both
            matrices have three dimensions.
        output_dtype: The dtype of the result, torch.bfloat16 by default.
        contraction_dim: Ignored.
        use_fast_accum: Ignored: sums are computed in float32.

    Raises:
        ValueError: If a recipe is another.
        RuntimeError: If a shape, a dtype or `offs` does not fit.

    Example:
        >>> a = torch.ones(3, 4).to(torch.float8_e4m3fn)
        >>> experts = torch.ones(2, 4, 1).to(torch.float8_e4m3fn)
        >>> row = F.ScalingType.RowWise
        >>> offs = torch.tensor([1, 3], dtype=torch.int32)
        >>> scales = torch.tensor([[1.0], [2.0]])
        >>> F.scaled_grouped_mm(a, experts, torch.ones(3), row, scales, row, offs=offs)[:, 0]
        tensor([4., 8., 8.], dtype=torch.bfloat16)
    """
    return _scaled_grouped_mm_v2(
        mat_a,
        mat_b,
        _as_list(scale_a),
        _values(scale_recipe_a),
        _values(swizzle_a),
        _as_list(scale_b),
        _values(scale_recipe_b),
        _values(swizzle_b),
        offs,
        bias,
        output_dtype,
        contraction_dim,
        use_fast_accum,
    )


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _values(members: Any) -> list[int]:
    return [member.value for member in _as_list(members)]


def _scaled_mm_v2(
    self: Tensor,
    mat2: Tensor,
    scale_a: Sequence[Tensor],
    recipe_a: Sequence[int],
    swizzle_a: Sequence[int],
    scale_b: Sequence[Tensor],
    recipe_b: Sequence[int],
    swizzle_b: Sequence[int],
    bias: Tensor | None,
    out_dtype: torch.dtype | None,
    contraction_dim: Sequence[int] = (),
    use_fast_accum: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """See scaled_mm: layers call it by this name, too."""
    line_by_line = [ScalingType.RowWise.value]
    for scales, recipe in ((scale_a, recipe_a), (scale_b, recipe_b)):
        known = list(recipe) in ([ScalingType.TensorWise.value], line_by_line)
        if not known or len(scales) != 1 or list(recipe) != list(recipe_a):
            raise ValueError(
                "Invalid scaling configuration: both matrices must have one scale with the recipe TensorWise "
                f"or RowWise, got recipes {list(recipe_a)} and {list(recipe_b)}"
            )
        if list(recipe) == line_by_line and scales[0].numel() == 1 and scales[0].dim() != 2:
            raise ValueError("Invalid scaling configuration: RowWise scales must be matrices")
    options = {} if out is None else {"out": out}
    return torch._scaled_mm(
        self, mat2, scale_a[0], scale_b[0], bias, None, out_dtype, use_fast_accum, **options
    )


def _scaled_grouped_mm_v2(
    self: Tensor,
    mat2: Tensor,
    scale_a: Sequence[Tensor],
    recipe_a: Sequence[int],
    swizzle_a: Sequence[int],
    scale_b: Sequence[Tensor],
    recipe_b: Sequence[int],
    swizzle_b: Sequence[int],
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
    contraction_dim: Sequence[int] = (),
    use_fast_accum: bool = False,
) -> Tensor:
    """See scaled_grouped_mm: layers of experts call it by this name, too."""
    if list(recipe_a) != [ScalingType.RowWise.value] or list(recipe_b) != list(recipe_a):
        raise ValueError(
            "Invalid scaling configuration: grouped products need a RowWise scale for both matrices"
        )
    counts = [len(offs)] if offs is not None and self.dim() == mat2.dim() == 2 else []
    rows = _lines("scale_a", scale_a[0], [*self.shape[:-2], *counts, self.shape[-2]])
    columns = _lines("scale_b", scale_b[0], [*mat2.shape[:-2], *counts, mat2.shape[-1]])
    product = torch.nn.functional.grouped_mm(self.float(), mat2.float(), offs=offs, bias=bias)
    dtype = out_dtype or torch.bfloat16
    if offs is None or counts:
        return (product * rows.unsqueeze(-1) * columns.unsqueeze(-2)).to(dtype)
    groups = pairwise((0, *offs.tolist()))
    if self.dim() == 2:
        parts = [columns[group].expand(b - a, -1) for group, (a, b) in enumerate(groups)]
        scales = _padded(torch.cat(parts), product.shape[0], 0) * rows.unsqueeze(-1)
    else:
        parts = [rows[group].unsqueeze(-1).expand(-1, b - a) for group, (a, b) in enumerate(groups)]
        scales = _padded(torch.cat(parts, 1), product.shape[1], 1) * columns
    return (product * scales).to(dtype)


def _lines(name: str, scale: Tensor, shape: list[int]) -> Tensor:
    """Return the scales of rows or columns in the given shape."""
    if scale.dtype != torch.float32:
        raise RuntimeError(f"{name} must be a float32 tensor, got {scale.dtype}")
    if scale.numel() != torch.Size(shape).numel():
        raise RuntimeError(f"{name} must have the shape {shape}, got {list(scale.shape)}")
    return scale.reshape(shape)


def _padded(scales: Tensor, size: int, dim: int) -> Tensor:
    """Append ones, the scales of lines that belong to no group."""
    missing = list(scales.shape)
    missing[dim] = size - scales.shape[dim]
    return torch.cat([scales, scales.new_ones(missing)], dim)
