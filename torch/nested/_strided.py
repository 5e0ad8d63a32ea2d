"""Nested tensors of the layout torch.strided: components of any sizes in one buffer."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch.nested._base import NestedBase, make, values_of, wrapper

Tensor = torch.Tensor
Sizes = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Strided:
    """Where the components stand in the buffer.

    Attributes:
        sizes: The size of each component.
        strides: Its strides.
        offsets: Where in the buffer it begins.
        ndim: The number of dimensions of each.
    """

    sizes: Sizes
    strides: Sizes
    offsets: tuple[int, ...]
    ndim: int

    @classmethod
    def contiguous(cls, sizes: Sizes, ndim: int) -> Strided:
        """Return the structure of components that follow one another in the buffer."""
        offsets, end = [], 0
        for size in sizes:
            offsets.append(end)
            end += prod(size)
        return cls(sizes, tuple(map(_strides, sizes)), tuple(offsets), ndim)

    def is_contiguous(self) -> bool:
        """Return whether the components follow one another in the buffer."""
        return self == Strided.contiguous(self.sizes, self.ndim)

    def wrap(self, values: Tensor) -> StridedNestedTensor:
        """Return a nested tensor of a buffer, which no graph tracks."""
        return wrapper(StridedNestedTensor, values.contiguous(), self)  # type: ignore[no-any-return]

    def parts(self, values: Tensor) -> list[Tensor]:
        """Return the components as views of the buffer."""
        places = zip(self.sizes, self.strides, self.offsets, strict=True)
        start = values.storage_offset()
        return [values.as_strided(size, stride, start + at) for size, stride, at in places]

    def values_like(self, tensor: Any) -> Tensor:
        """Return the elements of a nested tensor of the same sizes, placed as in this structure."""
        if tensor._structure == self:
            return values_of(tensor)
        total = max((at + _extent(n, s) for n, s, at in self._places()), default=0)
        index = torch.cat([p.flatten() for p in self.parts(torch.arange(total))])
        elements = torch.cat([part.reshape(-1) for part in tensor.unbind()])
        return elements.new_zeros(total).index_add(0, index.to(elements.device), elements)

    def _places(self) -> Any:
        return zip(self.sizes, self.strides, self.offsets, strict=True)


class StridedNestedTensor(NestedBase):
    """A batch of tensors of any sizes; `torch.nested.nested_tensor` creates it."""

    layout = torch.strided  # type: ignore[assignment]

    def _layout_name(self) -> str:
        return "NestedTensorCPU" if self.device.type == "cpu" else "NestedTensorCUDA"

    def _nested_tensor_size(self) -> Tensor:
        return self._table(self._structure.sizes)

    def _nested_tensor_strides(self) -> Tensor:
        return self._table(self._structure.strides)

    def _nested_tensor_storage_offsets(self) -> Tensor:
        return torch.tensor(self._structure.offsets, dtype=torch.int64)

    def _table(self, rows: Sizes) -> Tensor:
        return torch.tensor(rows, dtype=torch.int64).reshape(len(rows), -1 if rows else 0)

    def values(self) -> Tensor:
        """Return the buffer; gradients flow through it."""
        return values_of(self).view_as(self._inner)

    def size(self, dim: int | None = None) -> Any:
        """Return the size of a dimension in which all components agree.

        Raises:
            RuntimeError: If they do not, or no dimension is given.
        """
        if dim is None:
            raise RuntimeError(
                "Internal error: NestedTensorImpl doesn't support sizes. Please file an issue."
            )
        dim = checked_dim(self, dim)
        if dim == 0:
            return len(self)
        found = {size[dim - 1] for size in self._structure.sizes}
        if len(found) != 1:
            raise RuntimeError(f"Given dimension {dim} is irregular and does not have a size.")
        return found.pop()

    def stride(self, dim: int | None = None) -> Any:
        """Raise an error: each component has strides of its own."""
        raise RuntimeError(
            "Internal error: NestedTensorImpl doesn't support strides. Please file an issue."
        )

    def dim(self) -> int:
        """Return the number of dimensions, that of the batch included."""
        return int(self._structure.ndim) + 1

    def numel(self) -> int:
        """Return the number of elements of all components."""
        return sum(map(prod, self._structure.sizes))

    def __len__(self) -> int:
        """Return the number of components."""
        return len(self._structure.sizes)

    def is_contiguous(self, memory_format: Any = torch.contiguous_format) -> bool:
        """Return whether the components follow one another in the buffer."""
        return bool(self._structure.is_contiguous())

    def unbind(self, dim: int = 0) -> Any:
        """Return the components, which are views of the buffer.

        Raises:
            RuntimeError: If `dim` is not 0.
        """
        if checked_dim(self, dim) != 0:
            raise RuntimeError(
                f"NestedTensor can only be unbound along dimension 0 got dimension {dim} instead."
            )
        return tuple(self._structure.parts(values_of(self)))

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        """Show the components."""
        from torch._tensor_str import nested_text

        components = self._structure.parts(self._inner.detach())
        body = ",\n".join(textwrap.indent(str(component), "  ") for component in components)
        return nested_text(self, f"[\n{body}\n]")

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the buffer, sizes, strides and offsets."""
        from torch import _utils

        return _utils._rebuild_nested_tensor, (
            self._inner,
            self._nested_tensor_size(),
            self._nested_tensor_strides(),
            self._nested_tensor_storage_offsets(),
        )


def checked_dim(tensor: Any, dim: int) -> int:
    """Return a dimension counted from the start.

    Raises:
        IndexError: If it is out of range.
    """
    count = tensor.dim()
    if not -count <= dim < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], "
            f"but got {dim})"
        )
    return dim % int(count)


def pack(components: Sequence[Tensor], ndim: int | None = None) -> Any:
    """Return a contiguous nested tensor of components, to which gradients flow."""
    sizes = tuple(tuple(component.shape) for component in components)
    flat = [component.reshape(-1) for component in components]
    values = torch.cat(flat) if flat else torch.empty(0)
    if ndim is None:
        ndim = components[0].dim() if components else 0
    return make(values, Strided.contiguous(sizes, ndim))


def on_each(tensor: Any, function: Callable[[Tensor], Tensor]) -> Any:
    """Return a nested tensor of a function of each component."""
    components = [function(component) for component in tensor.unbind()]
    return pack(components, None if components else tensor._structure.ndim)


def _nested_view_from_buffer(
    input: Tensor, nested_size: Tensor, nested_strides: Tensor, offsets: Tensor
) -> Any:
    """Return a nested tensor of a buffer and the tables that say where the components stand in it."""
    sizes, strides = (
        [tuple(row) for row in table.tolist()] for table in (nested_size, nested_strides)
    )
    ndim = nested_size.shape[1] if nested_size.dim() == 2 else 0
    return make(input, Strided(tuple(sizes), tuple(strides), tuple(offsets.tolist()), ndim))


def _strides(size: Sequence[int]) -> tuple[int, ...]:
    return tuple(prod(max(n, 1) for n in size[d + 1 :]) for d in range(len(size)))


def _extent(size: Sequence[int], strides: Sequence[int]) -> int:
    if not prod(size):
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(size, strides, strict=True))
