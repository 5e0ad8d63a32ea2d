"""Multi-head attention."""

from __future__ import annotations

import warnings

import torch
from torch import Tensor
from torch._C import _nn
from torch._torch_function import handle_torch_function, has_torch_function

linear = _nn.linear


def _mha_shape_check(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None,
    attn_mask: Tensor | None,
    num_heads: int,
) -> bool:
    """Return whether the arguments have a batch dimension.

    Raises:
        AssertionError: If the dimensions do not match.
    """
    if query.dim() not in (2, 3):
        raise AssertionError(
            "query should be unbatched 2D or batched 3D tensor "
            f"but received {query.dim()}-D query tensor"
        )
    batched = query.dim() == 3
    kind = "batched (3-D)" if batched else "unbatched (2-D)"
    expected = query.dim()
    if key.dim() != expected or value.dim() != expected:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {expected}-D but found "
            f"{key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != expected - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {expected - 1}-D but "
            f"found {key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
            f"{attn_mask.dim()}-D tensor instead"
        )
    if not batched and attn_mask is not None and attn_mask.dim() == 3:
        shape = (num_heads, query.size(0), key.size(0))
        if attn_mask.shape != shape:
            raise AssertionError(
                f"Expected `attn_mask` shape to be {shape} but got {attn_mask.shape}"
            )
    return batched


def _check_key_and_value(key: Tensor, value: Tensor, same_width: bool) -> None:
    """Raise AssertionError if key and value differ in length or batch, or in width."""
    if same_width and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
    if key.shape[:2] != value.shape[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )


def _check_attn_mask(mask: Tensor, shape: tuple[int, int, int]) -> None:
    """Raise RuntimeError if a mask is neither (heads, L, S) nor the last two of it."""
    expected = shape[-mask.dim() :]
    if mask.shape != expected:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {expected}."
        )


def _check_key_padding_mask(key_padding_mask: Tensor, src_len: int, bsz: int) -> None:
    """Raise AssertionError if a mask of keys is not (N, S)."""
    for dim, size in enumerate((bsz, src_len)):
        found = key_padding_mask.size(dim)
        if found != size:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{dim}] to be {size}, but got {found}"
            )


def _none_or_dtype(input: Tensor | None) -> torch.dtype | None:
    """Return the dtype of a tensor, and None for None."""
    if input is None or isinstance(input, Tensor):
        return None if input is None else input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _to_additive(mask: Tensor | None, name: str, dtype: torch.dtype) -> Tensor | None:
    """Convert a mask to values that are added to the scores: -inf where a boolean mask is True."""
    if mask is None or mask.dtype.is_floating_point:
        return mask
    if mask.dtype != torch.bool:
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return torch.zeros_like(mask, dtype=dtype).masked_fill_(mask, float("-inf"))


def _canonical_mask(
    mask: Tensor | None,
    mask_name: str,
    other_type: torch.dtype | None,
    other_name: str,
    target_type: torch.dtype,
    check_other: bool = True,
) -> Tensor | None:
    """Return a mask that is added to scores of a dtype; warn if another mask is of another kind.

    Raises:
        AssertionError: If the mask is neither boolean nor of floating point.
    """
    if mask is not None and check_other and other_type not in (None, mask.dtype):
        warnings.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both "
            "instead.",
            stacklevel=2,
        )
    return _to_additive(mask, mask_name, target_type)


def _matching_masks(
    masks: tuple[Tensor | None, Tensor | None], names: tuple[str, str], dtype: torch.dtype
) -> tuple[Tensor | None, Tensor | None]:
    """Return masks of positions and of pairs; warn and make both additive if their dtypes differ."""
    padding, mask = masks
    if padding is None or mask is None or padding.dtype == mask.dtype:
        return masks
    padding = _canonical_mask(padding, names[0], mask.dtype, names[1], dtype)
    return padding, _to_additive(mask, names[1], dtype)


