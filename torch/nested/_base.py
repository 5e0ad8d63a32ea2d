"""What nested tensors of both layouts share: how calls reach their rules, and how gradients do.

A nested tensor is a wrapper of packed values with a structure that says which of them belong to which
component. Rules for functions are composed of functions of the values; autograd reaches these
through two functions: `_Values`, from a nested tensor to its values, and `_Make` back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import _C
from torch.autograd import Function

Tensor = torch.Tensor


class NestedBase(Tensor):
    """A batch of tensors whose sizes may differ."""

    is_nested = True  # type: ignore[assignment]
    _inner: Tensor  # the packed values, which no graph tracks
    _structure: Any

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the nested form of a function, whose operators autograd sees."""
        from torch.nested import _routing

        return _routing.call(func, args, kwargs or {})

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call an operator that autograd uses on gradients, on the values."""
        from torch.nested import _routing

        return _routing.call_operator(func, args, kwargs or {})

    def _layout_name(self) -> str:
        raise NotImplementedError

    def unbind(self, dim: int = 0) -> Any:
        """Return the components."""
        raise NotImplementedError

    @property
    def shape(self) -> Any:  # type: ignore[override]
        """The size; see `size`."""
        return self.size()

    @property
    def ndim(self) -> int:  # type: ignore[override]
        """The number of dimensions."""
        return self.dim()

    def ndimension(self) -> int:
        """Return the number of dimensions."""
        return self.dim()

    def nelement(self) -> int:
        """Return the number of elements."""
        return self.numel()

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the components."""
        return iter(self.unbind())

    def __deepcopy__(self, memo: Any) -> Any:
        """Copy values and structure."""
        if id(self) not in memo:
            copied = self._structure.wrap(self._inner.clone()).requires_grad_(self.requires_grad)
            copied.grad = None if self.grad is None else self.grad.clone()
            memo[id(self)] = copied
        return memo[id(self)]

    def numpy(self, **options: Any) -> Any:
        """Raise an error: components of different sizes are no array."""
        raise RuntimeError("Can't convert a nested tensor to numpy; unbind it first")

    def tolist(self) -> Any:
        """Return the elements of the components as nested lists."""
        return [component.tolist() for component in self.unbind()]

    def untyped_storage(self) -> Any:
        """Return the storage of the values."""
        return self._inner.untyped_storage()

    def data_ptr(self) -> int:
        """Return the address of the values."""
        return self._inner.data_ptr()

    @property
    def data(self) -> Any:  # type: ignore[override]
        """The tensor outside of any graph."""
        return self._structure.wrap(self._inner)

    @data.setter
    def data(self, value: Any) -> None:
        self._inner, self._structure = value._inner, value._structure


def wrapper(cls: Any, values: Tensor, structure: Any, requires_grad: bool = False) -> Any:
    """Create a nested tensor that no graph tracks."""
    found = Tensor._make_wrapper_subclass(
        cls, values.shape, dtype=values.dtype, device=values.device, requires_grad=requires_grad
    )
    found._inner, found._structure = values, structure
    return found


def make(values: Tensor, structure: Any) -> Any:
    """Return a nested tensor of packed values, to which gradients flow."""
    if values.requires_grad and torch.is_grad_enabled():
        return _Make.apply(values, structure)
    return structure.wrap(values.detach())


def values_of(tensor: Any) -> Tensor:
    """Return the packed values, with a graph if the tensor has one."""
    if tensor.requires_grad and torch.is_grad_enabled():
        return _Values.apply(tensor)  # type: ignore[no-any-return]
    return tensor._inner  # type: ignore[no-any-return]


def is_nested(value: Any) -> bool:
    """Return whether an object is a nested tensor."""
    return isinstance(value, NestedBase)


class _Make(Function):
    """From values to a nested tensor."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, structure: Any) -> Any:
        ctx.structure = structure
        return structure.wrap(values.detach())

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return ctx.structure.values_like(grad), None


class _Values(Function):
    """From a nested tensor to its values."""

    @staticmethod
    def forward(ctx: Any, tensor: Any) -> Any:
        ctx.structure = tensor._structure
        return tensor._inner.detach()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return make(grad, ctx.structure)


def plain_call(func: Any, args: Any, kwargs: Any) -> Any:
    """Call a function as if nested tensors were plain tensors of their values."""
    with _C.DisableTorchFunctionSubclass():
        return func(*args, **kwargs)
