"""Set the blocks of smallest norm to zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier

__all__ = ["WeightNormSparsifier"]


class WeightNormSparsifier(BaseSparsifier):
    """Sets the elements of smallest norm in the blocks of smallest norm to zero.

    Args:
        sparsity_level: The share of blocks with zeros.
        sparse_block_shape: The rows and columns of a block.
        zeros_per_block: The zeros in each of them; all elements by default.
        norm: 1 or 2, or a function that returns the size of each element.

    Raises:
        ValueError: If a block has fewer elements than zeros.
        NotImplementedError: For another norm.

    Example:
        >>> from torch.ao.pruning import WeightNormSparsifier
        >>> model = nn.Sequential(nn.Linear(8, 8))
        >>> sparsifier = WeightNormSparsifier(sparsity_level=0.75)
        >>> sparsifier.prepare(model, [{"tensor_fqn": "0.weight"}])
        >>> sparsifier.step()
        >>> int((model[0].weight == 0).sum())
        48
    """

    def __init__(
        self,
        sparsity_level: float = 0.5,
        sparse_block_shape: tuple[int, int] = (1, 4),
        zeros_per_block: int | None = None,
        norm: Callable[[torch.Tensor], torch.Tensor] | int | None = None,
    ) -> None:
        if zeros_per_block is None:
            zeros_per_block = math.prod(sparse_block_shape)
        super().__init__(
            {
                "sparsity_level": sparsity_level,
                "sparse_block_shape": sparse_block_shape,
                "zeros_per_block": zeros_per_block,
            }
        )
        if norm is None or norm == 2:
            self.norm_fn = torch.square
        elif callable(norm):
            self.norm_fn = norm
        elif norm == 1:
            self.norm_fn = torch.abs
        else:
            raise NotImplementedError(f"L-{norm} is not yet implemented.")

    def update_mask(  # type: ignore[override]
        self,
        module: torch.nn.Module,
        tensor_name: str,
        sparsity_level: float,
        sparse_block_shape: tuple[int, int],
        zeros_per_block: int,
        **kwargs: Any,
    ) -> None:
        """Write the mask of a weight."""
        size = math.prod(sparse_block_shape)
        if zeros_per_block > size:
            raise ValueError(
                "Number of zeros per block cannot be more than the total number of elements in that "
                "block."
            )
        if zeros_per_block < 0:
            raise ValueError("Number of zeros per block should be positive.")
        mask = getattr(module.parametrizations, tensor_name)[0].mask
        if sparsity_level <= 0 or zeros_per_block == 0:
            mask.data = torch.ones_like(mask)
            return
        if sparsity_level >= 1 and zeros_per_block == size:
            mask.data = torch.zeros_like(mask)
            return
        norms = self.norm_fn(getattr(module, tensor_name))
        blocks = _in_blocks(norms, sparse_block_shape, math.inf)
        means = F.avg_pool2d(norms[None], sparse_block_shape, ceil_mode=True).flatten()
        count = blocks.shape[1]
        chosen_count = max(0, min(round(sparsity_level * count), count))
        chosen = torch.zeros(count, dtype=torch.bool, device=norms.device)
        order = means.topk(chosen_count, largest=False, sorted=False).indices
        chosen[order] = True
        zeros = torch.zeros_like(blocks, dtype=torch.bool)
        inside = blocks.topk(zeros_per_block, dim=0, largest=False, sorted=False).indices
        zeros.scatter_(0, inside, True)
        kept = ~(zeros & chosen)
        mask.data = _from_blocks(kept, norms.shape, sparse_block_shape).to(mask.dtype)


def _padded(shape: torch.Size, block: tuple[int, int]) -> tuple[int, int]:
    return (-(-shape[0] // block[0]) * block[0], -(-shape[1] // block[1]) * block[1])


def _in_blocks(data: torch.Tensor, block: tuple[int, int], fill: float) -> torch.Tensor:
    """Return a matrix whose columns are the blocks; what the last ones lack is filled with a value."""
    rows, columns = _padded(data.shape, block)
    data = F.pad(data, (0, columns - data.shape[1], 0, rows - data.shape[0]), value=fill)
    parts = data.reshape(rows // block[0], block[0], columns // block[1], block[1])
    return parts.permute(1, 3, 0, 2).reshape(block[0] * block[1], -1)


def _from_blocks(blocks: torch.Tensor, shape: torch.Size, block: tuple[int, int]) -> torch.Tensor:
    rows, columns = _padded(shape, block)
    parts = blocks.reshape(block[0], block[1], rows // block[0], columns // block[1])
    whole = parts.permute(2, 0, 3, 1).reshape(rows, columns)
    return whole[: shape[0], : shape[1]].contiguous()
