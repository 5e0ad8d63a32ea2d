"""Jagged nested tensors: dimensions, padding, and functions of two tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nested._base import make, values_of
from torch.nested._internal.nested_tensor import Jagged, NestedInt, NestedTensor
from torch.nested._strided import checked_dim

Tensor = torch.Tensor


def is_jagged(value: Any) -> bool:
    """Return whether an object is a jagged nested tensor."""
    return isinstance(value, NestedTensor)


def like(tensor: Any, values: Tensor, ragged_idx: int | None = None) -> Any:
    """Return a nested tensor of other values, with the structure of one."""
    structure: Jagged = tensor._structure
    return make(values, structure.with_ragged(ragged_idx or structure.ragged_idx))


def require_whole(tensor: Any, name: str, what: str = "self") -> None:
    """Check that a tensor has no holes and is ragged next to the batch.

    Raises:
        ValueError: Otherwise.
    """
    if not is_jagged(tensor) or tensor._lengths is not None or tensor._ragged_idx != 1:
        raise ValueError(
            f"NestedTensor {name}: expected {what} to be a contiguous jagged layout NestedTensor"
        )


def inner_dim(tensor: Any, dim: int, name: str) -> int:
    """Return the dimension of the values for one that is neither the batch nor ragged.

    Raises:
        RuntimeError: If it is one of these.
    """
    dim = checked_dim(tensor, dim)
    if dim == tensor._ragged_idx:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on ragged dim")
    if dim == 0:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    return dim - 1


def same_ragged(tensor: Any, size: Any) -> bool:
    """Return whether a size agrees with a tensor's up to the ragged dimension."""
    end = tensor._ragged_idx + 1
    wanted = tuple(size)[:end]
    mine = tensor._size[:end]
    return len(wanted) == end and all(_same_size(a, b) for a, b in zip(mine, wanted, strict=True))


def _same_size(mine: int, wanted: int) -> bool:
    if isinstance(mine, NestedInt) or isinstance(wanted, NestedInt):
        return mine == wanted or (not isinstance(wanted, NestedInt) and wanted == -1)
    return wanted in (mine, -1)


# ---- padding ------------------------------------------------------------------------------------


def to_padded(tensor: Any, padding: Any, output_size: Any = None) -> Tensor:
    """Return a plain tensor in which a value follows the shorter components.

    Raises:
        RuntimeError: If the tensor has holes.
    """
    if tensor._lengths is not None:
        raise RuntimeError("to_padded_tensor(): not supported for nested tensors with holes")
    structure: Jagged = tensor._structure
    if output_size is None:
        known = structure.known("max_seqlen")
        length = known if known is not None else tensor._inner.shape[0]
    else:
        length = output_size[structure.ragged_idx]
    values = values_of(tensor).movedim(structure.packed_dim, 0)
    batch, place = structure.places()
    kept = place < length
    size = (len(tensor), length, *values.shape[1:])
    padded = torch.full(size, padding, dtype=values.dtype, device=values.device)
    padded = padded.index_put((batch[kept], place[kept]), values[kept])
    return padded.movedim(1, structure.ragged_idx)


def from_padded(padded: Tensor, structure: Jagged) -> Any:
    """Return a nested tensor of the first elements of each row of a plain one."""
    batch, place = structure.places()
    values = padded.movedim(structure.ragged_idx, 1)[batch, place]
    return make(values.movedim(0, structure.packed_dim), structure)


def longest(tensor: Any) -> int:
    """Return the length to which a tensor is padded: the longest, or a bound on it."""
    known = tensor._structure.known("max_seqlen")
    return known if known is not None else tensor._inner.shape[tensor._structure.packed_dim]


def padded_size(tensor: Any) -> list[int]:
    """Return the size of the padded tensor."""
    size = list(tensor._size)
    size[tensor._ragged_idx] = longest(tensor)
    return size


# ---- functions of two tensors -------------------------------------------------------------------


def combine(
    func: Any, args: list[Any], values: Callable[[Any], Tensor]
) -> tuple[list[Any], Jagged]:
    """Return arguments with values for nested tensors, and the structure of the result.

    Raises:
        RuntimeError: If the structures or sizes differ.
        NotImplementedError: If more than two tensors are given.
    """
    name = func.__name__
    if any(isinstance(a, NestedInt) for a in args):
        raise RuntimeError(f"NestedTensor {name}: invalid argument {args[1]}")
    tensors = [at for at, a in enumerate(args) if isinstance(a, Tensor)]
    first = next(a for a in args if is_jagged(a))
    if len(tensors) > 2:
        raise NotImplementedError(
            f"{name} is not supported for three tensors of which one is nested"
        )
    if len(tensors) == 2:
        i, j = tensors
        args[i], args[j] = _pair(name, args[i], args[j], values)
    else:
        args = [values(a) if is_jagged(a) else a for a in args]
    return args, first._structure


