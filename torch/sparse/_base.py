"""What tensors of all sparse layouts share: how calls reach their rules, and how gradients do.

A sparse tensor is a wrapper subclass with rules for operators in Python. All of them are composed
of operators on dense values, and autograd reaches those through two functions: `_Values`, from a
tensor to its values, and `_Make` back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import torch
from torch import _C
from torch.autograd import Function
from torch.sparse._layouts import layout_name

Tensor = torch.Tensor


class SparseBase(Tensor):
    """A tensor of a sparse layout: indices of some elements, and values."""

    _impl_name: str  # what errors call the kind of tensor
    # How functions and operators are called: set by `torch.sparse._routing`, which knows all rules.
    _call_function: ClassVar[Callable[..., Any]]
    _call_operator: ClassVar[Callable[..., Any]]

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the sparse form of a function, whose operators autograd sees."""
        return cls._call_function(func, types, args, kwargs or {})

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the sparse form of an operator."""
        return cls._call_operator(func, types, args, kwargs or {})

    @property
    def _raw_values(self) -> Tensor:
        """The values, which no graph tracks."""
        raise NotImplementedError

    def _named_indices(self) -> dict[str, Tensor]:
        """Return the indices under the names by which they are printed."""
        raise NotImplementedError

    def _with_values(self, values: Tensor) -> Any:
        """Return a tensor with the same indices and other values, which no graph tracks."""
        raise NotImplementedError

    def _as_gradient(self, values: Tensor) -> Any:
        """Return the gradient of the elements, given those of the values at the indices."""
        return tracked(self, values)

    def _values_at_indices(self, source: Any) -> Tensor:
        """Return the values of another tensor at this one's indices; zero where it has none."""
        raise NotImplementedError

    def _adopt(self, other: Any) -> Any:
        """Take over the indices and values of another tensor of the same size."""
        raise NotImplementedError

    def _become(self, other: Any) -> Any:
        """Take over the indices, the values, the size and the dtype of a tensor of this layout."""
        with _C.DisableTorchFunctionSubclass():
            self.data = other
        return self._adopt(other)

    def _mapped(self, on_indices: Any, on_values: Any) -> Any:
        """Return a tensor of which functions made the indices and the values."""
        raise NotImplementedError

    def _of_dense(self, dense: Tensor) -> Any:
        """Return a dense tensor in the layout of this one."""
        raise NotImplementedError

    def _emptied(self) -> Any:
        """Return a tensor of the same size without elements."""
        raise NotImplementedError

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        """Show indices, values and size."""
        from torch._tensor_str import sparse_text

        return sparse_text(self, self._named_indices(), self._raw_values.detach())

    def __deepcopy__(self, memo: Any) -> Any:
        """Copy indices and values."""
        if id(self) not in memo:
            copied = self.detach().clone().requires_grad_(self.requires_grad)
            copied.grad = None if self.grad is None else self.grad.clone()
            memo[id(self)] = copied
        return memo[id(self)]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the first dimension."""
        return iter(self.unbind(0))

    def __setitem__(self, index: Any, value: Any) -> None:
        """Raise an error: there is no place for further elements."""
        raise TypeError("Cannot assign to a sparse tensor")

    def numpy(self, **options: Any) -> Any:
        """Raise an error: there is no array of the elements."""
        raise TypeError(
            f"can't convert {layout_name(self)} layout tensor to numpy. "
            "Use Tensor.to_dense() first."
        )

    def tolist(self) -> Any:
        """Return the elements as nested lists."""
        return self.to_dense().tolist()

    def item(self) -> Any:
        """Return the only element."""
        return self.to_dense().item()

    def untyped_storage(self) -> Any:
        """Raise an error: indices and values have storages of their own."""
        raise NotImplementedError(f"Cannot access storage of {self._impl_name}")

    def storage(self) -> Any:
        """Raise an error: indices and values have storages of their own."""
        raise NotImplementedError(f"Cannot access storage of {self._impl_name}")

    _typed_storage = storage

    def data_ptr(self) -> int:
        """Raise an error: indices and values have storages of their own."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


def tracked(pattern: Any, values: Tensor) -> Any:
    """Return a tensor with the indices of a pattern and values, to which gradients flow."""
    if values.requires_grad and torch.is_grad_enabled():
        return _Make.apply(values, pattern)
    return pattern._with_values(values.detach())


def values_of(tensor: Any) -> Tensor:
    """Return the values, with a graph if the tensor has one."""
    if tensor.requires_grad and torch.is_grad_enabled():
        return _Values.apply(tensor)  # type: ignore[no-any-return]
    return tensor._raw_values  # type: ignore[no-any-return]


def look_up(known: Tensor, values: Tensor, wanted: Tensor) -> Tensor:
    """Return the values of keys; zero for a key that is not known.

    Args:
        known: The keys that have values, ascending.
        values: Their values, (len(known), ...).
        wanted: The keys to look up.
    """
    if not known.numel():
        return values.new_zeros((wanted.numel(), *values.shape[1:]))
    places = torch.searchsorted(known, wanted).clamp(max=known.numel() - 1)
    found = (known[places] == wanted).reshape(-1, *[1] * (values.dim() - 1))
    return torch.where(found, values[places], values.new_zeros(()))


def sum_by_key(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct keys, ascending, and the sums of the values that each has."""
    ordered, order = keys.sort(stable=True)
    first = torch.ones_like(ordered, dtype=torch.bool)
    first[1:] = ordered[1:] != ordered[:-1]
    places = first.cumsum(0) - 1
    distinct = ordered[first]
    total = values.new_zeros((distinct.numel(), *values.shape[1:]))
    return distinct, total.index_add(0, places, values.index_select(0, order))


class _Make(Function):
    """From values to a sparse tensor."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, pattern: Any) -> Any:
        ctx.pattern = pattern._with_values(values.detach())
        return pattern._with_values(values.detach())

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return ctx.pattern._values_at_indices(grad), None


class _Values(Function):
    """From a sparse tensor to its values."""

    @staticmethod
    def forward(ctx: Any, tensor: Any) -> Any:
        values = tensor._raw_values.detach()
        ctx.pattern = tensor._with_values(values)
        return values

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return ctx.pattern._as_gradient(grad)


class ToDense(Function):
    """From a sparse tensor to a dense one, of which the gradient has all elements."""

    @staticmethod
    def forward(ctx: Any, tensor: Any) -> Any:
        ctx.pattern = tensor._emptied()
        return tensor.detach().to_dense()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return ctx.pattern._of_dense(grad)
