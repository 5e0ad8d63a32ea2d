"""Tensors owned by a module: Parameter and Buffer."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import torch
from torch import Tensor


class _KindMeta(type(Tensor)):
    """Metaclass whose isinstance check also accepts tensor subclasses with a marker attribute."""

    def __instancecheck__(self, instance: object) -> bool:
        if super().__instancecheck__(instance):
            return True
        return isinstance(instance, Tensor) and getattr(instance, self._marker, False)


_ParameterMeta = _KindMeta  # the name in PyTorch


class Parameter(Tensor, metaclass=_KindMeta):
    """A tensor that a module registers as a parameter when it is assigned as an attribute.

    Args:
        data: Tensor of any shape. The parameter shares its memory. The default is an empty tensor.
        requires_grad: Whether autograd computes gradients for the parameter.

    Raises:
        RuntimeError: If `data` is of a tensor subclass whose detach() returns another type.

    Example:
        >>> class Scale(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.factor = nn.Parameter(torch.ones(2))
        >>> dict(Scale().named_parameters())
        {'factor': Parameter containing:
        tensor([1., 1.], requires_grad=True)}
    """

    _marker = "_is_param"

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """Create a parameter that shares the memory of `data`."""
        if data is None:
            data = torch.empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            return Tensor._make_subclass(cls, data, requires_grad)
        # A tensor subclass keeps its own type and is marked as a parameter instead.
        marked = data.detach().requires_grad_(requires_grad)
        if type(marked) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires "
                "that detach() returns an instance of the same type, but return type "
                f"{type(marked).__name__} was found instead."
            )
        marked._is_param = True
        return marked

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) in memo:
            return memo[id(self)]
        copied = type(self)(
            self.data.clone(memory_format=torch.preserve_format), self.requires_grad
        )
        memo[id(self)] = copied
        return copied

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, proto: int) -> tuple[Any, ...]:
        hooks: OrderedDict[int, Any] = OrderedDict()
        state = dict(self.__dict__)
        if not state:
            return torch._utils._rebuild_parameter, (self.data, self.requires_grad, hooks)
        arguments = (self.data, self.requires_grad, hooks, state)
        return torch._utils._rebuild_parameter_with_state, arguments

    __torch_function__ = torch._C._disabled_torch_function_impl


class Buffer(Tensor, metaclass=_KindMeta):
    """A tensor that belongs to a module's state but is not trained.

    Args:
        data: Tensor of any shape. The buffer shares its memory. The default is an empty tensor.
        persistent: Whether the buffer is part of the module's state_dict().

    Example:
        >>> module = nn.Module()
        >>> module.mean = nn.Buffer(torch.zeros(2))
        >>> module.state_dict()
        OrderedDict([('mean', tensor([0., 0.]))])
    """

    _marker = "_is_buffer"

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer:
        """Create a buffer that shares the memory of `data`."""
        if data is None:
            data = torch.empty(0)
        marked = data.detach().requires_grad_(data.requires_grad)
        marked.persistent = persistent
        marked._is_buffer = True
        return marked

    __torch_function__ = torch._C._disabled_torch_function_impl


_LAZY = {"UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin", "is_lazy"}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from torch.nn import _uninitialized

        return getattr(_uninitialized, name)
    raise AttributeError(f"module 'torch.nn.parameter' has no attribute {name!r}")
