"""torch.vmap under the names by which libraries know its first form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch._vmap import vmap as _mapped
from torch.utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten

__all__ = ["_broadcast_to_and_flatten", "_vmap", "tree_flatten", "tree_unflatten", "vmap"]


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """Return a function that maps over a dimension of its arguments; see torch.vmap."""
    return _mapped(func, in_dims, out_dims)


def _vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    allow_none_pass_through: bool = False,
) -> Callable[..., Any]:
    """Return what `vmap` returns; if asked, results of the function that are None stay None."""
    if not allow_none_pass_through:
        return _mapped(func, in_dims, out_dims)

    def mapped(*args: Any) -> Any:
        found: list[Any] = []

        def tensors(*elements: Any) -> Any:
            leaves, spec = tree_flatten(func(*elements), is_leaf=lambda leaf: leaf is None)
            found[:] = [spec, [leaf is None for leaf in leaves]]
            return tuple(leaf for leaf in leaves if leaf is not None)

        results = iter(_mapped(tensors, in_dims, out_dims)(*args))
        spec, missing = found
        return tree_unflatten([None if gone else next(results) for gone in missing], spec)

    return mapped
