"""Batching rules of operators of matrices, which take any batch dimensions in front."""

from __future__ import annotations

from typing import Any

from torch._transforms.batch_shapes import broadcast, leading, unary
from torch._transforms.batched import Rule, VmapLevel


def _of_matrices(rule: Rule) -> Rule:
    """Return a rule that takes matrices only: with the mapped dimension a vector would be one."""

    def call(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if args[0].dim() < 2:
            name = func.name().partition("::")[2].partition(".")[0].lstrip("_").removesuffix("_ex")
            raise RuntimeError(
                f"{name.replace('linalg_', 'linalg.')}: The input tensor A must have at least 2 "
                "dimensions."
            )
        return rule(level, func, args, kwargs)

    return call


RULES: dict[str, Rule] = {
    **dict.fromkeys(
        [
            "linalg_cholesky_ex",
            "linalg_lu_factor_ex",
            "linalg_inv_ex",
            "_cholesky_inverse_helper",
            "_linalg_det",
            "_linalg_slogdet",
            "linalg_qr",
            "_linalg_eigh",
            "_linalg_svd",
            "_linalg_eigvals",
            "linalg_eig",
            "linalg_ldl_factor_ex",
            "geqrf",
        ],
        _of_matrices(unary),
    ),
    **dict.fromkeys(
        ["_linalg_solve_ex", "linalg_lu_solve", "lu_unpack", "linalg_householder_product", "ormqr"],
        _of_matrices(leading),
    ),
    **dict.fromkeys(
        ["linalg_solve_triangular", "_cholesky_solve_helper", "_cdist_forward"],
        _of_matrices(broadcast),
    ),
}
