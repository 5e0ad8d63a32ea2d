"""NestedTensor, the layout torch.jagged: one ragged dimension, packed beside the batch."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch.nested._base import NestedBase, values_of, wrapper
from torch.utils.weak import WeakTensorKeyDictionary

Tensor = torch.Tensor

_numbers = itertools.count(1)
_ragged_sizes: Any = WeakTensorKeyDictionary()


class NestedInt(int):
    """The size of a ragged dimension, which equals only that of tensors with the same offsets."""

    number: int
    factor: int

    def __new__(cls, number: int, factor: int = 1) -> NestedInt:
        """Create the size with a number of its own, times a factor."""
        found = super().__new__(cls, -1)
        found.number, found.factor = number, factor
        return found

    def __repr__(self) -> str:
        return f"{self.factor}*j{self.number}" if self.factor != 1 else f"j{self.number}"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    def __mul__(self, other: int) -> NestedInt:  # type: ignore[override]
        return NestedInt(self.number, self.factor * int(other))

    __rmul__ = __mul__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NestedInt):
            return False
        return (self.number, self.factor) == (other.number, other.factor)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.number, self.factor))

    def __ge__(self, other: int) -> bool:
        return self == other or self._above(other, ">=")

    def __gt__(self, other: int) -> bool:
        return self._above(other + 1, ">")

    def __lt__(self, other: int) -> bool:
        return not self >= other

    def __le__(self, other: int) -> bool:
        return self == other or not self > other

    def _above(self, other: int, sign: str) -> bool:
        if not isinstance(other, NestedInt) and other <= 2:
            return True
        raise ValueError(f"nested ints cannot be compared: {self} {sign} {other}")


@dataclass(frozen=True, eq=False)
class Jagged:
    """Where the components stand in the packed values.

    Attributes:
        offsets: Where each component begins along the packed dimension, and where the last ends, (B + 1).
        lengths: The lengths of the components if there are holes between them, (B).
        ragged_idx: The ragged dimension of the nested tensor, which the packed one replaces.
        cache: The shortest and longest length, as sizes of empty tensors, where they are known.
    """

    offsets: Tensor
    lengths: Tensor | None = None
    ragged_idx: int = 1
    cache: dict[str, Tensor] = field(default_factory=dict)

    @property
    def ragged_size(self) -> NestedInt:
        """The size of the ragged dimension."""
        source = self.offsets if self.lengths is None else self.lengths
        found = _ragged_sizes.get(source)
        if found is None:
            found = _ragged_sizes[source] = NestedInt(next(_numbers))
        return found  # type: ignore[no-any-return]

    @property
    def packed_dim(self) -> int:
        """The dimension of the values in which the components follow one another."""
        return self.ragged_idx - 1

    def with_ragged(self, ragged_idx: int) -> Jagged:
        """Return the structure with the ragged dimension in another place."""
        return self if ragged_idx == self.ragged_idx else replace(self, ragged_idx=ragged_idx)

    def on_device(self, device: torch.device) -> Jagged:
        """Return the same structure on a device."""
        if self.offsets.device == device:
            return self
        lengths = None if self.lengths is None else self.lengths.to(device)
        moved = replace(self, offsets=self.offsets.to(device), lengths=lengths)
        _ragged_sizes[moved.offsets if lengths is None else lengths] = self.ragged_size
        return moved

    def wrap(self, values: Tensor) -> NestedTensor:
        """Return a nested tensor of values, which no graph tracks."""
        structure = self.on_device(values.device)
        structure.ragged_size  # noqa: B018 - sizes are numbered in the order of their tensors
        return wrapper(NestedTensor, values, structure)  # type: ignore[no-any-return]

    def values_like(self, tensor: Any) -> Tensor:
        """Return the values of a nested tensor of the same shape."""
        return values_of(tensor)

    def component_lengths(self) -> Tensor:
        """Return the lengths of the components."""
        return self.offsets.diff() if self.lengths is None else self.lengths

    def places(self) -> tuple[Tensor, Tensor]:
        """Return the component of each place of the packed dimension, and its place therein."""
        lengths = self.component_lengths()
        batch = torch.repeat_interleave(
            torch.arange(lengths.numel(), device=lengths.device), lengths
        )
        first = lengths.cumsum(0) - lengths
        return batch, torch.arange(batch.numel(), device=batch.device) - first[batch]

    def known(self, name: str) -> int | None:
        """Return min_seqlen or max_seqlen if it is known."""
        found = self.cache.get(name)
        return None if found is None else found.shape[0]

    def extreme(self, name: str) -> int:
        """Return min_seqlen or max_seqlen."""
        found = self.known(name)
        if found is None:
            lengths = self.component_lengths()
            found = int(lengths.max() if name == "max_seqlen" else lengths.min())
            self.cache[name] = torch.zeros(found, 0)
        return found


class NestedTensor(NestedBase):
    """A batch of tensors that differ in one dimension; `torch.nested.nested_tensor` creates it."""

    layout = torch.jagged  # type: ignore[assignment]

    @staticmethod
    def __new__(
        cls: Any, values: Tensor, offsets: Tensor, *, lengths: Any = None, **kwargs: Any
    ) -> Any:
        """Create a nested tensor of values and offsets that no graph tracks."""
        structure = Jagged(
            offsets, lengths, kwargs.get("_ragged_idx", 1), kwargs.get("_metadata_cache") or {}
        )
        structure.ragged_size  # noqa: B018 - sizes are numbered in the order of their tensors
        return wrapper(cls, values.detach(), structure, kwargs.get("requires_grad", False))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Accept the arguments of `__new__`."""

    @property
    def _values(self) -> Tensor:  # type: ignore[override]
        return self._inner

    @property
    def _offsets(self) -> Tensor:
        return self._structure.offsets  # type: ignore[no-any-return]

    @property
    def _lengths(self) -> Tensor | None:
        return self._structure.lengths  # type: ignore[no-any-return]

    @property
    def _ragged_idx(self) -> int:
        return self._structure.ragged_idx  # type: ignore[no-any-return]

    @property
    def _metadata_cache(self) -> dict[str, Tensor]:
        return self._structure.cache  # type: ignore[no-any-return]

    @property
    def _size(self) -> tuple[int, ...]:
        sizes = list(self._inner.shape)
        sizes[self._structure.packed_dim] = self._structure.ragged_size
        return (self._offsets.numel() - 1, *sizes)

    @property
    def _strides(self) -> tuple[int, ...]:
        stride = self._inner.stride()
        return (self._structure.ragged_size * stride[self._structure.packed_dim], *stride)

    def _get_max_seqlen(self) -> int:
        return self._structure.extreme("max_seqlen")  # type: ignore[no-any-return]

    def _get_min_seqlen(self) -> int:
        return self._structure.extreme("min_seqlen")  # type: ignore[no-any-return]

    _max_seqlen = property(_get_max_seqlen)
    _min_seqlen = property(_get_min_seqlen)

    @property
    def _maybe_max_seqlen(self) -> int | None:
        return self._structure.known("max_seqlen")  # type: ignore[no-any-return]

    @property
    def _maybe_min_seqlen(self) -> int | None:
        return self._structure.known("min_seqlen")  # type: ignore[no-any-return]

    def _layout_name(self) -> str:
        return "NestedTensor"

    def values(self) -> Tensor:
        """Return the packed values; gradients flow through them."""
        return values_of(self).view_as(self._inner)

    def offsets(self) -> Tensor:
        """Return where each component begins, and where the last one ends, (B + 1)."""
        return self._offsets

    def lengths(self) -> Tensor | None:
        """Return the lengths of the components if there are holes between them, (B)."""
        return self._lengths

    def size(self, dim: int | None = None) -> Any:
        """Return the size, in which the ragged dimension has a symbol."""
        return torch.Size(self._size) if dim is None else self._size[dim]

    def stride(self, dim: int | None = None) -> Any:
        """Return the strides."""
        return self._strides if dim is None else self._strides[dim]

    def dim(self) -> int:
        """Return the number of dimensions."""
        return len(self._inner.shape) + 1

    def numel(self) -> int:
        """Return the number of elements of all components."""
        if self._lengths is None:
            return self._inner.numel()
        packed = max(self._inner.shape[self._structure.packed_dim], 1)
        return self._inner.numel() // packed * int(self._lengths.sum())

    def __len__(self) -> int:
        """Return the number of components."""
        return self._offsets.numel() - 1

    def storage_offset(self) -> int:
        """Return where in the storage the values begin."""
        return self._inner.storage_offset()

    def is_contiguous(self, memory_format: Any = torch.contiguous_format) -> bool:
        """Return whether the values are contiguous, without holes."""
        return self._lengths is None and self._inner.is_contiguous(memory_format=memory_format)

    def unbind(self, dim: int = 0) -> Any:
        """Return the components, which are views of the values.

        Raises:
            RuntimeError: If `dim` is not 0.
        """
        if dim not in (0, -self.dim()):
            raise RuntimeError("unbind(): only supported for NestedTensor on dim=0")
        values, packed = values_of(self), self._structure.packed_dim
        lengths = self._structure.component_lengths().tolist()
        if self._lengths is None:
            return torch.split(values, lengths, packed)
        starts = self._offsets.tolist()
        places = zip(starts[:-1], lengths, strict=True)
        return tuple(values.narrow(packed, start, length) for start, length in places)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        """Show size and offsets."""
        grad = f", requires_grad={self.requires_grad}" if self.requires_grad else ""
        if self.grad_fn is not None:
            grad = f", grad_fn={self.grad_fn}"
        return (
            f"NestedTensor(size={self._size}, offsets={self._offsets}{grad}, "
            f"contiguous={self.is_contiguous()})"
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle values and offsets under PyTorch's names."""
        arguments = {
            "values": self._inner,
            "offsets": self._offsets,
            "lengths": self._lengths,
            "_ragged_idx": self._ragged_idx,
            "_metadata_cache": self._metadata_cache,
            "requires_grad": self.requires_grad,
        }
        return torch._tensor._rebuild_from_type_v2, (_rebuild_njt, NestedTensor, (arguments,), {})

    def __setstate__(self, state: Any) -> None:
        """Accept the state of PyTorch's pickles, which repeats the arguments."""


def _rebuild_njt(constructor_kwargs: dict[str, Any]) -> NestedTensor:
    return NestedTensor(**constructor_kwargs)
