"""Reductions of masked tensors: those of torch.masked, with the mask of the results."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.masked.maskedtensor.core import make_tracked

Tensor = torch.Tensor

NAMES = ("sum", "mean", "amin", "amax", "argmin", "argmax", "prod", "all", "norm", "var", "std")


def rules() -> dict[str, Callable[..., Any]]:
    """Return the rules of all reductions, by their names."""
    return {name: _reduction(name) for name in NAMES}


def _reduction(name: str) -> Callable[..., Any]:
    def along(input: Any, dim: Any, keepdim: bool = False, dtype: Any = None) -> Any:
        return _of_dims(name, input, dim, keepdim, dtype)

    def rule(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs:
            return _of_all(name, args[0])
        return along(*args, **kwargs)

    return rule


def _of_all(name: str, input: Any) -> Any:
    mask = input.get_mask().values() if input.is_sparse else input.get_mask()
    data = input.get_data()
    if name == "all":
        result = data.masked_fill(~mask, True).all()
    elif name in ("argmin", "argmax") and input.is_sparse_coo():
        result = _flat_index(data, _function(name)(data.values(), mask=mask))
    elif input.is_sparse:
        result = _function(name)(make_tracked(data.values(), mask), mask=mask)
    else:
        result = _function(name)(input, mask=mask)
    return make_tracked(result, torch.any(mask))


def _of_dims(name: str, input: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if input.is_sparse:
        warnings.warn(_UNSUPPORTED.format(name=name), UserWarning, stacklevel=4)
        return NotImplemented
    mask = input.get_mask()
    if name == "all":
        result = input.get_data().masked_fill(~mask, True).all(dim, keepdim)
    else:
        result = _function(name)(input, dim=dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return make_tracked(result, _any(mask, dim, keepdim))


_UNSUPPORTED = (
    "The sparse version of {name} is not implemented in reductions.\n"
    "If you would like this operator to be supported, please file an issue for a feature request "
    "at https://github.com/pytorch/maskedtensor/issues with a minimal reproducible code snippet.\n"
    "In the case that the semantics for the operator are not trivial, it would be appreciated "
    "to also include a proposal for the semantics."
)


def _function(name: str) -> Any:
    return getattr(torch.masked, name)


def _any(mask: Tensor, dim: Any, keepdim: bool) -> Tensor:
    for each in sorted((dim,) if isinstance(dim, int) else dim, reverse=True):
        mask = torch.any(mask, dim=each, keepdim=keepdim)
    return mask


def _flat_index(data: Tensor, place: Tensor) -> Tensor:
    """Return where in the dense tensor an element stands, given its place among the values."""
    strides = data.size().numel() / torch.tensor(data.size(), device=data.device).cumprod(0)
    return torch.sum(data.indices()[:, place.to(torch.int64)] * strides)
