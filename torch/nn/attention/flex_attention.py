"""Attention whose scores and masks are functions of positions.

The functions get index tensors that broadcast against each other, instead of scalars under vmap, and the
scores are computed whole: this build has no kernel that skips blocks.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.attention._block_mask import (
    _DEFAULT_SPARSE_BLOCK_SIZE,
    BlockMask,
    create_block_mask,
    create_mask,
    index_tensors,
)

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "FlexKernelOptions",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]
_DEFAULT_SPARSE_BLOCK_SIZE = _DEFAULT_SPARSE_BLOCK_SIZE
_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = False
_score_mod_signature = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
_mask_mod_signature = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
FlexKernelOptions = dict[str, Any]


class AuxRequest(NamedTuple):
    """The results of flex_attention other than the output.

    Example:
        >>> torch.nn.attention.flex_attention.AuxRequest(lse=True)
        AuxRequest(lse=True, max_scores=False)
    """

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The results that an AuxRequest asks for; the others are None.

    Example:
        >>> torch.nn.attention.flex_attention.AuxOutput()
        AuxOutput(lse=None, max_scores=None)
    """

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """Allow every position.

    Example:
        >>> from torch.nn.attention.flex_attention import noop_mask
        >>> noop_mask(*torch.zeros(4, dtype=torch.int32).unbind())
        tensor(True)
    """
    return batch.new_ones(size=(), dtype=torch.bool, device=batch.device)


def _identity(score: Tensor, *positions: Tensor) -> Tensor:
    return score


def _check_mask_mods(mask_mods: tuple[Any, ...]) -> None:
    if not all(callable(mask) for mask in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def and_masks(*mask_mods: Any) -> Any:
    """Return the mask function that allows what all of some mask functions allow.

    Raises:
        RuntimeError: If one of them is not callable.

    Example:
        >>> from torch.nn.attention.flex_attention import and_masks, create_mask
        >>> causal = lambda b, h, q, kv: q >= kv
        >>> window = lambda b, h, q, kv: q - kv < 2
        >>> create_mask(and_masks(causal, window), 1, 1, 3, 3)[0, 0].int()
        tensor([[1, 0, 0],
                [1, 1, 0],
                [0, 1, 1]], dtype=torch.int32)
    """
    _check_mask_mods(mask_mods)

    def and_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_ones((), dtype=torch.bool)
        for mask in mask_mods:
            result = result & mask(b, h, q_idx, kv_idx)
        return result

    return and_mask


def or_masks(*mask_mods: Any) -> Any:
    """Return the mask function that allows what any of some mask functions allows.

    Raises:
        RuntimeError: If one of them is not callable.

    Example:
        >>> from torch.nn.attention.flex_attention import create_mask, or_masks
        >>> first, last = lambda b, h, q, kv: kv == 0, lambda b, h, q, kv: kv == 2
        >>> create_mask(or_masks(first, last), 1, 1, 1, 3)
        tensor([[[[ True, False,  True]]]])
    """
    _check_mask_mods(mask_mods)

    def or_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_zeros((), dtype=torch.bool)
        for mask in mask_mods:
            result = result | mask(b, h, q_idx, kv_idx)
        return result

    return or_mask


def _check_inputs(query: Tensor, key: Tensor, value: Tensor, enable_gqa: bool) -> None:
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if tensor.dim() != 4:
            raise NotImplementedError(f"NYI: {name} must be 4D, got {tensor.dim()}D")
    if not query.dtype == key.dtype == value.dtype:
        raise ValueError(
            "Expected query, key, and value to have the same dtype, but got "
            f"query.dtype: {query.dtype}, key.dtype: {key.dtype}, and value.dtype: {value.dtype} instead."
        )
    if query.size(-1) != key.size(-1):
        raise ValueError(
            f"Expect query and key/value to have the same embedding dimension but got "
            f"E={query.size(-1)} and E={key.size(-1)}."
        )
    heads, kv_heads = query.size(1), key.size(1)
    if not enable_gqa and heads != kv_heads:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={heads} and "
            f"Hkv={kv_heads}. Try setting enable_gqa=True for GQA."
        )
    if enable_gqa and heads % kv_heads:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} "
            f"and Hkv={kv_heads}."
        )
    if query.size(0) != key.size(0) and key.size(0) != 1:
        raise ValueError(
            f"Expect Bq == Bkv or Bkv == 1, but got Bq={query.size(0)} and Bkv={key.size(0)}."
        )


