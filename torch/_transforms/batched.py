"""Batched tensors of vmap: each stands for one element, and holds all of them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import torch
from torch._transforms.levels import Level, LevelTensor, map_tensors, wrapper_of

Tensor = torch.Tensor


class BatchedTensor(LevelTensor):
    """A tensor of a vmap level; `_value` has the mapped dimension first."""

    _value: Tensor
    _is_mapped = True  # indexing asks for it

    @staticmethod
    def make(level: VmapLevel, value: Tensor) -> BatchedTensor:
        """Wrap a tensor whose first dimension is the mapped one."""
        batched: BatchedTensor = wrapper_of(
            BatchedTensor, value, value.shape[1:], value.stride()[1:]
        )
        batched._level, batched._value = level, value
        return batched

    def _inner(self) -> Tensor:
        return self._value

    def _shallow_copy(self) -> BatchedTensor:
        """Return a tensor of the same value; nodes save their results by this."""
        return BatchedTensor.make(self._level, self._value)  # type: ignore[arg-type]

    def untyped_storage(self) -> Any:
        """Raise an error: only what the tensor wraps has memory."""
        raise NotImplementedError("Cannot access storage of BatchedTensorImpl")

    storage = _typed_storage = untyped_storage

    def data_ptr(self) -> int:
        """Raise an error: only what the tensor wraps has memory."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    @property  # type: ignore[override]
    def data(self) -> Tensor:
        """Raise an error: what the tensor wraps would escape the mapping."""
        raise RuntimeError("accessing `data` under vmap transform is not allowed")

    @data.setter
    def data(self, value: Tensor) -> None:
        raise RuntimeError("mutating directly with `.data` under vmap transform is not allowed.")

    def __bool__(self) -> bool:
        """Raise an error: each element may have another truth value."""
        raise RuntimeError(
            "vmap: It looks like you're attempting to use a Tensor in some data-dependent control "
            "flow. We don't support that yet, please file an issue at "
            "https://github.com/pytorch/pytorch/issues ."
        )

    def tolist(self) -> Any:
        """Raise an error: only what the tensor wraps has memory."""
        return self.data_ptr()

    def numpy(self, *, force: bool = False) -> Any:
        """Raise an error: only what the tensor wraps has memory."""
        return self.data_ptr()

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        """Show the level and the values of all elements."""
        value = textwrap.indent(repr(self._value), "    ")
        return f"BatchedTensor(lvl={self._level.depth + 1}, bdim=0, value=\n{value}\n)"


class VmapLevel(Level):
    """A vmap over `size` elements; `RunningVmap` also calls operators."""

    def __init__(self, size: int, randomness: str) -> None:
        super().__init__()
        self.size = size
        self.randomness = randomness
        self.calling = 0  # how many rules run, whose own random numbers are for all elements

    def lift(self, tensor: Tensor) -> Tensor:
        """Wrap a tensor that is the same for all elements."""
        return BatchedTensor.make(self, tensor.unsqueeze(0).expand(self.size, *tensor.shape))

    def owns(self, value: Any) -> bool:
        """Return whether the value is a tensor of this level."""
        return isinstance(value, BatchedTensor) and value._level is self

    def batched(self, tensor: Tensor) -> Tensor:
        """Return all elements of a tensor, with the mapped dimension first."""
        if self.owns(tensor):
            return tensor._value  # type: ignore[attr-defined, no-any-return]
        return tensor.unsqueeze(0).expand(self.size, *tensor.shape)

    def wrap(self, result: Any) -> Any:
        """Wrap the tensors of a result whose first dimension is the mapped one."""
        return map_tensors(lambda t: BatchedTensor.make(self, t), result)

    def unwrapped(self, value: Any) -> Any:
        """Replace the level's tensors in a value by what they hold."""
        return map_tensors(lambda t: t._value if self.owns(t) else t, value)

    def fresh(self, value: Any) -> Any:
        """Return the level's tensors as new wrappers, which no graph tracks."""
        return map_tensors(
            lambda t: BatchedTensor.make(self, t._value) if self.owns(t) else t, value
        )


Rule = Callable[[VmapLevel, Any, tuple[Any, ...], dict[str, Any]], Any]
"""A batching rule: calls an operator whose arguments hold tensors of the level."""
