"""Functions that compute all of an attention layer, which programs call in inference."""

from __future__ import annotations

import math

import torch
from torch import Tensor

_OF_KEYS = 1
"""The kind of masks that has the keys of each batch (B, L); others are (L, L) or (B, H, L, L)."""


def _native_multi_head_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim: int,
    num_head: int,
    qkv_weight: Tensor,
    qkv_bias: Tensor,
    proj_weight: Tensor,
    proj_bias: Tensor,
    mask: Tensor | None = None,
    need_weights: bool = True,
    average_attn_weights: bool = True,
    mask_type: int | None = None,
) -> tuple[Tensor, Tensor | None]:
    """Return the attention of (B, L, D) tensors, and its weights if they are needed.

    Nested tensors are padded, and the attention of the first one's sequences is nested again.
    Source: Vaswani et al., Attention Is All You Need, 2017, equation 1.
    """
    if query.is_nested:
        lengths = [row.size(0) for row in query.unbind()]
        query, (key, mask), value = (_padded(query)[0], _padded(key), _padded(value)[0])
        mask_type = _OF_KEYS
    else:
        lengths = None
    weights, biases = qkv_weight.chunk(3), qkv_bias.chunk(3)
    heads = [
        torch.nn.functional.linear(x, w, b).unflatten(-1, (num_head, -1)).transpose(1, 2)
        for x, w, b in zip((query, key, value), weights, biases, strict=True)
    ]
    scores = heads[0] @ heads[1].mT / math.sqrt(embed_dim // num_head)
    if mask is not None:
        scores = scores.masked_fill(_spread(mask.to(torch.bool), mask_type), -math.inf)
    shares = scores.softmax(-1)
    mixed = (shares @ heads[2]).transpose(1, 2).flatten(2)
    result = torch.nn.functional.linear(mixed, proj_weight, proj_bias)
    if lengths is not None:
        rows = [row[:length] for row, length in zip(result, lengths, strict=True)]
        result = torch.nested.as_nested_tensor(rows)
    if not need_weights:
        return result, None
    return result, shares.mean(1) if average_attn_weights else shares


def _padded(nested: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sequences with zeros up to the longest one, and where these are."""
    padded = nested.to_padded_tensor(0)
    lengths = torch.tensor([row.size(0) for row in nested.unbind()], device=padded.device)
    places = torch.arange(padded.size(1), device=padded.device)
    return padded, places >= lengths[:, None]


def _transform_bias_rescale_qkv(
    qkv: Tensor, qkv_bias: Tensor, num_heads: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Return queries, divided by the root of their size, keys and values as (B, H, L, D / H)."""
    q, k, v = (
        part.unflatten(-1, (num_heads, -1)).transpose(1, 2).contiguous()
        for part in (qkv + qkv_bias).chunk(3, dim=-1)
    )
    return q / math.sqrt(q.size(-1)), k, v


def _spread(mask: Tensor, mask_type: int | None) -> Tensor:
    """Return a mask in a form that broadcasts to (B, H, L, L)."""
    if mask_type == _OF_KEYS:
        return mask[:, None, None, :]
    return mask


def _transformer_encoder_layer_fwd(
    src: Tensor,
    embed_dim: int,
    num_heads: int,
    qkv_weight: Tensor,
    qkv_bias: Tensor,
    proj_weight: Tensor,
    proj_bias: Tensor,
    use_gelu: bool,
    norm_first: bool,
    eps: float,
    norm_weight_1: Tensor,
    norm_bias_1: Tensor,
    norm_weight_2: Tensor,
    norm_bias_2: Tensor,
    ffn_weight_1: Tensor,
    ffn_bias_1: Tensor,
    ffn_weight_2: Tensor,
    ffn_bias_2: Tensor,
    mask: Tensor | None = None,
    mask_type: int | None = None,
) -> Tensor:
    """Return what nn.TransformerEncoderLayer computes of (B, L, D) in evaluation mode."""
    functional = torch.nn.functional

    def attention(x: Tensor) -> Tensor:
        weights = (qkv_weight, qkv_bias, proj_weight, proj_bias)
        return _native_multi_head_attention(
            x, x, x, embed_dim, num_heads, *weights, mask, False, mask_type=mask_type
        )[0]

    def feed_forward(x: Tensor) -> Tensor:
        hidden = functional.linear(x, ffn_weight_1, ffn_bias_1)
        hidden = functional.gelu(hidden) if use_gelu else hidden.relu()
        return functional.linear(hidden, ffn_weight_2, ffn_bias_2)

    def norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        return functional.layer_norm(x, (embed_dim,), weight, bias, eps)

    x = src
    for inner, weight, bias in (
        (attention, norm_weight_1, norm_bias_1),
        (feed_forward, norm_weight_2, norm_bias_2),
    ):
        x = x + inner(norm(x, weight, bias)) if norm_first else norm(x + inner(x), weight, bias)
    return x


def _nested_tensor_from_mask(t: Tensor, mask: Tensor, mask_check: bool = True) -> Tensor:
    """Return the positions of (N, L, D) sequences that a mask (N, L) keeps, without padding.

    Raises:
        RuntimeError: If the arguments do not fit, or a sequence has gaps. Without `mask_check`, as
            many of the first positions are kept as the mask has.
    """
    _check_mask(t, mask)
    lengths = mask.sum(1).tolist()
    if mask_check and not _has_no_gaps(mask):
        raise RuntimeError("Mask must be left-aligned without gaps")
    rows = [row[:length] for row, length in zip(t, lengths, strict=True)]
    return torch.nested.as_nested_tensor(rows)


def _nested_tensor_from_mask_left_aligned(t: Tensor, mask: Tensor) -> bool:
    """Return whether no sequence of a mask (N, L) has gaps."""
    _check_mask(t, mask)
    return _has_no_gaps(mask)


def _check_mask(t: Tensor, mask: Tensor) -> None:
    if mask.dtype != torch.bool:
        kind = {torch.float32: "Float", torch.int32: "Int", torch.int64: "Long"}.get(mask.dtype)
        raise RuntimeError(
            f"Expected mask to be of ScalarType Bool, but got {kind or mask.dtype} instead."
        )
    if mask.dim() != 2:
        raise RuntimeError("Padding mask should be 2D")
    if t.dim() != 3:
        raise RuntimeError("Input should be a 3D tensor, N * L * D")
    if t.shape[:2] != mask.shape:
        raise RuntimeError("Mask size should match input size")


def _has_no_gaps(mask: Tensor) -> bool:
    return not bool((mask[:, 1:] > mask[:, :-1]).any())
