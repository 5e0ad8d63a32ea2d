"""Jagged nested tensors: reductions and normalizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nested._base import values_of
from torch.nested._jagged import from_padded, is_jagged, like, to_padded
from torch.nested._strided import checked_dim

Tensor = torch.Tensor


def lowest(dtype: torch.dtype) -> float:
    """Return the least number of a dtype."""
    return torch.finfo(dtype).min if dtype.is_floating_point else _integer_bound(dtype, "min")


def highest(dtype: torch.dtype) -> float:
    """Return the greatest number of a dtype."""
    return torch.finfo(dtype).max if dtype.is_floating_point else _integer_bound(dtype, "max")


def _integer_bound(dtype: torch.dtype, name: str) -> int:
    if dtype == torch.bool:
        return int(name == "max")
    return int(getattr(torch.iinfo(dtype), name))


# What pads the components, so that the padding does not change the result.
_IDENTITIES: dict[str, Callable[[torch.dtype], Any]] = {
    "sum": lambda dtype: 0,
    "prod": lambda dtype: 1,
    "any": lambda dtype: False,
    "all": lambda dtype: True,
    "amax": lowest,
    "amin": highest,
    "argmax": lowest,
    "argmin": highest,
    "max": lowest,
    "min": highest,
}


def reduction(name: str) -> Callable[..., Any]:
    """Return the nested form of a reduction of torch."""

    def rule(a: Any, dim: Any = None, keepdim: bool = False, **options: Any) -> Any:
        if is_jagged(dim):
            raise NotImplementedError(f"{name} of two nested tensors is not supported")
        options = {key: value for key, value in options.items() if value is not None}
        return _reduce(name, a, dim, keepdim, options)

    return rule


def _reduce(name: str, a: Any, dim: Any, keepdim: bool, options: dict[str, Any]) -> Any:
    function = getattr(torch, name)
    if dim is None or dim in ((), []):
        result = function(values_of(a), **options)
        return result.reshape([1] * a.dim()) if keepdim else result
    dims = [checked_dim(a, d) for d in ([dim] if isinstance(dim, int) else dim)]
    ragged, batch = a._ragged_idx in dims, 0 in dims
    rest = [d for d in dims if d not in (0, a._ragged_idx)]
    if ragged and a._lengths is not None:
        raise RuntimeError(
            f"{name}(): reducing across the ragged dimension is not supported for non-contiguous "
            "nested tensors with holes"
        )
    inner = [d - 1 for d in dims if d]
    given = inner[0] if isinstance(dim, int) and inner else inner
    if ragged and batch:
        result = function(values_of(a), given, keepdim, **options)
        return result.unsqueeze(0) if keepdim else result
    if batch:
        raise RuntimeError(
            f"{name}(): reducing along the batch dimension but not the ragged dimension is not "
            "supported for nested tensors"
        )
    if ragged:
        if rest:
            raise RuntimeError(
                f"{name}(): reducing along a ragged and non-batch dimension is not supported for "
                "nested tensors"
            )
        padded = to_padded(a, _IDENTITIES[name](a.dtype))
        at = a._ragged_idx if isinstance(dim, int) else [a._ragged_idx]
        return function(padded, at, keepdim, **options)
    result = function(values_of(a), given, keepdim, **options)
    moved = a._ragged_idx - (0 if keepdim else sum(d < a._ragged_idx for d in rest))
    if isinstance(result, tuple):
        return type(result)(like(a, each, moved) for each in result)
    return like(a, result, moved)


def mean(a: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the mean of all elements, or along dimensions."""
    if dim is None or dim in ((), []):
        return torch.mean(values_of(a), dtype=dtype)
    dims = [checked_dim(a, d) for d in ([dim] if isinstance(dim, int) else dim)]
    if a._ragged_idx in dims and 0 not in dims:
        total = _reduce("sum", a, dims, True, {} if dtype is None else {"dtype": dtype})
        lengths = a._structure.component_lengths()
        result = total / lengths.reshape(-1, *[1] * (total.dim() - 1))
        return result if keepdim else result.squeeze(a._ragged_idx)
    return _reduce("mean", a, dims, keepdim, {} if dtype is None else {"dtype": dtype})


def softmax(
    a: Any, dim: Any = None, _stacklevel: Any = None, dtype: Any = None, *, name: str = "softmax"
) -> Any:
    """Return the softmax along a dimension other than the batch's."""
    if isinstance(dim, tuple):
        raise RuntimeError(
            f"{name}(): not supported for dimensions of type 'tuple' for NestedTensor"
        )
    dim = checked_dim(a, dim)
    if dim == 0:
        raise RuntimeError(
            f"{name}(): not supported when reducing across the batch dimension for NestedTensor"
        )
    function = getattr(torch, name)
    if dim != a._ragged_idx:
        return like(a, function(values_of(a), dim - 1, dtype=dtype))
    if name != "softmax":
        raise RuntimeError(
            f"{name}(): not supported when reducing along the ragged dimension for NestedTensor"
        )
    if a._ragged_idx > 1:
        raise RuntimeError(
            "softmax(): not supported when reducing along the ragged dimension for ragged_idx > 1 "
            "for NestedTensor"
        )
    if a._lengths is not None:
        raise RuntimeError(
            "softmax(): not supported where lengths is not None if reducing across the ragged "
            "dimension for NestedTensor"
        )
    return from_padded(function(to_padded(a, -torch.inf), 1, dtype=dtype), a._structure)


def log_softmax(a: Any, dim: Any = None, _stacklevel: Any = None, dtype: Any = None) -> Any:
    """Return the logarithm of the softmax along a dimension."""
    return softmax(a, dim, dtype=dtype, name="log_softmax")


def layer_norm(
    a: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Any:  # fmt: skip
    """Normalize over the last dimensions; over the ragged one too if its size is among them."""
    if a.dim() <= 2:
        raise RuntimeError(
            "layer_norm(): not supported for NestedTensor objects with 2 or fewer dimensions"
        )
    shape = list(normalized_shape)
    if len(shape) == a.dim():
        raise RuntimeError(
            "layer_norm(): not supported when normalizing over the batch dimension for NestedTensor"
        )
    if a._structure.ragged_size not in shape:
        return like(a, torch.nn.functional.layer_norm(values_of(a), shape, weight, bias, eps))
    if a._lengths is not None:
        raise RuntimeError(
            "layer_norm(): not supported where lengths is not None if operating on the ragged "
            "dimension for NestedTensor"
        )
    return _norm_of_components(a, eps)


def _norm_of_components(a: Any, eps: float) -> Any:
    """Normalize each component as a whole."""
    batch, _ = a._structure.places()
    values = values_of(a)
    rows = values.flatten(1)
    count = (a._offsets.diff() * rows.shape[1]).unsqueeze(1)
    zeros = rows.new_zeros(len(a), 1)

    def average(x: Tensor) -> Tensor:
        return (zeros.index_add(0, batch, x.sum(1, keepdim=True)) / count)[batch]

    centred = rows - average(rows)
    return like(a, (centred / (average(centred.square()) + eps).sqrt()).reshape(values.shape))


RULES: dict[str, Callable[..., Any]] = {
    **{name: reduction(name) for name in _IDENTITIES},
    "mean": mean,
    "softmax": softmax,
    "log_softmax": log_softmax,
    "layer_norm": layer_norm,
}
