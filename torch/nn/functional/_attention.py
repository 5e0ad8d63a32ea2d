"""Attention with several heads."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._C import _nn

linear = _nn.linear


def _check_shapes(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None,
    attn_mask: Tensor | None,
    num_heads: int,
) -> bool:
    """Whether the arguments are batched; AssertionError where they do not fit."""
    if query.dim() not in (2, 3):
        raise AssertionError(
            "query should be unbatched 2D or batched 3D tensor "
            f"but received {query.dim()}-D query tensor"
        )
    batched = query.dim() == 3
    kind = "batched (3-D)" if batched else "unbatched (2-D)"
    wanted = query.dim()
    if key.dim() != wanted or value.dim() != wanted:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {wanted}-D but found "
            f"{key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != wanted - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {wanted - 1}-D but "
            f"found {key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
            f"{attn_mask.dim()}-D tensor instead"
        )
    return batched


def _additive(mask: Tensor | None, dtype: torch.dtype) -> Tensor | None:
    """A mask as what is added to the scores: -inf where a boolean mask is True."""
    if mask is None or mask.dtype.is_floating_point:
        return mask
    if mask.dtype != torch.bool:
        raise AssertionError(
            f"only bool and floating types of mask are supported, got {mask.dtype}"
        )
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask, float("-inf"))


def _project(
    query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Tensor | None
) -> list[Tensor]:
    """Query, key and value by the three thirds of one weight (3 E, E), in as few products as can be."""
    width = query.size(-1)
    if key is value and query is key:
        packed = linear(query, weight, bias)
        return [part.contiguous() for part in packed.split(width, -1)]
    weights = weight.split(width)
    biases = [None] * 3 if bias is None else list(bias.split(width))
    if key is value:
        rest = torch.cat(weights[1:])
        rest_bias = None if bias is None else bias[width:]
        pair = linear(key, rest, rest_bias).split(width, -1)
        return [linear(query, weights[0], biases[0]), *(part.contiguous() for part in pair)]
    inputs = (query, key, value)
    return [linear(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True)]


def _heads(tensor: Tensor, num_heads: int, head_dim: int) -> Tensor:
    """(L, N, E) as (N heads, L, E / heads)."""
    length, batch = tensor.shape[:2]
    return tensor.view(length, batch * num_heads, head_dim).transpose(0, 1)


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Attention of query (L, N, E) over key and value (S, N, E); unbatched without N.

    Returns (L, N, E) and, if wanted, the weights (N, L, S), per head unless averaged.
    """
    batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        same_key, same_value = key is query, value is key
        query = query.unsqueeze(1)
        key = query if same_key else key.unsqueeze(1)
        value = key if same_value else value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    if width != embed_dim_to_check:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}"
        )
    head_dim = width // num_heads
    if head_dim * num_heads != width:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            "method `generate_square_subsequent_mask` to create this mask."
        )
    if use_separate_proj_weight:
        biases = [None] * 3 if in_proj_bias is None else list(in_proj_bias.chunk(3))
        q, k, v = (
            linear(x, w, b)
            for x, w, b in zip(
                (query, key, value),
                (q_proj_weight, k_proj_weight, v_proj_weight),
                biases,
                strict=True,
            )
        )
    else:
        q, k, v = _project(query, key, value, in_proj_weight, in_proj_bias)
    mask = _additive(attn_mask, q.dtype)
    padding = _additive(key_padding_mask, q.dtype)
    if mask is not None and mask.dim() == 2:
        mask = mask.unsqueeze(0)

    extra = 0
    if bias_k is not None and bias_v is not None:
        k = torch.cat([k, bias_k.repeat(1, batch, 1)])
        v = torch.cat([v, bias_v.repeat(1, batch, 1)])
        extra += 1
    q = _heads(q, num_heads, head_dim)
    k = _heads(k, num_heads, head_dim) if static_k is None else static_k
    v = _heads(v, num_heads, head_dim) if static_v is None else static_v
    if add_zero_attn:
        zeros = k.new_zeros(batch * num_heads, 1, head_dim)
        k, v = torch.cat([k, zeros], 1), torch.cat([v, zeros], 1)
        extra += 1
    if extra:
        mask = None if mask is None else _nn.pad(mask, (0, extra))
        padding = None if padding is None else _nn.pad(padding, (0, extra))
    source = k.size(1)
    if padding is not None:
        spread = padding.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1)
        spread = spread.reshape(batch * num_heads, 1, source)
        mask = spread if mask is None else mask + spread
    dropped = dropout_p if training else 0.0

    if need_weights:
        scores = torch.bmm(q * (head_dim**-0.5), k.transpose(-2, -1))
        if mask is not None:
            scores = scores + mask
        weights = torch.softmax(scores, -1)
        if dropped > 0.0:
            weights = torch.dropout(weights, dropped, True)
        attended = torch.bmm(weights, v)
    else:
        weights = None
        shape = (batch, num_heads)
        if mask is not None:
            mask = mask.unsqueeze(0) if mask.size(0) == 1 else mask.view(*shape, -1, source)
        causal = is_causal and key_padding_mask is None
        attended = _nn.scaled_dot_product_attention(
            q.view(*shape, length, head_dim),
            k.view(*shape, source, head_dim),
            v.view(*shape, source, head_dim),
            None if causal else mask,
            dropped,
            causal,
        ).view(batch * num_heads, length, head_dim)
    flat = attended.transpose(0, 1).reshape(length * batch, width)
    result = linear(flat, out_proj_weight, out_proj_bias).view(length, batch, width)
    if weights is not None:
        weights = weights.view(batch, num_heads, length, source)
        weights = weights.mean(1) if average_attn_weights else weights
        weights = weights if batched else weights.squeeze(0)
    return (result if batched else result.squeeze(1)), weights