def _check_block_mask(block_mask: BlockMask, query: Tensor, key: Tensor) -> None:
    lengths = (query.size(-2), key.size(-2))
    covered = block_mask.seq_lengths
    if lengths[0] > covered[0] or lengths[1] > covered[1]:
        raise ValueError(
            f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={lengths[0]} "
            f"and kv_len={lengths[1]}. As the block mask was created for a smaller length than you're "
            "using it for, you likely need to create a new block mask."
        )
    for what, size, own in zip("BH", query.shape[:2], block_mask.shape[:2], strict=True):
        if own not in (1, size):
            raise RuntimeError(
                f"block_mask has {own} in dimension {what}, but the query has {size}"
            )


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Any = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: FlexKernelOptions | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """Compute attention with scores and a mask that are functions of the positions.

    Args:
        query: Tensor of shape (B, Hq, L, E).
        key: Tensor of shape (B, Hkv, S, E).
        value: Tensor of shape (B, Hkv, S, Ev).
        score_mod: A function of (score, b, h, q_idx, kv_idx) that returns the score to use.
        block_mask: A mask of `create_block_mask`.
        scale: The factor of the scores before `score_mod`; 1/sqrt(E) if None.
        enable_gqa: Whether a head of key and value may serve several heads of the query.
        return_lse: Whether to return the logarithm of the sums of exponentials too (deprecated).
        kernel_options: Ignored.
        return_aux: What to return besides the output.

    Returns:
        The output of shape (B, Hq, L, Ev), zero where a row has no allowed position; with
        `return_lse` also the logarithms of shape (B, Hq, L); with `return_aux` an AuxOutput.

    Raises:
        NotImplementedError: If a tensor does not have four dimensions.
        ValueError: If sizes or dtypes do not fit.

    Example:
        >>> from torch.nn.attention.flex_attention import flex_attention
        >>> q = torch.ones(1, 1, 3, 2)
        >>> causal = lambda score, b, h, q, kv: torch.where(q >= kv, score, -float("inf"))
        >>> flex_attention(q, q, q, score_mod=causal).shape
        torch.Size([1, 1, 3, 2])
    """
    _check_inputs(query, key, value, enable_gqa)
    if block_mask is not None:
        _check_block_mask(block_mask, query, key)
    if return_lse:
        warnings.warn(
            "return_lse is deprecated and will be removed in v2.10. Please use "
            "return_aux=AuxRequest(lse=True) instead.",
            FutureWarning,
            stacklevel=2,
        )
        if return_aux is not None:
            raise ValueError("Cannot specify both return_lse and return_aux.")
    if return_aux is not None and return_aux.max_scores and query.device.type in ("cpu", "mps"):
        raise NotImplementedError("Returning max scores is not supported on CPU/MPS.")
    output, lse, largest = _attend(query, key, value, score_mod, block_mask, scale)
    if return_lse:
        return output, lse
    if return_aux is None:
        return output
    return output, AuxOutput(
        lse if return_aux.lse else None, largest if return_aux.max_scores else None
    )


def _attend(
    query: Tensor, key: Tensor, value: Tensor, score_mod: Any, block_mask: Any, scale: float | None
) -> tuple[Tensor, Tensor, Tensor]:
    if query.size(1) != key.size(1):
        repeats = query.size(1) // key.size(1)
        key, value = (t.repeat_interleave(repeats, dim=1) for t in (key, value))
    working = torch.float64 if query.dtype == torch.float64 else torch.float32
    factor = 1.0 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = (query.to(working) @ key.to(working).transpose(-2, -1)) * factor
    positions = index_tensors(*scores.shape, scores.device)
    if score_mod is not None:
        scores = score_mod(scores, *positions).to(working).expand(scores.shape)
    if block_mask is not None:
        allowed = block_mask.mask_mod(*positions)
        scores = torch.where(allowed, scores, -math.inf)
    lse = scores.logsumexp(dim=-1)
    empty = (lse == -math.inf).unsqueeze(-1)
    weights = torch.where(empty, 0.0, torch.softmax(scores, dim=-1).masked_fill(empty, 0.0))
    output = (weights @ value.to(working)).to(query.dtype)
    return output, lse, scores.detach().amax(-1)
