"""The layers of a transformer's encoder and decoder. See Vaswani et al. (2017)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.modules.attention import MultiheadAttention
from torch.nn.modules.dropout import Dropout
from torch.nn.modules.linear import Linear
from torch.nn.modules.module import Module
from torch.nn.modules.normalization import LayerNorm

_Activation = str | Callable[[Tensor], Tensor]


def _get_activation_fn(activation: _Activation) -> Callable[[Tensor], Tensor]:
    """Return the activation function of a name, or the function itself."""
    if not isinstance(activation, str):
        return activation
    known = {"relu": F.relu, "gelu": F.gelu}
    if activation not in known:
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return known[activation]


class _TransformerLayer(Module):
    """Base class of the transformer layers: attentions, feed-forward network and norms."""

    attentions: tuple[str, ...]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: _Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        for name in self.attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **options
            )
            self.add_module(name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **options)
        self.norm_first = norm_first
        count = len(self.attentions) + 1
        for index in range(1, count + 1):
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **options)
            self.add_module(f"norm{index}", norm)
        for index in range(1, count + 1):
            self.add_module(f"dropout{index}", Dropout(dropout))
        self.activation = _get_activation_fn(activation)
        # PyTorch's layers have this attribute, so that it can run the ones that are saved here.
        self.activation_relu_or_gelu = {F.relu: 1, F.gelu: 2}.get(self.activation, 0)

    def _attend(
        self, attention: Module, dropout: Module, x: Tensor, memory: Tensor, mask: Any,
        padding: Any, causal: bool,
    ) -> Tensor:  # fmt: skip
        """Attend from `x` to `memory`, and apply dropout."""
        result, _ = attention(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding, is_causal=causal,
            need_weights=False,
        )  # fmt: skip
        return dropout(result)

    def _feed_forward(self, x: Tensor, dropout: Module) -> Tensor:
        """Apply the feed-forward network, and dropout."""
        return dropout(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoderLayer(_TransformerLayer):
    """Self-attention and a feed-forward network, each added to its input and normalized.

    Args:
        d_model: Number of features E.
        nhead: Number of attention heads, a divisor of `d_model`.
        dim_feedforward: Size of the feed-forward network's hidden layer.
        dropout: Probability of dropout.
        activation: Activation function: ``relu``, ``gelu`` or a function of a tensor.
        layer_norm_eps: Term added to the variance in the normalizations.
        batch_first: Whether the batch dimension comes first.
        norm_first: If True, normalize before each sublayer instead of after it.
        bias: If False, leave out all biases.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input and output: (S, N, E), (N, S, E) with `batch_first`, or (S, E).

    Example:
        >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
        >>> layer(torch.randn(3, 5, 8)).shape
        torch.Size([3, 5, 8])
    """

    __module__ = "torch.nn.modules.transformer"  # where pickles look for it

    attentions = ("self_attn",)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Apply the layer.

        Args:
            src: Sequences.
            src_mask: Pairs of positions to ignore, (S, S) or (N nhead, S, S).
            src_key_padding_mask: Positions to ignore, (N, S).
            is_causal: Hint that `src_mask` is the causal mask.

        Returns:
            A tensor of the shape of `src`.
        """
        src_key_padding_mask, src_mask = F._matching_masks(
            (src_key_padding_mask, src_mask), ("src_key_padding_mask", "src_mask"), src.dtype
        )

        def attend(x: Tensor) -> Tensor:
            arguments = (src_mask, src_key_padding_mask, is_causal)
            return self._attend(self.self_attn, self.dropout1, x, x, *arguments)

        if self.norm_first:
            x = src + attend(self.norm1(src))
            return x + self._feed_forward(self.norm2(x), self.dropout2)
        x = self.norm1(src + attend(src))
        return self.norm2(x + self._feed_forward(x, self.dropout2))


class TransformerDecoderLayer(_TransformerLayer):
    """Self-attention, attention over the encoder's result, and a feed-forward network.

    Each is added to its input and normalized.

    Args:
        d_model: Number of features E.
        nhead: Number of attention heads, a divisor of `d_model`.
        dim_feedforward: Size of the feed-forward network's hidden layer.
        dropout: Probability of dropout.
        activation: Activation function: ``relu``, ``gelu`` or a function of a tensor.
        layer_norm_eps: Term added to the variance in the normalizations.
        batch_first: Whether the batch dimension comes first.
        norm_first: If True, normalize before each sublayer instead of after it.
        bias: If False, leave out all biases.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Input and output: (T, N, E), (N, T, E) with `batch_first`, or (T, E).
        - Encoder's result: the same with S positions.

    Example:
        >>> layer = nn.TransformerDecoderLayer(d_model=8, nhead=2, batch_first=True)
        >>> layer(torch.randn(3, 5, 8), torch.randn(3, 7, 8)).shape
        torch.Size([3, 5, 8])
    """

    __module__ = "torch.nn.modules.transformer"  # where pickles look for it

    attentions = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Apply the layer.

        Args:
            tgt: Sequences.
            memory: Result of the encoder.
            tgt_mask: Pairs of positions to ignore, (T, T) or (N nhead, T, T).
            memory_mask: Pairs of positions to ignore, (T, S) or (N nhead, T, S).
            tgt_key_padding_mask: Positions of `tgt` to ignore, (N, T).
            memory_key_padding_mask: Positions of `memory` to ignore, (N, S).
            tgt_is_causal: Hint that `tgt_mask` is the causal mask.
            memory_is_causal: Hint that `memory_mask` is the causal mask.

        Returns:
            A tensor of the shape of `tgt`.
        """

        def self_attend(x: Tensor) -> Tensor:
            arguments = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
            return self._attend(self.self_attn, self.dropout1, x, x, *arguments)

        def cross_attend(x: Tensor) -> Tensor:
            arguments = (memory_mask, memory_key_padding_mask, memory_is_causal)
            return self._attend(self.multihead_attn, self.dropout2, x, memory, *arguments)

        if self.norm_first:
            x = tgt + self_attend(self.norm1(tgt))
            x = x + cross_attend(self.norm2(x))
            return x + self._feed_forward(self.norm3(x), self.dropout3)
        x = self.norm1(tgt + self_attend(tgt))
        x = self.norm2(x + cross_attend(x))
        return self.norm3(x + self._feed_forward(x, self.dropout3))