def _in_projection(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """Project query, key and value, each with a weight of its own.

    Args:
        q: The query, (..., Eq).
        k: The key, (..., Ek).
        v: The value, (..., Ev).
        w_q: The query's weight, (Eq, Eq).
        w_k: The key's weight, (Eq, Ek).
        w_v: The value's weight, (Eq, Ev).
        b_q: The query's bias, (Eq).
        b_k: The key's bias, (Eq).
        b_v: The value's bias, (Eq).

    Raises:
        AssertionError: If a weight or a bias has another shape.
    """
    width = q.size(-1)
    parts = (("query", q, w_q, b_q), ("key", k, w_k, b_k), ("value", v, w_v, b_v))
    for name, x, weight, _ in parts:
        shape = (width, x.size(-1))
        if weight.shape != shape:
            raise AssertionError(
                f"expecting {name} weights shape of {shape}, but got {weight.shape}"
            )
    for name, _, _, bias in parts:
        if bias is not None and bias.shape != (width,):
            raise AssertionError(f"expecting {name} bias shape of {(width,)}, but got {bias.shape}")
    return tuple(linear(x, weight, bias) for _, x, weight, bias in parts)


def _in_projection_packed(
    q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None
) -> list[Tensor]:
    """Project query, key and value with the three parts of one weight, (3 E, E).

    Equal arguments share one matrix product.
    """
    width = q.size(-1)
    if k is v and q is k:
        packed = linear(q, w, b)
        return [part.contiguous() for part in packed.split(width, -1)]
    weights = w.split(width)
    biases = [None] * 3 if b is None else list(b.split(width))
    if k is v:
        rest = torch.cat(weights[1:])
        rest_bias = None if b is None else b[width:]
        pair = linear(k, rest, rest_bias).split(width, -1)
        return [linear(q, weights[0], biases[0]), *(part.contiguous() for part in pair)]
    return [linear(x, w, b) for x, w, b in zip((q, k, v), weights, biases, strict=True)]


def _split_heads(tensor: Tensor, num_heads: int, head_dim: int) -> Tensor:
    """Reshape (L, N, E) to (N heads, L, E / heads)."""
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
    """Compute multi-head attention of queries over keys and values.

    Without a batch, leave out N in the shapes below. See Vaswani et al. (2017) and
    MultiheadAttention, which owns the weights.

    Args:
        query: Queries, (L, N, E).
        key: Keys, (S, N, E_k).
        value: Values, (S, N, E_v).
        embed_dim_to_check: Expected E.
        num_heads: Number of heads, a divisor of E.
        in_proj_weight: Projection of query, key and value, (3 E, E).
        in_proj_bias: Bias of the projections, (3 E), or None.
        bias_k: Key appended to the keys, (1, 1, E), or None.
        bias_v: Value appended to the values, (1, 1, E), or None.
        add_zero_attn: If True, append a key and a value of zeros.
        dropout_p: Probability of dropping an attention weight.
        out_proj_weight: Output projection, (E, E).
        out_proj_bias: Bias of the output projection, (E), or None.
        training: If False, do not apply dropout.
        key_padding_mask: Keys to ignore, (N, S): True or -inf.
        need_weights: If True, return the attention weights too, which is slower.
        attn_mask: Pairs to ignore, (L, S) or (N heads, L, S): True, or values added to the scores.
        use_separate_proj_weight: If True, use the next three weights, not `in_proj_weight`.
        q_proj_weight: Projection of queries, (E, E).
        k_proj_weight: Projection of keys, (E, E_k).
        v_proj_weight: Projection of values, (E, E_v).
        static_k: Projected keys to use, (N heads, S, E / heads).
        static_v: Projected values to use, (N heads, S, E / heads).
        average_attn_weights: If True, average the returned weights over the heads.
        is_causal: Hint that `attn_mask` is the causal mask.

    Returns:
        The result, (L, N, E), and the attention weights, (N, L, S) or (N, heads, L, S), or None.

    Raises:
        AssertionError: If shapes or mask dtypes do not match.
        RuntimeError: If `is_causal` is set without `attn_mask`.

    Example:
        >>> x, eye = torch.randn(5, 2, 4), torch.eye(4)
        >>> result, weights = F.multi_head_attention_forward(
        ...     x, x, x, 4, 2, torch.cat([eye] * 3), None, None, None, False, 0.0, eye, None
        ... )
        >>> result.shape, weights.shape
        (torch.Size([5, 2, 4]), torch.Size([2, 5, 5]))
    """
    tensors = (
        query,
        key,
        value,
        in_proj_weight,
        in_proj_bias,
        bias_k,
        bias_v,
        out_proj_weight,
        out_proj_bias,
        key_padding_mask,
        attn_mask,
        q_proj_weight,
        k_proj_weight,
        v_proj_weight,
        static_k,
        static_v,
    )
    if has_torch_function(tensors):
        return handle_torch_function(
            multi_head_attention_forward,
            tensors,
            query,
            key,
            value,
            embed_dim_to_check,
            num_heads,
            in_proj_weight,
            in_proj_bias,
            bias_k,
            bias_v,
            add_zero_attn,
            dropout_p,
            out_proj_weight,
            out_proj_bias,
            training=training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=use_separate_proj_weight,
            q_proj_weight=q_proj_weight,
            k_proj_weight=k_proj_weight,
            v_proj_weight=v_proj_weight,
            static_k=static_k,
            static_v=static_v,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
    batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
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
    _check_key_and_value(key, value, not use_separate_proj_weight)
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
        q, k, v = _in_projection_packed(query, key, value, in_proj_weight, in_proj_bias)
    key_padding_mask, attn_mask = _matching_masks(
        (key_padding_mask, attn_mask), ("key_padding_mask", "attn_mask"), q.dtype
    )
    # The hint replaces the mask, which may then have any size.
    causal = is_causal and key_padding_mask is None and not need_weights
    mask = None if causal else _to_additive(attn_mask, "attn_mask", q.dtype)
    padding = _to_additive(key_padding_mask, "key_padding_mask", q.dtype)
    if mask is not None:
        _check_attn_mask(mask, (batch * num_heads, length, key.size(0)))
        mask = mask.unsqueeze(0) if mask.dim() == 2 else mask

    extra = 0
    if bias_k is not None and bias_v is not None:
        for static, name in ((static_k, "key"), (static_v, "value")):
            if static is not None:
                raise AssertionError(f"bias cannot be added to static {name}.")
        k = torch.cat([k, bias_k.repeat(1, batch, 1)])
        v = torch.cat([v, bias_v.repeat(1, batch, 1)])
        extra += 1
    q = _split_heads(q, num_heads, head_dim)
    k = _split_heads(k, num_heads, head_dim) if static_k is None else static_k
    v = _split_heads(v, num_heads, head_dim) if static_v is None else static_v
    if add_zero_attn:
        zeros = k.new_zeros(batch * num_heads, 1, head_dim)
        k, v = torch.cat([k, zeros], 1), torch.cat([v, zeros], 1)
        extra += 1
    if extra:
        mask = None if mask is None else _nn.pad(mask, (0, extra))
        padding = None if padding is None else _nn.pad(padding, (0, extra))
    source = k.size(1)
    if padding is not None:
        _check_key_padding_mask(padding, source, batch)
        expanded = padding.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1)
        expanded = expanded.reshape(batch * num_heads, 1, source)
        mask = expanded if mask is None else mask + expanded
    dropout = dropout_p if training else 0.0

    if need_weights:
        scores = torch.bmm(q * (head_dim**-0.5), k.transpose(-2, -1))
        if mask is not None:
            scores = scores + mask
        weights = torch.softmax(scores, -1)
        if dropout > 0.0:
            weights = torch.dropout(weights, dropout, True)
        attended = torch.bmm(weights, v)
    else:
        weights = None
        shape = (batch, num_heads)
        if mask is not None:
            mask = mask.unsqueeze(0) if mask.size(0) == 1 else mask.view(*shape, -1, source)
        attended = _nn.scaled_dot_product_attention(
            q.view(*shape, length, head_dim),
            k.view(*shape, source, head_dim),
            v.view(*shape, source, head_dim),
            mask,
            dropout,
            causal,
        ).view(batch * num_heads, length, head_dim)
    flat = attended.transpose(0, 1).reshape(length * batch, width)
    result = linear(flat, out_proj_weight, out_proj_bias).view(
        length, batch, out_proj_weight.size(0)
    )
    if weights is not None:
        weights = weights.view(batch, num_heads, length, source)
        weights = weights.mean(1) if average_attn_weights else weights
        weights = weights if batched else weights.squeeze(0)
    return (result if batched else result.squeeze(1)), weights
