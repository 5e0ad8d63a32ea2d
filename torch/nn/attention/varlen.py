"""Attention over sequences of different lengths that lie one after the other."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

__all__ = ["AuxRequest", "varlen_attn", "varlen_attn_out"]


class AuxRequest(NamedTuple):
    """The results of varlen_attn other than the output.

    Example:
        >>> from torch.nn.attention.varlen import AuxRequest
        >>> AuxRequest(lse=True)
        AuxRequest(lse=True)
    """

    lse: bool = False


def _attend(
    q: Tensor, k: Tensor, v: Tensor, scale: float, window: tuple[int, int]
) -> tuple[Tensor, Tensor]:
    """Return attention of one sequence, and the logarithms of the sums."""
    q, k, v = (t.transpose(0, 1) for t in (q, k, v))
    if q.size(0) != k.size(0):
        k, v = (t.repeat_interleave(q.size(0) // t.size(0), dim=0) for t in (k, v))
    scores = (q.float() @ k.float().transpose(-2, -1)) * scale
    behind, ahead = window
    if behind >= 0 or ahead >= 0:
        own = torch.arange(q.size(1), device=q.device)[:, None] + k.size(1) - q.size(1)
        distance = torch.arange(k.size(1), device=q.device) - own
        hidden = torch.zeros_like(distance, dtype=torch.bool)
        if behind >= 0:
            hidden |= distance < -behind
        if ahead >= 0:
            hidden |= distance > ahead
        scores = scores.masked_fill(hidden, -math.inf)
    lse = scores.logsumexp(-1)
    weights = scores.softmax(-1).masked_fill((lse == -math.inf).unsqueeze(-1), 0.0)
    return (weights @ v.float()).to(q.dtype).transpose(0, 1), lse


def varlen_attn(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cu_seq_q: Tensor,
    cu_seq_k: Tensor | None,
    max_q: int,
    max_k: int,
    *,
    return_aux: AuxRequest | None = None,
    scale: float | None = None,
    window_size: tuple[int, int] = (-1, -1),
    enable_gqa: bool = False,
    seqused_k: Tensor | None = None,
    block_table: Tensor | None = None,
    num_splits: int | None = None,
) -> Any:
    """Compute attention within each of several sequences that lie one after the other.

    Args:
        query: Tensor of shape (total queries, heads, E).
        key: Tensor of shape (total keys, heads, E).
        value: Tensor of shape (total keys, heads, E).
        cu_seq_q: Where the queries of each sequence start, and the total.
        cu_seq_k: The same for the keys; that of the queries if None.
        max_q: The length of the longest sequence of queries; not needed here.
        max_k: The length of the longest sequence of keys; not needed here.
        return_aux: What to return besides the output.
        scale: The factor of the scores; 1/sqrt(E) if None.
        window_size: How many keys behind and ahead a query sees; -1 means all.
        enable_gqa: Whether a head of key and value may serve several heads of the query.
        seqused_k: How many keys of each sequence are used.
        block_table: Paged keys; not supported.
        num_splits: Ignored.

    Raises:
        NotImplementedError: If `block_table` is given.

    Example:
        >>> from torch.nn.attention.varlen import varlen_attn
        >>> x = torch.ones(5, 1, 4)
        >>> varlen_attn(x, x, x, torch.tensor([0, 2, 5]), torch.tensor([0, 2, 5]), 3, 3).shape  # doctest: +SKIP
        torch.Size([5, 1, 4])
    """
    if block_table is not None:
        raise NotImplementedError("varlen_attn does not support block_table in this build")
    factor = 1.0 / math.sqrt(query.size(-1)) if scale is None else scale
    starts = cu_seq_q.tolist()
    key_starts = starts if cu_seq_k is None else cu_seq_k.tolist()
    ends = key_starts[1:]
    if seqused_k is not None:
        ends = [start + used for start, used in zip(key_starts, seqused_k.tolist(), strict=False)]
    outputs, sums = [], []
    for i, end in enumerate(ends):
        q = query[starts[i] : starts[i + 1]]
        k, v = key[key_starts[i] : end], value[key_starts[i] : end]
        output, lse = _attend(q, k, v, factor, window_size)
        outputs.append(output)
        sums.append(lse)
    result = torch.cat(outputs)
    if return_aux is not None and return_aux.lse:
        return result, torch.cat(sums, dim=-1)
    return result


def varlen_attn_out(out: Tensor, *args: Any, **options: Any) -> Any:
    """Compute `varlen_attn` into a tensor.

    Args:
        out: The tensor for the output.
        *args: The other arguments of `varlen_attn`.
        **options: The other arguments of `varlen_attn`.

    Example:
        >>> from torch.nn.attention.varlen import varlen_attn_out
        >>> x, starts = torch.ones(5, 1, 4), torch.tensor([0, 2, 5])
        >>> varlen_attn_out(torch.empty(5, 1, 4), x, x, x, starts, starts, 3, 3).shape  # doctest: +SKIP
        torch.Size([5, 1, 4])
    """
    result = varlen_attn(*args, **options)
    output, *rest = result if isinstance(result, tuple) else (result,)
    with torch.no_grad():
        out.copy_(output)
    return (out, *rest) if rest else out
