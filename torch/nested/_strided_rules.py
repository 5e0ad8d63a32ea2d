"""What functions do with strided nested tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nested import _attention
from torch.nested import _strided_views as views
from torch.nested._base import is_nested, make, values_of
from torch.nested._strided import Strided, checked_dim, on_each, pack

Tensor = torch.Tensor
F = torch.nn.functional


def combine(
    func: Any, args: list[Any], values: Callable[[Any], Tensor]
) -> tuple[list[Any], Strided]:
    """Return arguments with buffers for nested tensors, and the structure of the result.

    Raises:
        RuntimeError: If the sizes differ.
    """
    name = func.__name__.strip("_")
    nested = [a for a in args if is_nested(a)]
    first = nested[0]
    if any(each.layout is not torch.strided for each in nested):
        raise RuntimeError(f"{name}: nested tensors of different layouts cannot be combined")
    if any(isinstance(a, Tensor) and not is_nested(a) and a.dim() for a in args):
        kinds = ["nested" if is_nested(a) else "non-nested" for a in args[:2]]
        raise RuntimeError(
            f"Expected both self and other to be nested, but got a {kinds[0]} self and {kinds[1]} "
            "other"
        )
    if name in ("eq", "ge", "gt") and len(nested) > 1:
        raise RuntimeError(f"{name} does not support nested tensor as other value.")
    sizes = first._structure.sizes
    if any(each._structure.sizes != sizes for each in nested):
        raise RuntimeError(f"{name} does not support broadcasting when given a NestedTensor")
    same = all(each._structure == first._structure for each in nested)
    structure = first._structure if same else Strided.contiguous(sizes, first._structure.ndim)
    parts = [
        (values(a) if same else values(views.contiguous(a))) if is_nested(a) else a for a in args
    ]
    return parts, structure


# ---- functions of elements and rows --------------------------------------------------------------


def _linear(a: Any, weight: Tensor, bias: Any = None) -> Any:
    if a.dim() != 3 or weight.dim() != 2:
        raise RuntimeError(
            "Linear requires nested_tensor.dim == 3 and dense_matrix.dim == 2. Nested tensor dim: "
            f"{a.dim()}. Dense tensor dim: {weight.dim()}"
        )
    if not a.is_contiguous():
        raise RuntimeError("for now linear only supports contiguous nested tensor")
    width = a.size(-1)
    if width != weight.size(1):
        raise RuntimeError(
            "Shape mismatch for NestedTensor Linear: Expected input's (a nested tensor) 'last_dim' "
            f"to equal 'weight.size(1), but got: last_dim = {width}, and weight.size(1) = "
            f"{weight.size(1)}"
        )
    return _on_rows(a, lambda rows: F.linear(rows, weight, bias), weight.shape[0])


def _on_rows(a: Any, function: Callable[[Tensor], Tensor], width: int) -> Any:
    """Apply a function to all vectors along the last dimension."""
    whole = views.contiguous(a)
    rows = function(values_of(whole).view(-1, a.size(-1)))
    sizes = tuple((*size[:-1], width) for size in whole._structure.sizes)
    return make(rows.reshape(-1), Strided.contiguous(sizes, whole._structure.ndim))


def _softmax(a: Any, dim: Any = None, _stacklevel: Any = None, dtype: Any = None) -> Any:
    if not len(a):
        return a.clone()
    dim = checked_dim(a, dim)
    if dim == 0:
        raise RuntimeError("Cannot apply softmax across nested dimension 0")
    return on_each(a, lambda part: torch.softmax(part, dim - 1, dtype=dtype))


def _layer_norm(
    a: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Any:  # fmt: skip
    shape = tuple(normalized_shape)
    if any(size[-len(shape) :] != shape for size in a._structure.sizes):
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, "
            f"{', '.join(map(str, shape))}], but got a nested tensor of other sizes"
        )
    if len(shape) == 1:
        return _on_rows(a, lambda rows: F.layer_norm(rows, shape, weight, bias, eps), shape[0])
    return on_each(a, lambda part: F.layer_norm(part, shape, weight, bias, eps))


def _dropout(a: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    return make(F.dropout(values_of(a), p, training, inplace), a._structure)


def _embedding(weight: Any, a: Any, *args: Any, **kwargs: Any) -> Any:
    if is_nested(weight):
        weight, a = a, weight
    whole = views.contiguous(a)
    sizes = tuple((*size, weight.shape[1]) for size in whole._structure.sizes)
    found = F.embedding(whole._inner, weight, *args, **kwargs)
    return make(found.reshape(-1), Strided.contiguous(sizes, whole._structure.ndim + 1))


def _matmul(a: Any, b: Any) -> Any:
    if not is_nested(a):
        raise RuntimeError("Expected both to be nested, but got a non-nested self and nested other")
    if not is_nested(b) and b.dim() == 2:
        return on_each(a, lambda part: part @ b)
    for which, each in (("1st", a), ("2nd", b)):
        if each.dim() < 3:
            raise RuntimeError(
                "matmul: For nested tensors, only inputs with >= 3 dims are currently supported. "
                f"{which} input has rank: {each.dim()}"
            )
    if len(a) != len(b):
        raise RuntimeError(
            "matmul: Expected size for the 1st dimension of 2nd input tensor to be: "
            f"{len(a)} but got: {len(b)}."
        )
    return pack([x @ y for x, y in zip(a.unbind(), b.unbind(0), strict=True)])


def _bmm(a: Any, b: Any) -> Any:
    for which, each in (("batch1", a), ("batch2", b)):
        if each.dim() != 3:
            raise RuntimeError(f"{which} must be a 3D tensor")
    if len(a) != len(b):
        raise RuntimeError(
            f"Expected size for the 1st dimension of batch2 tensor to be: {len(a)} but got: {len(b)}."
        )
    pairs = list(zip(a.unbind(), b.unbind(0), strict=True))
    for place, (x, y) in enumerate(pairs):
        if x.size(1) != y.size(0):
            raise RuntimeError(
                f"{place}-th nested matrices in batch cannot be multiplied "
                f"({x.size(0)}x{x.size(1)} and {y.size(0)}x{y.size(1)})"
            )
    return pack([x @ y for x, y in pairs], 2)


def _sum(a: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is None:
        return _contiguous_values(a).sum(dtype=dtype)
    dims = [checked_dim(a, d) for d in ([dim] if isinstance(dim, int) else dim)]
    if len(dims) != 1:
        raise RuntimeError("NestedTensor only allows reduction of a single dimension for now.")
    if dims[0] != a.dim() - 1:
        raise RuntimeError(
            "NestedTensor can only be reduced across the last dimension for now got dimension "
            f"{dims[0]} instead."
        )
    if not keepdim:
        raise RuntimeError("NestedTensor always requires keepdim=True for now.")
    return on_each(a, lambda part: part.sum(-1, True, dtype=dtype))


def _contiguous_values(a: Any) -> Tensor:
    return values_of(views.contiguous(a))


def _mean(a: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is not None:
        raise NotImplementedError(
            "mean over a dimension is not supported for strided nested tensors"
        )
    return _contiguous_values(a).mean(dtype=dtype)


def _all(a: Any, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is not None:
        raise NotImplementedError(
            "all over a dimension is not supported for strided nested tensors"
        )
    return _contiguous_values(a).all()


def _where(condition: Any, a: Any, b: Any) -> Any:
    parts = [
        x.unbind() if isinstance(x, Tensor) and x.dim() else [x] * len(condition) for x in (a, b)
    ]
    return pack([torch.where(c, x, y) for c, x, y in zip(condition.unbind(), *parts, strict=True)])


def _to(a: Any, *args: Any, **kwargs: Any) -> Any:
    if args and is_nested(args[0]):
        args = (args[0]._inner, *args[1:])
    values = values_of(a)
    moved = values.to(*args, **kwargs)
    return a if moved is values else make(moved, a._structure)


def _check_format(rule: str, memory_format: Any) -> None:
    if memory_format not in (None, torch.contiguous_format, torch.preserve_format):
        name = str(memory_format).removeprefix("torch.").title().replace("_", "")
        raise RuntimeError(f"{rule} with memory format: {name}")


def _empty_like(a: Any, *, memory_format: Any = None, layout: Any = None, **options: Any) -> Any:
    _check_format(
        "empty_like_nested supports Preserve and Contiguous memory formats, called", memory_format
    )
    structure = a._structure
    if memory_format == torch.contiguous_format:
        structure = Strided.contiguous(structure.sizes, structure.ndim)
    return make(torch.empty_like(a._inner, **options), structure)


def _is_same_size(a: Any, b: Any) -> bool:
    if not (is_nested(a) and is_nested(b)):
        raise RuntimeError("Expected both self and other to be nested tensors.")
    return bool(a._structure.sizes == b._structure.sizes)


def _move(name: str) -> Callable[..., Any]:
    return lambda a, *args, **kwargs: make(
        getattr(values_of(a), name)(*args, **kwargs), a._structure
    )


def _clone(a: Any, *, memory_format: Any = None) -> Any:
    _check_format(
        "Nested tensor clone supports Preserve and Contiguous memory formats, called clone",
        memory_format,
    )
    if memory_format == torch.contiguous_format and not a.is_contiguous():
        return views.contiguous(a)
    return make(values_of(a).clone(), a._structure)


def _copy(a: Any, source: Any, non_blocking: bool = False) -> Any:
    if not is_nested(source):
        raise RuntimeError("copy_ only supports NestedTensors")
    if a._structure.sizes != source._structure.sizes:
        raise RuntimeError(
            "copy_ only supports tensors that are the same size for Nested implementations"
        )
    with torch.no_grad():
        for mine, other in zip(a.unbind(), source.unbind(), strict=True):
            mine.copy_(other)
    return a


RULES: dict[str, Callable[..., Any]] = {
    "__getitem__": views.item,
    "__matmul__": _matmul,
    "__rmatmul__": lambda a, b: _matmul(b, a),
    "all": _all,
    "bmm": _bmm,
    "cat": views.cat,
    "chunk": views.chunk,
    "clone": _clone,
    "concat": views.cat,
    "contiguous": views.contiguous,
    "copy_": _copy,
    "cpu": _move("cpu"),
    "cuda": _move("cuda"),
    "dropout": _dropout,
    "embedding": _embedding,
    "empty_like": _empty_like,
    "is_same_size": _is_same_size,
    "layer_norm": _layer_norm,
    "linear": _linear,
    "matmul": _matmul,
    "mean": _mean,
    "narrow": views.narrow,
    "nested_to_padded_tensor": views.to_padded,
    "reshape": views.reshape,
    "reshape_as": lambda a, other: pack(
        [x.reshape(y.shape) for x, y in zip(a.unbind(), other.unbind(), strict=True)]
    ),
    "scaled_dot_product_attention": _attention.strided,
    "select": views.select,
    "softmax": _softmax,
    "split": views.split,
    "split_with_sizes": views.split,
    "squeeze": views.squeeze,
    "sum": _sum,
    "to": _to,
    "to_padded_tensor": views.to_padded,
    "transpose": views.transpose,
    "unbind": lambda a, dim=0: a.unbind(dim),
    "unflatten": views.unflatten,
    "unsqueeze": views.unsqueeze,
    "view": views.view,
    "where": _where,
}
