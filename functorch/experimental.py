"""The transforms that functorch called experimental; torch.func has them now."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torch import _vmap
from torch.func import functionalize, hessian, jacfwd, jvp, replace_all_batch_norm_modules_, vmap
from torch.utils._pytree import tree_flatten

__all__ = [
    "chunk_vmap",
    "functionalize",
    "hessian",
    "jacfwd",
    "jvp",
    "replace_all_batch_norm_modules_",
]


def chunk_vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    chunks: int = 2,
) -> Callable[..., Any]:
    """Return a function that maps over a dimension of its arguments in several calls.

    Args:
        func: The function of one element.
        in_dims: The dimension of each argument to map over, as for `torch.vmap`.
        out_dims: The dimension of the results that counts the elements.
        randomness: What random operators do, as for `torch.vmap`.
        chunks: The number of calls.

    Example:
        >>> from functorch.experimental import chunk_vmap
        >>> chunk_vmap(torch.dot, chunks=3)(torch.ones(6, 2), torch.ones(6, 2))
        tensor([2., 2., 2., 2., 2., 2.])
    """

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = tree_flatten(args)
        dims = _vmap._input_dims(in_dims, args, leaves, spec, getattr(func, "__name__", repr(func)))
        chunk_size = -(-_vmap._mapped_size(leaves, dims) // chunks)
        return vmap(func, in_dims, out_dims, randomness, chunk_size=chunk_size)(*args, **kwargs)

    return wrapper
