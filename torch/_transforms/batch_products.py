"""Batching rules of products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import torch
from torch._transforms.batched import Rule, VmapLevel

_RANKS = {"mm": (2, 2), "mv": (2, 1), "dot": (1, 1), "vdot": (1, 1), "bmm": (3, 3)}


def _check_ranks(name: str, a: torch.Tensor, b: torch.Tensor) -> None:
    """Raise an error if an element has dimensions that the operator does not take.

    The rules call torch.matmul, which takes more.
    """
    ranks = _RANKS[name]
    if (a.dim(), b.dim()) == ranks:
        if ranks == (1, 1) and len(a) != len(b):
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{len(a)}] and src [{len(b)}] to have "
                f"the same number of elements, but got {len(a)} and {len(b)} elements respectively"
            )
        return
    if ranks == (1, 1):
        raise RuntimeError(f"Got wrong shapes for {name}")
    raise RuntimeError(
        f"Shape mismatch: Got incorrect dims for {name}(a, b). a has dim {a.dim()}and b has dim "
        f"{b.dim()}but expected them to have dim {ranks[0]} and dim {ranks[1]}"
    )


def _product(level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Multiply matrices and vectors; a vector becomes a matrix with one row or column."""
    a, b = args[:2]
    _check_ranks(func.name()[6:], a, b)
    left, right = level.unwrapped(a), level.unwrapped(b)
    if a.dim() == 1 and b.dim() == 1:
        return level.wrap((left * right).sum(-1))
    if a.dim() == 2 and level.owns(a) and not level.owns(b):
        flat = torch.ops.aten.mm if b.dim() == 2 else torch.ops.aten.mv
        rows = flat(left.reshape(level.size * a.size(0), a.size(1)), right)
        return level.wrap(rows.reshape(level.size, a.size(0), *rows.shape[1:]))
    if a.dim() == 2 and level.owns(b) and not level.owns(a):
        if b.dim() == 1:
            return level.wrap(right @ left.t())
        return level.wrap(left @ right)
    if b.dim() == 1:
        return level.wrap((left @ right.unsqueeze(-1)).squeeze(-1))
    return level.wrap(torch.matmul(left, right))


def _conjugate_product(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    _check_ranks("vdot", *args[:2])
    return level.wrap((level.unwrapped(args[0]).conj() * level.unwrapped(args[1])).sum(-1))


def _batch_product(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    _check_ranks("bmm", *args[:2])
    return level.wrap(torch.matmul(level.unwrapped(args[0]), level.unwrapped(args[1])))


def _added_product(
    level: VmapLevel, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    product = {"addmm": "mm", "addmv": "mv", "baddbmm": "bmm"}[func.name()[6:]]
    fresh = level.fresh(args)
    term = getattr(torch.ops.aten, product).default(fresh[1], fresh[2])
    alpha, beta = kwargs.get("alpha", 1), kwargs.get("beta", 1)
    if alpha != 1:
        term = term * alpha
    if beta != 0:
        term = term + (fresh[0] if beta == 1 else fresh[0] * beta)
    return level.wrap(level.batched(term))


RULES: dict[str, Rule] = {
    "mm": _product,
    "mv": _product,
    "dot": _product,
    "vdot": _conjugate_product,
    "bmm": _batch_product,
    "addmm": _added_product,
    "addmv": _added_product,
    "baddbmm": _added_product,
}
