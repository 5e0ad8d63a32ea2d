"""Tables of quantized rows."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.ao.nn.quantized.modules._conversion import (
    _hide_packed_params_repr,
    _quantize_weight,
    take,
)

__all__ = ["Embedding", "EmbeddingBag"]

Tensor = torch.Tensor
_ops = torch.ops.quantized
_BITS = {torch.quint8: "byte", torch.quint4x2: "4bit"}


class EmbeddingPackedParams(nn.Module):
    """The packed table of an embedding.

    Args:
        num_embeddings: The number of rows.
        embedding_dim: The size of a row.
        dtype: torch.quint8 or torch.quint4x2.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, dtype: Any = torch.quint8) -> None:
        super().__init__()
        if dtype not in _BITS:
            raise NotImplementedError(
                f"Unsupported dtype on quantized embedding! Supports quint8 and quint4x2. Got dtype: {dtype}"
            )
        self.dtype = dtype
        scales, points = torch.ones(num_embeddings), torch.zeros(num_embeddings)
        rows = torch.zeros(num_embeddings, embedding_dim)
        self.set_weight(torch.quantize_per_channel(rows, scales, points, 0, dtype))

    def set_weight(self, weight: Any) -> None:
        """Pack a table."""
        self._packed_weight = _ops.embedding_bag_prepack(weight)

    def _weight(self) -> Any:
        return self._packed_weight.weight

    def forward(self, x: Any) -> Any:
        """Return the input."""
        return x

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[f"{prefix}dtype"] = self.dtype
        destination[f"{prefix}_packed_weight"] = self._weight()

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: Any, *rest: Any
    ) -> None:
        if take(state_dict, f"{prefix}dtype", missing) is not None:
            self.dtype = state_dict.pop(f"{prefix}dtype")
        if take(state_dict, f"{prefix}_packed_weight", missing) is not None:
            self.set_weight(state_dict.pop(f"{prefix}_packed_weight"))
        super()._load_from_state_dict(state_dict, prefix, metadata, False, missing, *rest)

    def __repr__(self) -> str:
        return repr(self._weight())


class Embedding(nn.Module):
    """Rows of a quantized table, of dtype float32; see `torch.nn.Embedding` for the arguments.

    Example:
        >>> torch.ao.nn.quantized.Embedding(6, 3)(torch.tensor([1, 4])).shape
        torch.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        dtype: Any = torch.quint8,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.dtype = dtype
        self._packed_params = EmbeddingPackedParams(num_embeddings, embedding_dim, dtype)
        if _weight is not None:
            self._packed_params.set_weight(_weight)

    def forward(self, indices: Tensor) -> Tensor:
        """Return rows, of dtype float32: (*) to (*, embedding_dim)."""
        operator = getattr(_ops, f"embedding_{_BITS[self.dtype]}")
        return operator(self._packed_params._packed_weight, indices)  # type: ignore[no-any-return]

    def _get_name(self) -> str:
        return f"Quantized{type(self).__name__}"

    def __repr__(self) -> str:
        return _hide_packed_params_repr(self, EmbeddingPackedParams)

    def extra_repr(self) -> str:
        """Show sizes and dtype."""
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"dtype={self._packed_params.dtype}, qscheme={self.weight().qscheme()}"
        )

    def set_weight(self, w: Any) -> None:
        """Pack a table."""
        self._packed_params.set_weight(w)

    def weight(self) -> Any:
        """Return the table, (num_embeddings, embedding_dim)."""
        return self._packed_params._weight()

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer for one of floating point with a qconfig."""
        table = _quantized_table(mod, use_precomputed_fake_quant)
        made = cls(mod.num_embeddings, mod.embedding_dim, dtype=table.dtype)
        made.set_weight(table)
        return made


def _quantized_table(mod: Any, is_observed: bool) -> Any:
    """Return the table of a layer of floating point, quantized as its qconfig says.

    Raises:
        AssertionError: If the observer chooses another dtype than quint8 or quint4x2.
    """
    from torch.ao.quantization.qconfig import float_qparams_weight_only_qconfig

    observer = getattr(mod, "weight_fake_quant", None)
    if observer is None:
        qconfig = getattr(mod, "qconfig", None) or float_qparams_weight_only_qconfig
        observer, is_observed = qconfig.weight(), False
    if observer.dtype not in _BITS:
        raise AssertionError(
            f"The only supported dtype for nnq.Embedding is torch.quint8 and torch.quint4x2, got {observer.dtype}"
        )
    if not is_observed:
        observer(mod.weight)
    return _quantize_weight(mod.weight.detach().float(), observer)


class EmbeddingBag(Embedding):
    """Sums or means of rows of a quantized table; see `torch.nn.EmbeddingBag` for the arguments.

    Example:
        >>> layer = torch.ao.nn.quantized.EmbeddingBag(6, 3)
        >>> layer(torch.tensor([1, 4, 2]), torch.tensor([0, 2])).shape
        torch.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "sum",
        sparse: bool = False,
        _weight: Any = None,
        include_last_offset: bool = False,
        dtype: Any = torch.quint8,
    ) -> None:
        super().__init__(num_embeddings, embedding_dim, _weight=_weight, dtype=dtype)
        self.mode = mode
        self.pruned_weights = False
        self.include_last_offset = include_last_offset

    def forward(
        self,
        indices: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
        compressed_indices_mapping: Tensor | None = None,
    ) -> Tensor:
        """Return the sums or means of bags, of dtype float32; see `torch.nn.EmbeddingBag`."""
        operator = getattr(_ops, f"embedding_bag_{_BITS[self.dtype]}")
        return operator(  # type: ignore[no-any-return]
            self._packed_params._packed_weight,
            indices,
            offsets,
            False,
            ("sum", "mean", "max").index(self.mode),
            self.pruned_weights,
            per_sample_weights,
            compressed_indices_mapping,
            self.include_last_offset,
        )

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> EmbeddingBag:
        """Return the layer for one of floating point with a qconfig."""
        made: EmbeddingBag = super().from_float(mod, use_precomputed_fake_quant)
        made.mode, made.include_last_offset = mod.mode, mod.include_last_offset
        return made
