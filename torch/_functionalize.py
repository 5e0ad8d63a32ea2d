"""torch.func.functionalize: run a function without changing tensors in place."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import _C
from torch.utils import _pytree as pytree

Tensor = torch.Tensor
_REMOVE = ("mutations", "mutations_and_views")


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Return a function that computes the same without operators that change tensors in place.

    Modes of `torch.utils._python_dispatch` and other transforms see `add` where the function calls
    `add_`. The views of a changed tensor are computed again from its new value. If the function
    changes an argument, the result is copied to it at the end.

    Arguments that share memory with each other count as separate tensors.

    Args:
        func: The function; its arguments and results are tensors, or containers of them.
        remove: "mutations", or "mutations_and_views" to call operators such as `select_copy`
            instead of views too.

    Raises:
        RuntimeError: If `remove` is something else; or when the function changes a tensor that is
            neither an argument nor created by the function, with a value that depends on them.

    Example:
        >>> def f(x):
        ...     y = x + 1
        ...     y[0].mul_(2)
        ...     return y
        >>> torch.func.functionalize(f)(torch.tensor([1.0, 2.0]))
        tensor([4., 3.])
        >>> torch.func.functionalize(f, remove="mutations_and_views")(torch.tensor([1.0, 2.0]))
        tensor([4., 3.])
    """
    if remove not in _REMOVE:
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. "
            'Valid options are:\n     remove="mutations": all inplace and out= operators will be '
            "removed from the program, and replaced with their out-of-place equivalents.\n     "
            'remove="mutations_and_views": In addition to the above, all aliasing operators {view} '
            "will be replaced with their non-aliasing counterparts, {view}_copy."
        )

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        level = _C._enable_functionalization(reapply_views=remove == "mutations")
        try:
            inputs: dict[int, tuple[Tensor, Tensor]] = {}

            def functional(value: Any) -> Any:
                if not isinstance(value, Tensor):
                    return value
                if id(value) not in inputs:
                    inputs[id(value)] = (value, _C._to_functional_tensor(value))
                return inputs[id(value)][1]

            wrapped_args, wrapped_kwargs = pytree.tree_map(functional, (args, kwargs))
            results = func(*wrapped_args, **wrapped_kwargs)
        finally:
            _C._disable_functionalization()
        for original, wrapped in inputs.values():
            _write_back(original, wrapped)
        return pytree.tree_map(lambda value: _value(value, level), results)

    return wrapper


def _value(result: Any, level: int) -> Any:
    """Return the value of a tensor of the level."""
    if not isinstance(result, Tensor) or _C._functionalization_level(result) != level:
        return result
    _C._sync(result)
    return _C._from_functional_tensor(result)


def _write_back(original: Tensor, wrapped: Tensor) -> None:
    """Change an argument as the function changed its wrapper."""
    if _C._functionalize_has_metadata_mutation(wrapped):
        if wrapped.numel() > original.numel():
            original.resize_(wrapped.shape)
        original.as_strided_(wrapped.shape, wrapped.stride(), wrapped.storage_offset())
    if _C._functionalize_mutation_counter(wrapped):
        _C._sync(wrapped)
        original.copy_(_C._from_functional_tensor(wrapped))
