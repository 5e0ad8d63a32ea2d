"""What nested tensors of both layouts share: how calls reach their rules, and how gradients do.

A nested tensor is a wrapper of packed values with a structure that says which of them belong to which
component. Rules for functions are composed of functions of the values; autograd reaches these
through two functions: `_Values`, from a nested tensor to its values, and `_Make` back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import torch
from torch import _C
from torch.autograd import Function

Tensor = torch.Tensor


class NestedBase(Tensor):
    """A batch of tensors whose sizes may differ."""

    is_nested = True  # type: ignore[assignment]
    _inner: Tensor  # the packed values, which no graph tracks
    _structure: Any
    # How functions and operators are called: set by `torch.nested._routing`, which knows all rules.
    _call_function: ClassVar[Callable[..., Any]]
    _call_operator: ClassVar[Callable[..., Any]]

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call the nested form of a function, whose operators autograd sees."""
        return cls._call_function(func, args, kwargs or {})

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Call an operator that autograd uses on gradients, on the values."""
        return cls._call_operator(func, args, kwargs or {})

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
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def tolist(self) -> Any:
        """Raise an error: see the components' `tolist`."""
        raise RuntimeError(
            f".tolist() is not supported for tensor subclasses, got {type(self).__name__}"
        )

    def item(self) -> Any:
        """Return the only element."""
        if self.numel() != 1:
            raise RuntimeError(
                f"a Tensor with {self.numel()} elements cannot be converted to Scalar"
            )
        return self._inner.item()

    def __bool__(self) -> bool:
        """Return whether the only element is not zero."""
        if self.numel() != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self._inner.item())

    @property
    def mT(self) -> Any:
        """The tensor with its last two dimensions swapped."""
        return self.transpose(-2, -1)

    @property
    def T(self) -> Any:
        """The tensor with its dimensions reversed, of which the batch's must stay first."""
        return self.permute(*reversed(range(self.dim())))

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
