"""The orthogonal parametrization of torch.nn.utils.parametrizations: three maps onto orthogonal matrices.

The maps are those of Lezcano-Casado and Martinez-Rubio, "Cheap Orthogonal Constraints in Neural Networks"
(2019); the base is that of Lezcano-Casado, "Trivializations for Gradient-Based Optimization on Manifolds"
(2019).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.modules.module import Module
from torch.nn.utils import parametrize

MAPS = ("matrix_exp", "cayley", "householder")


def _orthogonalized(matrix: Tensor) -> Tensor:
    """Return the Q of the QR decomposition whose R has a positive diagonal."""
    reflectors, scales = torch.geqrf(matrix)
    q = torch.linalg.householder_product(reflectors, scales)
    return q * reflectors.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def _is_orthogonal(matrix: Tensor) -> bool:
    rows, columns = matrix.shape[-2:]
    if rows < columns:
        matrix, columns = matrix.mH, rows
    identity = torch.eye(columns, dtype=matrix.dtype, device=matrix.device)
    tolerance = 10 * max(rows, columns) * torch.finfo(matrix.dtype).eps
    return torch.allclose(
        matrix.mH @ matrix, identity.expand_as(matrix.mH @ matrix), atol=tolerance
    )


def _exponential(skew: Tensor) -> Tensor:
    return torch.matrix_exp(skew)


def _cayley(skew: Tensor) -> Tensor:
    identity = torch.eye(skew.size(-1), dtype=skew.dtype, device=skew.device)
    return torch.linalg.solve(identity - skew / 2, identity + skew / 2)


_MAPS_OF_SKEW: dict[str, Callable[[Tensor], Tensor]] = {
    "matrix_exp": _exponential,
    "cayley": _cayley,
}


def _of_skew(tall: Tensor, apply: Callable[[Tensor], Tensor]) -> Tensor:
    """Return the first columns of a map of the skew-Hermitian matrix with a lower triangle."""
    rows, columns = tall.shape[-2:]
    lower = tall.tril()
    if rows != columns:
        rest = lower.new_zeros(rows, rows - columns).expand(*lower.shape[:-2], -1, -1)
        lower = torch.cat([lower, rest], dim=-1)
    return apply(lower - lower.mH)[..., :columns]


def _of_reflectors(tall: Tensor) -> Tensor:
    """Return the product of the Householder reflectors in the columns below the diagonal."""
    vectors = tall.tril(diagonal=-1)
    scales = 2.0 / (1.0 + (vectors * vectors).sum(dim=-2))
    q = torch.linalg.householder_product(vectors, scales)
    return q * tall.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)


class _Orthogonal(Module):
    """Map a matrix, or a batch of them, to orthogonal ones; complex ones to unitary ones."""

    base: Tensor | None

    def __init__(self, weight: Tensor, orthogonal_map: str, use_trivialization: bool) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, original: Tensor) -> Tensor:
        rows, columns = original.shape[-2:]
        tall = original.mT if rows < columns else original
        apply = _MAPS_OF_SKEW.get(self.orthogonal_map)
        q = _of_reflectors(tall) if apply is None else _of_skew(tall, apply)
        if hasattr(self, "base"):
            q = self.base @ q
        return q.mT if rows < columns else q

    @torch.no_grad()
    def right_inverse(self, value: Tensor) -> Tensor:
        if value.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. "
                f"Got a tensor of shape {value.shape}."
            )
        wide = value.size(-2) < value.size(-1)
        tall = value.mT if wide else value
        if hasattr(self, "base"):
            self.base = self._square_base(tall)
            origin = torch.zeros_like(value)
            origin.diagonal(dim1=-2, dim2=-1).fill_(-1)
            return origin
        original = self._reflectors_of(tall)
        return original.mT if wide else original

    def _reflectors_of(self, tall: Tensor) -> Tensor:
        if self.orthogonal_map != "householder":
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations "
                "when use_trivialization=False."
            )
        reflectors, scales = torch.geqrf(tall)
        diagonal = reflectors.diagonal(dim1=-2, dim2=-1)
        diagonal.sign_()
        diagonal[scales == 0.0] *= -1
        return reflectors

    def _square_base(self, tall: Tensor) -> Tensor:
        rows, columns = tall.shape[-2:]
        if rows == columns and _is_orthogonal(tall):
            return tall.clone()
        more = torch.randn(*tall.shape[:-1], rows - columns, dtype=tall.dtype, device=tall.device)
        return _orthogonalized(torch.cat([tall, more], dim=-1) if rows != columns else tall)


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Keep the matrices of a weight orthogonal, or unitary if they are complex.

    Args:
        module: The module.
        name: The name of the weight, a tensor of shape `(..., rows, columns)`.
        orthogonal_map: How the matrix is computed from an unconstrained one: "matrix_exp", "cayley" or
            "householder". By default "matrix_exp" if it is square or complex, otherwise
            "householder".
        use_trivialization: Whether to multiply the result by a fixed matrix, so that training
            starts at the identity. Without it, only "householder" allows assignments.

    Returns:
        The module.

    Raises:
        ValueError: If there is no such weight, it has fewer than two dimensions, or the map is
            unknown or does not support its dtype.

    Example:
        >>> linear = nn.utils.parametrizations.orthogonal(nn.Linear(3, 5))
        >>> torch.dist(linear.weight.T @ linear.weight, torch.eye(3)) < 1e-5
        tensor(True)
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions."
        )
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in MAPS:
        known = ", ".join(f'"{each}"' for each in MAPS)
        raise ValueError(f"orthogonal_map has to be one of {known}. Got: {orthogonal_map}")
    made = _Orthogonal(weight, orthogonal_map, use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)
