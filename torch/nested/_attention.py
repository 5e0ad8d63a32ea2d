"""Scaled dot product attention over nested tensors, one component at a time."""

from __future__ import annotations

from typing import Any

import torch
from torch.nested._base import is_nested
from torch.nested._internal.nested_tensor import NestedTensor
from torch.nested._strided import pack

Tensor = torch.Tensor


def _require(condition: bool, text: str) -> None:
    if not condition:
        raise ValueError(text)


def _check(query: Any, key: Any, value: Any, mask: Any) -> None:
    dtypes = [each.dtype for each in (query, key, value)]
    _require(
        len(set(dtypes)) == 1,
        "Expected query, key, and value to have the same dtype, but got query.dtype: "
        f"{dtypes[0]}, key.dtype: {dtypes[1]}, and value.dtype: {dtypes[2]} instead.",
    )
    _require(
        min(each.dim() for each in (query, key, value)) >= 3,
        "Expected query, key, and value to all be  at least 3 dimensional, but got query.dim: "
        f"{query.dim()}, key.dim: {key.dim()} and value.dim: {value.dim()} instead.",
    )
    _require(mask is None, "Masks are not yet supported!")


def jagged(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """Attend within each component of jagged tensors, (B, heads, *, E)."""
    if not all(isinstance(each, NestedTensor) for each in (query, key, value)):
        raise AssertionError("query, key, and value must all be NestedTensor instances")
    _check(query, key, value, attn_mask)
    ragged = {each._ragged_idx for each in (query, key, value)}
    if query.dim() > 3 and ragged != {2}:
        raise RuntimeError(
            "scaled_dot_product_attention(): expected the ragged dimension to be the sequence, "
            "dimension 2 of (B, heads, *, E)"
        )
    attended = _attend(query, key, value, dropout_p, is_causal, scale, enable_gqa)
    packed = query._structure.packed_dim
    values = torch.cat(attended, packed)
    if query._lengths is None:
        from torch.nested._jagged import like

        return like(query, values)
    from torch.nested._constructors import jagged_from_list

    return jagged_from_list(attended, None, None)


def strided(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """Attend within each component of strided tensors, (B, heads, *, E)."""
    if attn_mask is not None:
        raise RuntimeError(
            "scaled_dot_product_attention: an explicit attn_mask is not supported for nested tensors"
        )
    return pack(_attend(query, key, value, dropout_p, is_causal, scale, enable_gqa))


def _attend(query: Any, key: Any, value: Any, dropout: float, *options: Any) -> list[Tensor]:
    causal, scale, grouped = options
    parts = zip(*(_components(each) for each in (query, key, value)), strict=True)
    return [
        torch.nn.functional.scaled_dot_product_attention(
            *(each.unsqueeze(0) for each in part),
            dropout_p=dropout, is_causal=causal, scale=scale, enable_gqa=grouped,
        ).squeeze(0)
        for part in parts
    ]  # fmt: skip


def _components(tensor: Any) -> Any:
    return tensor.unbind() if is_nested(tensor) else tensor.unbind(0)


def self_attention(
    x: Any, weights: tuple[Tensor, Any], output: tuple[Tensor, Any], heads: int
) -> Any:
    """Return multi-head attention of each component with itself, (B, *, E).

    Args:
        x: Strided or jagged sequences.
        weights: The weight (3 E, E) and the bias (3 E) that make queries, keys and values.
        output: The weight (E, E) and the bias (E) of the output.
        heads: The number of heads.
    """
    linear = torch.nn.functional.linear
    projected = linear(x, *weights)
    attended = []
    for component in projected.unbind():
        parts = component.unflatten(-1, (3, heads, -1)).permute(1, 2, 0, 3).unsqueeze(1)
        found = torch.nn.functional.scaled_dot_product_attention(*parts)
        attended.append(found.squeeze(0).transpose(0, 1).flatten(1))
    if isinstance(x, NestedTensor):
        from torch.nested._jagged import like

        return linear(like(x, torch.cat(attended)), *output)
    return linear(pack(attended), *output)
