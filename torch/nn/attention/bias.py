"""Masks of attention that are known by their kind: causal, aligned to the first or the last position."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """Where the diagonal of a causal mask ends: at the first position, or at the last.

    Example:
        >>> from torch.nn.attention.bias import CausalVariant
        >>> CausalVariant.LOWER_RIGHT.value
        2
    """

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask that scaled_dot_product_attention recognises, so that it need not be filled in.

    Args:
        variant: Where the diagonal ends.
        seq_len_q: The number of queries.
        seq_len_kv: The number of keys.

    Example:
        >>> from torch.nn.attention.bias import causal_lower_right
        >>> q, kv = torch.ones(1, 1, 2, 4), torch.ones(1, 1, 3, 4)
        >>> mask = causal_lower_right(2, 3)
        >>> nn.functional.scaled_dot_product_attention(q, kv, kv, mask).shape
        torch.Size([1, 1, 2, 4])
    """

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        """Return a tensor without elements of its own."""
        made: CausalBias = torch.empty(0).as_subclass(cls)
        return made

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError("variant must be a CausalVariant")
        self.variant = variant
        self.seq_len_q = seq_len_q
        self.seq_len_kv = seq_len_kv

    def _materialize(self, device: Any = None) -> Tensor:
        lower = self.variant == CausalVariant.LOWER_RIGHT
        diagonal = self.seq_len_kv - self.seq_len_q if lower else 0
        shape = (self.seq_len_q, self.seq_len_kv)
        return torch.ones(shape, device=device, dtype=torch.bool).tril(diagonal=diagonal)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.scaled_dot_product_attention:
            return cls._attend(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs or {})

    @staticmethod
    def _attend(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Any = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        **options: Any,
    ) -> Tensor:
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        square = attn_mask.seq_len_q == attn_mask.seq_len_kv
        if square or attn_mask.variant == CausalVariant.UPPER_LEFT:
            return F.scaled_dot_product_attention(
                query, key, value, None, dropout_p, is_causal=True, **options
            )
        mask = attn_mask._materialize(query.device)
        return F.scaled_dot_product_attention(query, key, value, mask, dropout_p, **options)

    def __repr__(self, **options: Any) -> str:
        return str(self._materialize())


def _check(size: tuple[int, ...]) -> None:
    if len(size) != 2:
        raise RuntimeError(
            f"the mask only supports 2D tensors, got a size with {len(size)} dimensions"
        )


def causal_upper_left(*size: int) -> CausalBias:
    """Return the causal mask in which query i sees the keys 0 to i.

    Args:
        *size: The number of queries and of keys.

    Example:
        >>> torch.nn.attention.bias.causal_upper_left(2, 3).variant.name
        'UPPER_LEFT'
    """
    _check(size)
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> CausalBias:
    """Return the causal mask in which the last query sees all keys.

    Args:
        *size: The number of queries and of keys.

    Example:
        >>> torch.nn.attention.bias.causal_lower_right(2, 3).variant.name
        'LOWER_RIGHT'
    """
    _check(size)
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
