"""Tables of rows that are rounded."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.ao.nn.qat.modules._rounding import add_fake_quant, float_layer

__all__ = ["Embedding", "EmbeddingBag"]

Tensor = torch.Tensor
_SETTINGS = (
    "num_embeddings",
    "embedding_dim",
    "max_norm",
    "norm_type",
    "scale_grad_by_freq",
    "sparse",
)
_OF_BAGS = (*_SETTINGS, "mode", "include_last_offset", "padding_idx")


def check_rows(qconfig: Any, what: str) -> None:
    """Check that the weights of a table get parameters for each row, with zero points that are not whole.

    Raises:
        AssertionError: If they do not.
    """
    scheme = qconfig.weight().qscheme if qconfig else None
    if qconfig and scheme != torch.per_channel_affine_float_qparams:
        raise AssertionError(
            f"{what} weights requires a qscheme of torch.per_channel_affine_float_qparams Got {scheme}"
        )


class Embedding(nn.Embedding):
    """A table whose rows are rounded; see `torch.nn.Embedding` for the arguments.

    Args:
        *args: The arguments of `torch.nn.Embedding`.
        qconfig: The factories of the modules that round.
        **kwargs: The same by name.

    Raises:
        AssertionError: If there is no qconfig.

    Example:
        >>> qconfig = torch.ao.quantization.qconfig.default_embedding_qat_qconfig
        >>> torch.ao.nn.qat.Embedding(4, 3, qconfig=qconfig)(torch.tensor([1, 2])).shape
        torch.Size([2, 3])
    """

    _FLOAT_MODULE: Any = nn.Embedding

    def __init__(self, *args: Any, qconfig: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        check_rows(qconfig, "Embedding")
        add_fake_quant(self, qconfig)

    def forward(self, input: Tensor) -> Tensor:
        """Return rounded rows."""
        return F.embedding(
            input, self.weight_fake_quant(self.weight), self.padding_idx, self.max_norm,
            self.norm_type, self.scale_grad_by_freq, self.sparse,
        )  # fmt: skip

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Embedding:
        """Return the layer for one of floating point with a qconfig; it shares the table."""
        layer = float_layer(cls, mod)
        settings = {name: getattr(layer, name) for name in _SETTINGS}
        return cls(
            **settings, padding_idx=layer.padding_idx, _weight=layer.weight, qconfig=mod.qconfig
        )

    def to_float(self) -> nn.Embedding:
        """Return a layer of floating point with the same table."""
        settings = {name: getattr(self, name) for name in _SETTINGS}
        return nn.Embedding(
            **settings, padding_idx=self.padding_idx, _weight=self.weight.detach().clone()
        )


class EmbeddingBag(nn.EmbeddingBag):
    """Sums or means of rounded rows; see `torch.nn.EmbeddingBag` and Embedding.

    Example:
        >>> qconfig = torch.ao.quantization.qconfig.default_embedding_qat_qconfig
        >>> layer = torch.ao.nn.qat.EmbeddingBag(4, 3, mode="sum", qconfig=qconfig)
        >>> layer(torch.tensor([1, 2, 0]), torch.tensor([0, 2])).shape
        torch.Size([2, 3])
    """

    _FLOAT_MODULE: Any = nn.EmbeddingBag

    def __init__(self, *args: Any, qconfig: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        check_rows(qconfig, "Embedding Bag")
        add_fake_quant(self, qconfig)

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        """Return sums or means of rounded rows."""
        return F.embedding_bag(
            input, self.weight_fake_quant(self.weight), offsets, self.max_norm, self.norm_type,
            self.scale_grad_by_freq, self.mode, self.sparse, per_sample_weights,
            self.include_last_offset, self.padding_idx,
        )  # fmt: skip

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> EmbeddingBag:
        """Return the layer for one of floating point with a qconfig; it shares the table."""
        layer = float_layer(cls, mod)
        settings = {name: getattr(layer, name) for name in _OF_BAGS}
        made = cls(**settings, _weight=layer.weight.detach(), qconfig=mod.qconfig)
        made.weight = layer.weight
        return made

    def to_float(self) -> nn.EmbeddingBag:
        """Return a layer of floating point with the same table."""
        settings = {name: getattr(self, name) for name in _OF_BAGS}
        return nn.EmbeddingBag(**settings, _weight=self.weight.detach().clone())
