"""What functions do with jagged nested tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nested import _attention
from torch.nested import _jagged as jagged
from torch.nested import _jagged_reductions as reductions
from torch.nested import _jagged_views as views
from torch.nested._base import values_of
from torch.nested._jagged import is_jagged, like, require_whole

Tensor = torch.Tensor
F = torch.nn.functional


def _linear(a: Any, weight: Tensor, bias: Any = None) -> Any:
    require_whole(a, "linear_default(self: jt, weight: t, bias: t?)", "input")
    return like(a, F.linear(values_of(a), weight, bias))


def _rms_norm(a: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Any:
    if len(normalized_shape) > a.dim() - a._ragged_idx - 1:
        raise ValueError(
            "rms_norm(): Normalization over the ragged dim not supported for nested tensors"
        )
    return like(a, F.rms_norm(values_of(a), normalized_shape, weight, eps))


def _dropout(a: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    return like(a, F.dropout(values_of(a), p, training, inplace))


def _embedding(weight: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
    if is_jagged(weight):  # the functional form takes the indices first
        weight, a = a, weight
    return like(a, F.embedding(a._inner, weight, *args, **kwargs))


def _convolution(name: str) -> Callable[..., Any]:
    def rule(a: Any, *args: Any, **kwargs: Any) -> Any:
        require_whole(a, f"{name}(input: jt, weight: t, bias: t?, ...)", "input")
        return like(a, getattr(F, name)(values_of(a), *args, **kwargs))

    return rule


def _to(a: Any, *args: Any, **kwargs: Any) -> Any:
    if args and is_jagged(args[0]):
        args = (args[0]._inner, *args[1:])
    options = {key: value for key, value in kwargs.items() if key != "layout"}
    values = values_of(a).to(*args, **options)
    return a if values is a._inner else like(a, values)


def _move(name: str) -> Callable[..., Any]:
    return lambda a, *args, **kwargs: like(a, getattr(values_of(a), name)(*args, **kwargs))


def _clone(a: Any, *, memory_format: Any = None) -> Any:
    if memory_format == torch.contiguous_format and a._lengths is not None:
        return views.contiguous(a)
    return like(a, values_of(a).clone())


def _to_padded_tensor(a: Any, padding: float, output_size: Any = None, out: Any = None) -> Tensor:
    padded = jagged.to_padded(a, padding, output_size)
    return padded if out is None else out.resize_(padded.shape).copy_(padded)


def _unbind(a: Any, dim: int = 0) -> Any:
    return a.unbind(dim)


RULES: dict[str, Callable[..., Any]] = {
    **reductions.RULES,
    "__getitem__": views.item,
    "__matmul__": jagged.matmul,
    "__rmatmul__": lambda a, b: jagged.matmul(b, a),
    "bmm": jagged.bmm,
    "broadcast_to": views.broadcast_to,
    "cat": views.cat,
    "chunk": views.chunk,
    "clone": _clone,
    "concat": views.cat,
    "contiguous": views.contiguous,
    "conv1d": _convolution("conv1d"),
    "conv2d": _convolution("conv2d"),
    "copy_": views.copy_in_place,
    "cpu": _move("cpu"),
    "cuda": _move("cuda"),
    "dropout": _dropout,
    "embedding": _embedding,
    "expand": views.expand,
    "expand_as": views.expand_as,
    "flatten": views.flatten,
    "is_same_size": lambda a, b: a._size == b._size,
    "linear": _linear,
    "masked_select": views.masked_select,
    "matmul": jagged.matmul,
    "narrow": views.narrow,
    "nested_to_padded_tensor": _to_padded_tensor,
    "permute": views.permute,
    "reshape": views.reshape,
    "reshape_as": lambda a, other: views.reshape(a, *other.shape),
    "rms_norm": _rms_norm,
    "scaled_dot_product_attention": _attention.jagged,
    "select": views.select,
    "split": views.split,
    "split_with_sizes": views.split,
    "squeeze": views.squeeze,
    "stack": views.stack,
    "to": _to,
    "to_padded_tensor": _to_padded_tensor,
    "transpose": views.transpose,
    "unbind": _unbind,
    "unflatten": views.unflatten,
    "unsqueeze": views.unsqueeze,
    "view": views.view,
    "view_as": lambda a, other: views.view(a, *other.shape),
    "where": jagged.where,
}
