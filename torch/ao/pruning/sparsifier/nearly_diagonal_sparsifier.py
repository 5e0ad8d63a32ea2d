"""Keep a band around the diagonal."""

from __future__ import annotations

from typing import Any

import torch
from torch.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier

__all__ = ["NearlyDiagonalSparsifier"]


class NearlyDiagonalSparsifier(BaseSparsifier):
    """Keeps the diagonal of square weights and its neighbours.

    Args:
        nearliness: The width of the band, an odd number; 1 keeps the diagonal only.

    Example:
        >>> from torch.ao.pruning import NearlyDiagonalSparsifier
        >>> model = nn.Sequential(nn.Linear(3, 3))
        >>> sparsifier = NearlyDiagonalSparsifier(nearliness=1)
        >>> sparsifier.prepare(model, config=None)
        >>> sparsifier.step()
        >>> (model[0].weight != 0).int()
        tensor([[1, 0, 0],
                [0, 1, 0],
                [0, 0, 1]], dtype=torch.int32)
    """

    def __init__(self, nearliness: int = 1) -> None:
        super().__init__(defaults={"nearliness": nearliness})

    def update_mask(  # type: ignore[override]
        self, module: torch.nn.Module, tensor_name: str, nearliness: int, **kwargs: Any
    ) -> None:
        """Write the mask of a weight."""
        mask = getattr(module.parametrizations, tensor_name)[0].mask
        mask.data = torch.zeros_like(mask)
        if nearliness <= 0:
            return
        rows, columns = getattr(module, tensor_name).shape
        distance = nearliness // 2
        if nearliness % 2 != 1:
            raise ValueError("nearliness can only be an odd number")
        if distance >= min(rows, columns):
            raise ValueError("nearliness cannot be larger than the dimensions of tensor.")
        mask.data = torch.ones_like(mask).tril(distance).triu(-distance)
