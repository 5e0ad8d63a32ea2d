"""Matrix products of groups of rows or columns, as layers of experts compute them."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor

__all__ = ["grouped_mm"]

_DTYPES = (torch.float32, torch.bfloat16, torch.float16)


def grouped_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    *,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> Tensor:
    """Multiply the matrices of each group. Matrices of two dimensions are divided into groups by `offs`.

    Args:
        mat_a: (G, M, K); or (M, K), whose rows are divided, or its columns if `mat_b` has two dimensions too.
        mat_b: (G, K, N); or (K, N), whose columns are divided, or its rows if `mat_a` has two dimensions too.
        offs: Where each group ends in the dimension that is divided, (G), of dtype int32; None if both matrices
            have three dimensions.
        bias: Must be None.
        out_dtype: The dtype of the result: None or the matrices' own.

    Returns:
        (M, N) if `mat_b` or `mat_a` alone is divided, else (G, M, N). Rows and columns after the last group
        are zero.

    Raises:
        RuntimeError: If a shape, a dtype or `offs` does not fit.

    Example:
        >>> tokens, experts = torch.ones(3, 4), torch.stack([torch.eye(4), 2 * torch.eye(4)])
        >>> F.grouped_mm(tokens, experts, offs=torch.tensor([1, 3], dtype=torch.int32))[:, 0]
        tensor([1., 2., 2.])
    """
    _check(mat_a, mat_b, offs, bias, out_dtype)
    if offs is None:
        return torch.bmm(mat_a, mat_b)
    ends = offs.tolist()
    if mat_a.dim() == mat_b.dim() == 2:
        parts = [mat_a[:, a:b] @ mat_b[a:b] for a, b in pairwise((0, *ends))]
        return torch.stack(parts)
    groups = zip(pairwise((0, *ends)), mat_b if mat_a.dim() == 2 else mat_a, strict=True)
    if mat_a.dim() == 2:
        rows = [mat_a[a:b] @ matrix for (a, b), matrix in groups]
        rest = mat_a.new_zeros(mat_a.shape[0] - ends[-1], mat_b.shape[2])
        return torch.cat([*rows, rest])
    columns = [matrix @ mat_b[:, a:b] for (a, b), matrix in groups]
    rest = mat_a.new_zeros(mat_a.shape[1], mat_b.shape[1] - ends[-1])
    return torch.cat([*columns, rest], 1)


def _grouped_mm(
    self: Tensor,
    mat2: Tensor,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> Tensor:
    """See grouped_mm: layers of experts call it by this name, too."""
    return grouped_mm(self, mat2, offs=offs, bias=bias, out_dtype=out_dtype)


def _check(
    mat_a: Tensor,
    mat_b: Tensor,
    offs: Tensor | None,
    bias: Tensor | None,
    out_dtype: torch.dtype | None,
) -> None:
    for name, matrix in (("mat_a", mat_a), ("mat_b", mat_b)):
        if matrix.dim() not in (2, 3):
            raise RuntimeError(f"{name} has to be 2 or 3d")
    if mat_a.dtype not in _DTYPES:
        raise RuntimeError(
            f"Expected mat_a to be Float32, BFloat16 or Float16 matrix, got {mat_a.dtype}"
        )
    if mat_a.shape[-1] != mat_b.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    if (offs is None) != (mat_a.dim() == mat_b.dim() == 3):
        raise RuntimeError(
            "Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d"
        )
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if out_dtype not in (None, mat_a.dtype):
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")
    if offs is None:
        if mat_a.shape[0] != mat_b.shape[0]:
            raise RuntimeError("batched dimension has to match")
        return
    _check_ends(mat_a, mat_b, offs)


def _check_ends(mat_a: Tensor, mat_b: Tensor, offs: Tensor) -> None:
    if offs.dim() != 1:
        raise RuntimeError("offs has to be 1D")
    if offs.dtype != torch.int32:
        raise RuntimeError("Offsets have to be int32")
    batched = next((m for m in (mat_a, mat_b) if m.dim() == 3), None)
    if batched is not None and batched.shape[0] != len(offs):
        raise RuntimeError("matrix batch sizes have to match")
    divided = (
        mat_a.shape[-1]
        if batched is None
        else mat_a.shape[0]
        if mat_a.dim() == 2
        else mat_b.shape[1]
    )
    ends = [0, *offs.tolist()]
    if any(a > b for a, b in pairwise(ends)) or ends[-1] > divided:
        raise RuntimeError(
            f"offs must not decrease, and end at most at {divided}, the size of the divided dimension; "
            f"got {ends[1:]}"
        )