def _pair(name: str, a: Any, b: Any, values: Callable[[Any], Tensor]) -> tuple[Tensor, Tensor]:
    if is_jagged(a) and is_jagged(b):
        if not same_ragged(a, b._size):
            raise RuntimeError(_mismatch(name, a._size, b._size))
        return values(a), values(b)
    nested, plain = (a, b) if is_jagged(a) else (b, a)
    if plain.dim() > nested.dim():
        raise NotImplementedError("NYI: broadcasting NT with T with larger dim")
    plain = _broadcast(name, nested, plain, a, b)
    return (values(a), plain) if is_jagged(a) else (plain, values(b))


def _broadcast(name: str, nested: Any, plain: Tensor, a: Any, b: Any) -> Tensor:
    squeezed = plain
    while squeezed.dim() and squeezed.shape[0] == 1:
        squeezed = squeezed.squeeze(0)
    if nested.dim() >= squeezed.dim() + 2:
        return squeezed
    if nested.dim() != plain.dim() or plain.shape[0] != len(nested):
        raise RuntimeError(_mismatch(name, a.shape, b.shape))
    size = list(plain.shape)
    size[nested._ragged_idx] = longest(nested)
    return values_of(from_padded(plain.expand(size), nested._structure))


def _mismatch(name: str, a: Any, b: Any) -> str:
    shown = name.strip("_")
    return f"cannot call binary pointwise function {shown}.Tensor with inputs of shapes {a} and {b}"


def matmul(a: Any, b: Any) -> Any:
    """Multiply matrices, of which one or both are jagged.

    Raises:
        RuntimeError: If the shapes do not fit.
    """
    found = None
    if is_jagged(a) and is_jagged(b):
        found = _matmul_nested(a, b)
    elif is_jagged(a) and a._ragged_idx < a.dim() - 1:
        if a.dim() >= 3 and a.dim() == b.dim():
            found = from_padded(to_padded(a, 0.0, padded_size(a)) @ b, a._structure)
        elif b.dim() == 2 and a.dim() > 2:
            found = like(a, values_of(a) @ b)
    elif is_jagged(b) and b._ragged_idx >= 2:
        if b.dim() >= 3 and a.dim() == b.dim():
            found = from_padded(a @ to_padded(b, 0.0, padded_size(b)), b._structure)
        elif a.dim() == 2 and b.dim() > 2:
            found = like(b, a @ values_of(b))
    if found is None:
        shapes = f"{tuple(a.shape) if is_jagged(a) else a.shape} and {b.shape}"
        raise RuntimeError(f"matmul(): not supported between inputs of shapes {shapes}")
    return found


def _matmul_nested(a: Any, b: Any) -> Any:
    if a.dim() > 3 and b.dim() > 3 and same_ragged(a, b._size):
        return like(a, values_of(a) @ values_of(b))
    summed = a._ragged_idx == 2 and b._ragged_idx == 1
    if a.dim() == b.dim() == 3 and summed and a.size(2) == b.size(1):
        return torch.stack([x @ y for x, y in zip(a.unbind(), b.unbind(), strict=True)])
    return None


def bmm(a: Any, b: Any) -> Any:
    """Multiply batches of matrices.

    Raises:
        ValueError: If one has not 3 dimensions.
    """
    for name, tensor in (("input", a), ("mat2", b)):
        if tensor.dim() != 3:
            raise ValueError(f"bmm(): {name} must be 3D")
    return matmul(a, b)


def where(condition: Any, a: Any, b: Any) -> Any:
    """Choose between the elements of two tensors."""
    if not is_jagged(condition):
        raise ValueError(
            "NestedTensor where_self(condition: jt_all, self: any, other: any): expected condition "
            "to be a jagged layout NestedTensor"
        )
    chosen = [
        x if not isinstance(x, Tensor) else _pair("where", condition, x, values_of)[1]
        for x in (a, b)
    ]
    return like(condition, torch.where(values_of(condition), *chosen))
