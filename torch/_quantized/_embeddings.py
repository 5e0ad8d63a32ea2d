"""Rows of quantized tables and their sums."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch._quantized._packed_objects import EmbeddingWeights

Tensor = torch.Tensor
_MODES = ("sum", "mean", "max")


def embedding_bag_prepack(weight: Any) -> EmbeddingWeights:
    """Return a table (rows, columns) of dtype quint8 or quint4x2, for `embedding_byte` and `embedding_4bit`.

    Raises:
        NotImplementedError: If the table is not quantized.
        RuntimeError: If it has another dtype, or no parameters for each row.
    """
    if not weight.is_quantized:
        raise NotImplementedError(f"expected a quantized table, got {weight.dtype}")
    if weight.dtype not in (torch.quint8, torch.quint4x2):
        raise RuntimeError(f"expected a table of dtype quint8 or quint4x2, got {weight.dtype}")
    if weight.dim() != 2 or weight.qscheme() != torch.per_channel_affine_float_qparams:
        raise RuntimeError("expected a table with two dimensions and parameters for each row")
    return EmbeddingWeights(weight)


def embedding_bag_unpack(W_prepack: EmbeddingWeights) -> Any:
    """Return the table."""
    return W_prepack.weight


def _table(weights: EmbeddingWeights) -> Tensor:
    """Return the numbers of a table: integers times scales plus offsets, rounded once.

    The parameters of rows of 4 bits are packed as float16.
    """
    quantized = weights.weight
    scales = quantized.q_per_channel_scales().float()
    parameters = [scales, -quantized.q_per_channel_zero_points().float() * scales]
    if quantized.dtype == torch.quint4x2:
        parameters = [each.half() for each in parameters]
    factors, offsets = (each.double()[:, None] for each in parameters)
    return (quantized._integers * factors + offsets).float()  # type: ignore[no-any-return]


def _embedding(weight: EmbeddingWeights, indices: Tensor, pruned_weights: bool = False) -> Tensor:
    """Return rows of a table, of dtype float32: (*) to (*, columns)."""
    return F.embedding(indices, _table(weight))


def _embedding_bag(
    weight: EmbeddingWeights,
    indices: Tensor,
    offsets: Tensor | None = None,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    pruned_weights: bool = False,
    per_sample_weights: Tensor | None = None,
    compressed_indices_mapping: Tensor | None = None,
    include_last_offset: bool = False,
) -> Tensor:
    """Return sums or means of rows of a table, of dtype float32; see `torch.nn.functional.embedding_bag`.

    Raises:
        NotImplementedError: If rows of the table are left out.
    """
    if pruned_weights or compressed_indices_mapping is not None:
        raise NotImplementedError("tables with rows left out are not supported")
    return F.embedding_bag(
        indices,
        _table(weight),
        offsets,
        mode=_MODES[mode],
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
    )


OPERATORS = {
    "embedding_4bit": _embedding,
    "embedding_bag_4bit": _embedding_bag,
    "embedding_bag_byte": _embedding_bag,
    "embedding_bag_prepack": embedding_bag_prepack,
    "embedding_bag_unpack": embedding_bag_unpack,
    "embedding_byte": _embedding,
}
