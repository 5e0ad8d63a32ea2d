"""Multi-head attention. See Vaswani et al. (2017)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules import _nested_sequences
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class MultiheadAttention(Module):
    """Attention of queries over keys and values, in several heads.

    The arguments are projected to embed_dim features and divided among the heads. Each computes
    softmax(Q K^T / sqrt(d)) V, where d is the number of its features. The concatenated results are
    projected once more.

    Args:
        embed_dim: Size E of the queries and of the result.
        num_heads: Number of heads, a divisor of `embed_dim`.
        dropout: Probability of dropping an attention weight in training.
        bias: If False, leave out the biases of the projections.
        add_bias_kv: If True, append a learned key and value to the sequences.
        add_zero_attn: If True, append a key and a value of zeros.
        kdim: Size of the keys. The default is `embed_dim`.
        vdim: Size of the values. The default is `embed_dim`.
        batch_first: Whether the batch dimension comes first.
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Shape:
        - Query: (L, N, E), (N, L, E) with `batch_first`, or (L, E). The output has this shape.
        - Key: (S, N, kdim), (N, S, kdim) or (S, kdim); value: the same with vdim.

    Raises:
        ValueError: If a size is not positive.
        AssertionError: If `num_heads` does not divide `embed_dim`.

    Example:
        >>> attention = nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True)
        >>> x = torch.randn(3, 5, 8)
        >>> result, weights = attention(x, x, x)
        >>> result.shape, weights.shape
        (torch.Size([3, 5, 8]), torch.Size([3, 5, 5]))
    """

    __module__ = "torch.nn.modules.activation"  # where pickles look for it

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        options = {"device": device, "dtype": dtype}
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        shapes: dict[str, tuple[int, ...] | None] = {
            "in_proj_weight": None,
            "q_proj_weight": None,
            "k_proj_weight": None,
            "v_proj_weight": None,
        }
        if self._qkv_same_embed_dim:
            shapes["in_proj_weight"] = (3 * embed_dim, embed_dim)
        else:
            shapes["q_proj_weight"] = (embed_dim, embed_dim)
            shapes["k_proj_weight"] = (embed_dim, self.kdim)
            shapes["v_proj_weight"] = (embed_dim, self.vdim)
        shapes["in_proj_bias"] = (3 * embed_dim,) if bias else None
        for name, shape in shapes.items():
            empty = None if shape is None else Parameter(torch.empty(shape, **options))
            self.register_parameter(name, empty)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **options)
        for name in ("bias_k", "bias_v"):
            empty = Parameter(torch.empty((1, 1, embed_dim), **options)) if add_bias_kv else None
            self.register_parameter(name, empty)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Initialize the projections with xavier_uniform_, their biases with zero."""
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Compute the attention.

        Args:
            query: Queries.
            key: Keys.
            value: Values.
            key_padding_mask: Keys to ignore, (N, S): True or -inf.
            need_weights: If True, return the attention weights too, which is slower.
            attn_mask: Pairs to ignore, (L, S) or (N num_heads, L, S): True, or values added to the
                scores.
            average_attn_weights: If True, average the returned weights over the heads.
            is_causal: Hint that `attn_mask` is the causal mask.

        Returns:
            The result, and the attention weights, (N, L, S) or (N, num_heads, L, S), or None.

        Raises:
            AssertionError: If shapes or mask dtypes do not match.
            RuntimeError: If `is_causal` is set without `attn_mask`.
        """
        if query.is_nested or key.is_nested or value.is_nested:
            masks = (key_padding_mask, attn_mask)
            return _nested_sequences.attend_to_itself(self, query, key, value, masks), None
        swapped = self.batch_first and query.dim() == 3
        if swapped:
            same_key, same_value = key is query, value is key
            query = query.transpose(1, 0)
            key = query if same_key else key.transpose(1, 0)
            value = key if same_value else value.transpose(1, 0)
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (output.transpose(1, 0) if swapped else output), weights

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """Return one mask for two, and which: 1 for the keys', 2 for (N, num_heads, L, S), None.

        The numbers are those of `torch._transformer_encoder_layer_fwd`.

        Args:
            attn_mask: Pairs to ignore, (L, S) or (N num_heads, L, S).
            key_padding_mask: Keys to ignore, (N, S).
            query: Queries, (N, L, E).
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            padding = key_padding_mask.view(batch, 1, 1, length)
            merged = merged + padding.expand(-1, self.num_heads, -1, -1)
        return merged, 2
