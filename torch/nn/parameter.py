"""Tensors owned by a module: parameters and buffers, and those whose size is not known yet."""

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
        # Not for a subclass of Parameter, which the marker does not stand for.
        marker = self.__dict__.get("_marker")
        return (
            marker is not None and isinstance(instance, Tensor) and getattr(instance, marker, False)
        )


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
        state = torch._utils._get_obj_state(self)
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


# ---- without a size yet ---------------------------------------------------------------------------
def _raise_uninitialized(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError(
        "Can't access the shape of an uninitialized parameter or buffer. This error usually "
        "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
        "initialized one. Call `forward` to initialize the parameters before accessing their "
        "attributes."
    )


# Operations that need no size: moves, conversions of the dtype, flags and the class itself.
_CONVERSIONS = frozenset(
    ("to", "half", "float", "double", "bfloat16", "char", "short", "int", "long", "cuda", "cpu")
)
_ALLOWED = _CONVERSIONS | {
    "size",
    "copy_",
    "is_floating_point",
    "is_complex",
    "is_cuda",
    "is_meta",
    "_has_compatible_shallow_copy_type",
    "requires_grad_",
    "new_empty",
}


class UninitializedTensorMixin:
    """Mixin of parameters and buffers without a size.

    Example:
        >>> isinstance(nn.UninitializedBuffer(), nn.parameter.UninitializedTensorMixin)
        True
    """

    def materialize(
        self,
        shape: tuple[int, ...],
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        """Allocate memory for a size, and make the tensor an ordinary parameter or buffer.

        Args:
            shape: Size of the tensor.
            device: Device of the tensor. The default is the one given at its creation.
            dtype: Dtype of the tensor. The default is the one given at its creation.
        """
        self.data = torch.empty(
            shape, device=device or self.data.device, dtype=dtype or self.data.dtype
        )
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> torch.Size:
        """Raise RuntimeError: there is no size yet."""
        return _raise_uninitialized()

    def share_memory_(self) -> Any:
        """Raise RuntimeError: there is no memory yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
            "initialize the parameters before calling `module.share_memory()`."
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, proto: int) -> tuple[Any, ...]:
        return type(self), (self.requires_grad,)

    @classmethod
    def _converted(cls, result: Any) -> Any:
        """Return the result of a conversion in the class that it has in a module."""
        return result

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Run what needs no size, and raise ValueError for everything else."""
        name = getattr(function, "__name__", "")
        if name in _ALLOWED or name in ("__get__", "__set__"):
            with torch._C.DisableTorchFunctionSubclass():
                result = function(*args, **(kwargs or {}))
            return cls._converted(result) if name in _CONVERSIONS else result
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {function}. This error happens when "
            "you are using a `LazyModule` or explicitly manipulating "
            f"`torch.nn.parameter.{cls.__name__}` objects. When using LazyModules Call `forward` "
            "with a dummy batch to initialize the parameters before calling torch functions"
        )


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose size is set later, by materialize().

    Args:
        requires_grad: Whether autograd will compute gradients for it.
        device: Device of the tensor.
        dtype: Dtype of the tensor.

    Example:
        >>> weight = nn.UninitializedParameter()
        >>> weight.materialize((2, 3))
        >>> weight.shape, type(weight).__name__
        (torch.Size([2, 3]), 'Parameter')
    """

    cls_to_become = Parameter

    def __new__(
        cls, requires_grad: bool = True, device: Any = None, dtype: torch.dtype | None = None
    ) -> UninitializedParameter:
        """Create a parameter without elements."""
        data = torch.empty(0, device=device, dtype=dtype)
        return Tensor._make_subclass(cls, data, requires_grad)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose size is set later, by materialize().

    Args:
        requires_grad: Whether autograd will compute gradients for it.
        device: Device of the tensor.
        dtype: Dtype of the tensor.
        persistent: Whether the buffer is part of the module's state_dict().

    Example:
        >>> mean = nn.UninitializedBuffer()
        >>> mean.materialize((2,))
        >>> mean.shape
        torch.Size([2])
    """

    cls_to_become = Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: torch.dtype | None = None,
        persistent: bool = True,
    ) -> UninitializedBuffer:
        """Create a buffer without elements."""
        data = torch.empty(0, device=device, dtype=dtype)
        made = Tensor._make_subclass(cls, data, requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made

    @classmethod
    def _converted(cls, result: Any) -> Any:
        return result.as_subclass(cls)  # modules put it where the buffer was


def is_lazy(param: object) -> bool:
    """Return whether a parameter or buffer has no size yet.

    Example:
        >>> layer = nn.LazyLinear(2)
        >>> nn.parameter.is_lazy(layer.weight)
        True
        >>> _ = layer(torch.ones(1, 3))
        >>> nn.parameter.is_lazy(layer.weight)
        False
    """
    return isinstance(param, UninitializedTensorMixin)
