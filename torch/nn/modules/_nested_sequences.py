"""Transformers over nested tensors: sequences without their padding, in inference."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def why_not_nested(layer: Any) -> str:
    """Return why an encoder of copies of a layer cannot drop its input's padding; "" if it can."""
    name = "encoder_layer"
    if not isinstance(layer, torch.nn.TransformerEncoderLayer):
        return f"{name} was not TransformerEncoderLayer"
    if layer.norm_first:
        return f"{name}.norm_first was True"
    attention = layer.self_attn
    obstacles = {
        ".self_attn.batch_first was not True(use batch_first for better inference performance)": (
            not attention.batch_first
        ),
        ".self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        ".self_attn was passed bias=False": attention.in_proj_bias is None,
        ".activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        f".norm1.eps was not equal to {name}.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        ".self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((name + reason for reason, holds in obstacles.items() if holds), "")


def without_padding(encoder: Any, src: Tensor, mask: Any, padding: Any) -> Tensor | None:
    """Return the sequences without padding as a nested tensor, or None if that is not possible.

    Args:
        encoder: The encoder that is to process them.
        src: The sequences, (N, S, E).
        mask: Its mask of pairs of positions, which prevents it.
        padding: The positions to ignore, (N, S): True, or -inf.
    """
    first = encoder.layers[0]
    if (
        not torch.backends.mha.get_fastpath_enabled()
        or not getattr(encoder, "use_nested_tensor", False)
        or first.training
        or src.is_nested
        or src.dim() != 3
        or padding is None
        or mask is not None
        or torch.is_autocast_enabled()
        or _needs_gradients(src, *first.parameters())
    ):
        return None
    kept = ~padding if padding.dtype == torch.bool else padding == 0
    if getattr(encoder, "mask_check", True) and bool((kept[:, 1:] > kept[:, :-1]).any()):
        return None
    lengths = kept.sum(1).tolist()
    return torch.nested.as_nested_tensor(
        [row[:length] for row, length in zip(src, lengths, strict=True)]
    )


def attend_to_itself(
    attention: Any, query: Tensor, key: Tensor, value: Tensor, masks: tuple[Any, Any]
) -> Tensor:
    """Return the multi-head attention of the sequences of a nested tensor with themselves.

    Raises:
        AssertionError: If the arguments ask for more than that.
    """
    from torch.nested._attention import self_attention

    reason = _obstacle(attention, query, key, value, masks)
    if reason:
        raise AssertionError(
            "MultiheadAttention does not support NestedTensor outside of its fast path. "
            f"The fast path was not hit because {reason}"
        )
    return self_attention(  # type: ignore[no-any-return]
        query,
        (attention.in_proj_weight, attention.in_proj_bias),
        (attention.out_proj.weight, attention.out_proj.bias),
        attention.num_heads,
    )


def _obstacle(attention: Any, query: Tensor, key: Tensor, value: Tensor, masks: Any) -> str:
    obstacles = {
        "torch.backends.mha.get_fastpath_enabled() was not True": (
            not torch.backends.mha.get_fastpath_enabled()
        ),
        f"input not batched; expected query.dim() of 3 but got {query.dim()}": query.dim() != 3,
        "non-self attention was used (query, key, and value are not the same Tensor)": (
            query is not key or key is not value
        ),
        "in_proj_weight was None": attention.in_proj_weight is None,
        "training is enabled": attention.training,
        "self.num_heads is not even": attention.num_heads % 2 != 0,
        "batch_first was not True": not attention.batch_first,
        "self.bias_k was not None": attention.bias_k is not None,
        "add_zero_attn was enabled": attention.add_zero_attn,
        "supplying both src_key_padding_mask and src_mask at the same time "
        + " " * 32
        + "is not supported with NestedTensor input": any(mask is not None for mask in masks),
        "autocast is enabled": torch.is_autocast_enabled(),
        "grad is enabled and at least one of query or the input/output projection weights or "
        "biases requires_grad": _needs_gradients(query, *attention.parameters()),
    }
    return next((reason for reason, holds in obstacles.items() if holds), "")


def _needs_gradients(*tensors: Tensor) -> bool:
    return torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors)
