"""Sparse tensors without elements, and tensors like them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.sparse import _elementwise as elementwise
from torch.sparse._base import SparseBase
from torch.sparse._compressed import wrapped as wrap_compressed
from torch.sparse._invariants import check_not_negative
from torch.sparse._layouts import COMPRESSED
from torch.sparse._tensor import wrapped

Tensor = torch.Tensor


def empty(
    size: Any,
    layout: torch.layout,
    dtype: torch.dtype | None = None,
    device: Any = None,
    name: str = "empty",
) -> Any:
    """Return a tensor of a sparse layout without elements.

    Args:
        size: The size.
        layout: The layout; one with blocks has none without elements.
        dtype: The dtype of the values.
        device: The device.
        name: The function that errors name.

    Raises:
        RuntimeError: If the layout has blocks, or needs more dimensions.
    """
    shape = torch.Size(size)
    check_not_negative(shape)
    values = torch.empty(0, dtype=dtype, device=device)
    if layout is torch.sparse_coo:
        return wrapped(values.new_zeros((len(shape), 0), dtype=torch.int64), values, shape, True)
    if layout not in COMPRESSED:
        raise NotImplementedError(f"expected a strided layout but got {layout}")
    kind = COMPRESSED[layout]
    if kind.has_blocks:
        raise RuntimeError(
            "empty_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
            f"{kind.name}"
        )
    if len(shape) < 2:
        raise RuntimeError(
            f"torch.{name}: Only batched sparse compressed (non-block) tensors are supported, but "
            f"got size {list(shape)}"
        )
    batch, lines = shape[:-2], shape[-2 if kind.by_rows else -1]
    compressed = values.new_zeros((*batch, lines + 1), dtype=torch.int64)
    none = values.new_empty((*batch, 0))
    return wrap_compressed(kind, compressed, none.to(torch.int64), none, shape)


def _size_of(size: tuple[Any, ...]) -> Any:
    return size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size


def _new(name: str) -> Callable[..., Any]:
    def call(a: Any, *size: Any, **options: Any) -> Any:
        size = _size_of(size) if size else options.pop("size")
        layout = options.pop("layout", None) or a.layout
        options.pop("pin_memory", None)
        tracks = options.pop("requires_grad", False)
        options = {
            "dtype": options.get("dtype") or a.dtype,
            "device": options.get("device") or a.device,
        }
        if layout is torch.strided:
            return getattr(torch, name)(size, **options).requires_grad_(tracks)
        return empty(size, layout, name=name, **options).requires_grad_(tracks)

    return call


def empty_like(
    a: Any, *, dtype: Any = None, device: Any = None, layout: Any = None, **options: Any
) -> Any:
    """Return a tensor without elements, or a dense one without values."""
    if isinstance(a, SparseBase) and layout is not torch.strided:
        return elementwise.zeros_like(a, dtype=dtype, device=device, layout=layout, **options)
    wanted = {"dtype": dtype or a.dtype, "device": device or a.device}
    if layout in (None, torch.strided):
        return torch.empty(a.shape, **wanted)
    return empty(a.shape, layout, **wanted)


def _zeros(*size: Any, dtype: Any = None, device: Any = None, **options: Any) -> Any:
    """Return a sparse tensor without elements, which is written to the argument out."""
    return empty(_size_of(size), torch.sparse_coo, dtype, device)


def new(a: Any, *arguments: Any, **options: Any) -> Any:
    """Create a tensor of the dtype of another one, of a size or of indices and values."""
    if not arguments or not isinstance(arguments[0], Tensor):
        if arguments and type(arguments[0]) is list:
            raise TypeError(
                "SparseTensor.new(sequence) only accepts sizes.  Please use "
                "torch.sparse_coo_tensor() or construct a strided tensor and convert it to sparse "
                "via to_sparse."
            )
        size = _size_of(arguments) if arguments else (0,)
        return empty(size, torch.sparse_coo, a.dtype, a.device)
    indices, values, *size = arguments
    return torch.sparse_coo_tensor(indices, values, *size, device=a.device)


FACTORIES: dict[str, Callable[..., Any]] = {
    "new_zeros": _new("zeros"),
    "new_empty": _new("empty"),
    "new": new,
    "zeros": _zeros,
}
