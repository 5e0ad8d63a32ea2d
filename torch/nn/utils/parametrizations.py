"""Parametrizations of weights: weight norm, spectral norm and orthogonal matrices."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.module import Module
from torch.nn.utils import parametrize
from torch.nn.utils._orthogonal import orthogonal

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _norm_except(v: Tensor, dim: int, order: float = 2) -> Tensor:
    """Return the norm over all dimensions but one, which keeps its place; over all for -1."""
    if dim == -1:
        return v.norm(order)
    others = [i for i in range(v.dim()) if i != dim % v.dim()]
    return v.norm(order, others, keepdim=True) if others else v.abs()


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / _norm_except(weight_v, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return _norm_except(weight, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Compute a weight from its length and its direction, which are trained apart.

    Args:
        module: The module.
        name: The name of the weight.
        dim: The dimension whose slices have a length each; None for one length of all.

    Returns:
        The module.

    Example:
        >>> linear = nn.utils.parametrizations.weight_norm(nn.Linear(20, 40))
        >>> linear.parametrizations.weight.original0.shape
        torch.Size([40, 1])
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    module._register_load_state_dict_pre_hook(functools.partial(_rename_saved, name))
    return module


def _rename_saved(name: str, state: dict[str, Any], prefix: str, *rest: Any) -> None:
    """Rename the length and the direction that `torch.nn.utils.weight_norm` saved."""
    old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
    if all(key in state for key in old):
        for place, key in enumerate(old):
            state[f"{prefix}parametrizations.{name}.original{place}"] = state.pop(key)


class _SpectralNorm(Module):
    def __init__(
        self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        super().__init__()
        if dim >= weight.dim() or dim < -weight.dim():
            raise IndexError(
                "Dimension out of range (expected to be in range of "
                f"[-{weight.dim()}, {weight.dim() - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim = dim % weight.dim()
        self.eps = eps
        if weight.dim() > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight)
            self.register_buffer(
                "_u", F.normalize(matrix.new_empty(len(matrix)).normal_(0, 1), dim=0, eps=eps)
            )
            self.register_buffer(
                "_v", F.normalize(matrix.new_empty(matrix.shape[1]).normal_(0, 1), dim=0, eps=eps)
            )
            self._iterate(matrix, 15)

    def _matrix(self, weight: Tensor) -> Tensor:
        return weight.movedim(self.dim, 0).flatten(1)

    @torch.no_grad()
    def _iterate(self, matrix: Tensor, count: int) -> None:
        for _ in range(count):
            self._u = F.normalize(matrix.mv(self._v), dim=0, eps=self.eps)
            self._v = F.normalize(matrix.mH.mv(self._u), dim=0, eps=self.eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.dim() == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        sigma = self._u.clone().vdot(matrix.mv(self._v.clone()))
        return weight / sigma

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divide a weight by its largest singular value, which power iterations estimate.

    Args:
        module: The module.
        name: The name of the weight.
        n_power_iterations: The iterations in each forward pass in training mode.
        eps: Added to norms that are divided by.
        dim: The dimension of the rows; 1 for transposed convolutions, otherwise 0.

    Returns:
        The module.

    Raises:
        ValueError: If the module has no such weight, or there are no iterations.

    Example:
        >>> linear = nn.utils.parametrizations.spectral_norm(nn.Linear(20, 40))
        >>> bool(linear.weight.norm() > 0)
        True
    """
    weight: Any = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    norm = _SpectralNorm(weight, n_power_iterations, dim, eps)
    return parametrize.register_parametrization(module, name, norm)
