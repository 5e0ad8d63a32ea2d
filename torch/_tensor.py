"""torch.Tensor: what Python adds to torch._C.TensorBase."""

import torch
from torch import _C
from torch._tensor_methods import add_methods
from torch._torch_function import (
    get_default_nowrap_functions,
    handle_torch_function,
    has_torch_function_unary,
)

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from typing import Any


class DisableTorchFunctionSubclass:
    """Context manager inside which __torch_function__ is not called."""

    def __enter__(self):
        self._before = _C._set_torch_function_enabled(False)

    def __exit__(self, *error):
        _C._set_torch_function_enabled(self._before)


class DisableTorchFunction:
    """Context manager inside which neither __torch_function__ nor a TorchFunctionMode is called."""

    def __enter__(self):
        self._before = _C._set_torch_function_enabled(False)
        self._modes_before = _C._set_torch_function_modes_enabled(False)

    def __exit__(self, *error):
        _C._set_torch_function_enabled(self._before)
        _C._set_torch_function_modes_enabled(self._modes_before)


_C.DisableTorchFunctionSubclass = DisableTorchFunctionSubclass
_C.DisableTorchFunction = DisableTorchFunction


def _as_subclass(result, cls):
    """Convert the tensors in a result to the subclass `cls`."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        converted = [_as_subclass(item, cls) for item in result]
        if hasattr(result, "n_sequence_fields"):  # a named tuple of torch.return_types
            return type(result)(converted)
        return type(result)(converted)
    return result


_LEGACY_NAMES = {
    _C.float32: "Float",
    _C.float64: "Double",
    _C.float16: "Half",
    _C.bfloat16: "BFloat16",
    _C.uint8: "Byte",
    _C.int8: "Char",
    _C.int16: "Short",
    _C.int32: "Int",
    _C.int64: "Long",
    _C.bool: "Bool",
    _C.complex64: "ComplexFloat",
    _C.complex128: "ComplexDouble",
}


def _is_operand(other):
    """Return whether a binary operator of tensors takes an argument."""
    return isinstance(other, (Tensor, int, float))


def _type_names():
    """Return the names of Tensor.type() by dtype, without the suffix "Tensor"."""
    names = {}
    for dtype in vars(_C).values():
        if isinstance(dtype, _C.dtype):
            name = str(dtype).removeprefix("torch.").capitalize().replace("Uint", "UInt")
            names[dtype] = _LEGACY_NAMES.get(dtype, "ComplexHalf" if name == "Complex32" else name)
    return names


def _hook_dictionary():
    """Create a dictionary for hooks that, unlike dict, supports weak references."""
    from collections import OrderedDict

    return OrderedDict()


def _rebuild_from_type_v2(func, new_type, args, state):
    """Rebuild a pickled tensor of a subclass. Pickles of PyTorch refer to this name."""
    result = func(*args)
    if type(result) is not new_type:
        result = result.as_subclass(new_type)
    if state:
        result.__setstate__(state)
    return result


def _is_wrapper(tensor):
    """Return whether a tensor's class handles operators, and it has no memory of its own."""
    kind = type(tensor)
    if kind is Tensor or kind.__torch_dispatch__ is Tensor.__torch_dispatch__:
        return False
    try:
        return not tensor.data_ptr()
    except RuntimeError:  # a tensor of vmap, whose storage cannot be had either
        return False


def _copy_attributes(tensor, copied, memo):
    """Give a copy of a tensor copies of its attributes."""
    import copyreg
    from copy import deepcopy

    copied.__dict__.update(deepcopy(tensor.__dict__, memo))
    for name in copyreg._slotnames(type(tensor)):
        if hasattr(tensor, name):
            setattr(copied, name, deepcopy(getattr(tensor, name), memo))


def _copy_of_wrapper(tensor):
    """Copy a tensor without memory of its own as its class does it."""
    with torch.no_grad():
        copied = tensor.clone()
    if type(copied) is not type(tensor):
        raise RuntimeError(
            "The default implementation of __deepcopy__() for wrapper subclasses only works for subclasses whose "
            f"clone() returns one: {type(tensor).__name__}.clone() returned a {type(copied).__name__}. Define "
            "__deepcopy__(), or let clone() return the subclass."
        )
    return copied


class Tensor(_C.TensorBase):
    """A multi-dimensional array with elements of one dtype, which can record gradients.

    `torch.tensor` creates one from data; `torch.zeros` and others create one from a shape.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        >>> x.shape, x.dtype, x.device
        (torch.Size([2, 2]), torch.float32, device(type='cpu'))
        >>> x.square().sum().backward()
        >>> x.grad
        tensor([[2., 4.],
                [6., 8.]])
    """

    __module__ = "torch"
    # Makes NumPy pass `array + tensor` to the tensor.
    __array_priority__ = 1000

    # ---- the protocol by which subclasses override operators
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if not all(issubclass(cls, kind) for kind in types):
            return NotImplemented
        with DisableTorchFunctionSubclass():
            result = func(*args, **(kwargs or {}))
            if func.__name__ == "__get__" and func in get_default_nowrap_functions():
                return result
            return _as_subclass(result, cls)

    __torch_dispatch__ = _C._disabled_torch_dispatch_impl

    # ---- printing
    def __repr__(self, *, tensor_contents=None) -> "str":
        if has_torch_function_unary(self):
            return handle_torch_function(
                Tensor.__repr__, (self,), self, tensor_contents=tensor_contents
            )
        from torch._tensor_str import _str

        return _str(self, tensor_contents=tensor_contents)

    def __format__(self, spec) -> "str":
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__format__, (self,), self, spec)
        if self.dim() == 0 and not self.is_meta and type(self) is Tensor:
            return self.item().__format__(spec)
        return object.__format__(self, spec)

    # ---- copies and pickles
    def __deepcopy__(self, memo) -> "Tensor":
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__deepcopy__, (self,), self, memo)
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                "protocol at the moment.  If you were attempting to deepcopy a module, this may "
                "be because of a torch.nn.utils.weight_norm usage, see "
                "https://github.com/pytorch/pytorch/pull/103001"
            )
        if id(self) in memo:
            return memo[id(self)]
        with DisableTorchFunctionSubclass():
            if self.is_meta or self.is_conj() or self.is_neg():
                copied = self.detach().clone()
            elif self.numel() and _is_wrapper(self):
                copied = _copy_of_wrapper(self)
            else:
                storage = self.untyped_storage().__deepcopy__(memo)
                copied = self.new_empty([])
                copied.set_(storage, self.storage_offset(), self.size(), self.stride())
            if type(copied) is not type(self):
                copied = copied.as_subclass(type(self))
            if self.requires_grad:
                copied.requires_grad_()
            if self.grad is not None:
                copied.grad = self.grad.__deepcopy__(memo)
        memo[id(self)] = copied
        if type(self) is not Tensor or self.__dict__:
            _copy_attributes(self, copied, memo)
        return copied

    def __reduce_ex__(self, proto):
        from torch import _utils

        if self._backward_hooks:
            from torch._hook_handles import warn_if_has_hooks

            warn_if_has_hooks(self)
        with DisableTorchFunctionSubclass():
            if _is_wrapper(self):
                rebuild = _utils._rebuild_wrapper_subclass
                geometry = (self.dtype, tuple(self.size()), self.stride(), self.storage_offset())
                args = (type(self), *geometry, self.layout, self.device, self.requires_grad)
            elif self.is_meta:
                rebuild = _utils._rebuild_meta_tensor_no_storage
                args = (self.dtype, tuple(self.size()), self.stride(), self.requires_grad)
            else:
                storage, sizes = self._typed_storage(), tuple(self.size())
                rest = (self.storage_offset(), sizes, self.stride(), self.requires_grad)
                if self.dtype in _LEGACY_NAMES:
                    rebuild = _utils._rebuild_tensor_v2
                    args = (storage, *rest, _hook_dictionary())
                else:  # a dtype without a legacy storage class to name in the pickle
                    rebuild = _utils._rebuild_tensor_v3
                    args = (storage.untyped(), *rest, _hook_dictionary(), self.dtype)
                if metadata := _utils.get_tensor_metadata(self):
                    args = (*args, metadata)
        if type(self) is Tensor and not self.__dict__:
            return rebuild, args
        state = _utils._get_obj_state(self)
        return _rebuild_from_type_v2, (rebuild, type(self), args, state)

    def __setstate__(self, state):
        from torch._utils import _set_obj_state

        _set_obj_state(self, state)

    # ---- interchange
    def __array__(self, dtype=None, copy=None) -> "Any":
        array = self.numpy()
        if dtype is not None:
            array = array.astype(dtype, copy=bool(copy))
        return array.copy() if copy else array

    def __array_wrap__(self, array, context=None, return_scalar=False):
        if array.dtype == bool:
            array = array.astype("uint8")
        return _C._VariableFunctions.from_numpy(array)

    def __dlpack__(self, *, stream=-1, max_version=None, dl_device=None, copy=None) -> "Any":
        if has_torch_function_unary(self):
            return handle_torch_function(
                Tensor.__dlpack__, (self,), self, stream=stream, max_version=max_version,
                dl_device=dl_device, copy=copy,
            )  # fmt: skip
        from torch.utils.dlpack import exported

        return exported(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> "Any":
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__dlpack_device__, (self,), self)
        from torch.utils.dlpack import dl_device_of

        return dl_device_of(self)

    @property
    def __cuda_array_interface__(self):
        """The memory of a CUDA tensor as CuPy and Numba read it, without a copy."""
        from torch._cuda_arrays import described

        return described(self)

    # ---- storages
    def _typed_storage(self):
        """Return the memory that holds the elements, as a storage of the tensor's dtype."""
        from torch.storage import TypedStorage

        return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype, _internal=True)

    storage = _typed_storage

    def storage_type(self) -> "Any":
        """Return the class of the tensor's storage."""
        return type(self._typed_storage())

    def share_memory_(self) -> "Tensor":
        """Move the memory to where other processes can map it; return the tensor itself."""
        self.untyped_storage().share_memory_()
        return self

    def is_shared(self) -> "_C._bool":
        """Return whether other processes can map the memory."""
        return self.untyped_storage().is_shared()

    # ---- conversions
    def type(self, dtype=None, non_blocking=False) -> "Any":
        """Return the legacy type name or, given a dtype, convert the tensor to it.

        Args:
            dtype: A dtype, a legacy name such as "torch.FloatTensor", or a legacy type.
            non_blocking: Whether a copy between devices may be asynchronous.

        Raises:
            ValueError: If a name is unknown.
            TypeError: If `dtype` is none of these.

        Example:
            >>> torch.ones(1).type()
            'torch.FloatTensor'
            >>> torch.ones(1).type(torch.int64)
            tensor([1])
        """
        if dtype is None:
            prefix = "torch" if self.is_cpu else f"torch.{self.device.type}"
            if self.layout is _C.sparse_coo:
                prefix += ".sparse"
            if self.is_quantized:
                name = str(self.dtype).removeprefix("torch.")
                name = name.replace("quint", "QUInt").replace("qint", "QInt")
                return f"{prefix}.quantized.{name}Tensor"
            name = _LEGACY_NAMES.get(self.dtype) or _type_names()[self.dtype]
            return f"{prefix}.{name}Tensor"
        if isinstance(dtype, str):
            short_name = dtype.removeprefix("torch.").removeprefix("sparse.").removesuffix("Tensor")
            matches = [known for known, name in _type_names().items() if name == short_name]
            if not matches:
                raise ValueError(f"invalid type: '{dtype}'")
            dtype = matches[0]
        elif not isinstance(dtype, _C.dtype):
            is_base = dtype is Tensor
            dtype = _C.get_default_dtype() if is_base else getattr(dtype, "dtype", None)
            if not isinstance(dtype, _C.dtype):
                raise TypeError("dtype must be a type, str, or dtype object")
        return self.to(dtype, non_blocking=non_blocking)

    def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False) -> "Tensor":
        """Create a tensor from data, by default with this tensor's dtype and device.

        Args:
            data: A number, or nested sequences of numbers.
            dtype: The dtype of the result.
            device: The device of the result.
            requires_grad: Whether the result requires gradients.

        Example:
            >>> torch.ones(1, dtype=torch.float64).new_tensor([1, 2])
            tensor([1., 2.], dtype=torch.float64)
        """
        return _C._VariableFunctions.tensor(
            data,
            dtype=dtype or self.dtype,
            device=device or self.device,
            requires_grad=requires_grad,
        )

    def split(self, split_size, dim=0) -> "tuple[Tensor, ...]":
        """Split the tensor into views; see `torch.split`."""
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.split, (self,), self, split_size, dim=dim)
        return _C.TensorBase.split(self, split_size, dim)

    def norm(self, p="fro", dim=None, keepdim=False, dtype=None) -> "Tensor":
        """Compute the p-norm over `dim`; see `torch.norm`."""
        if has_torch_function_unary(self):
            return handle_torch_function(
                Tensor.norm, (self,), self, p=p, dim=dim, keepdim=keepdim, dtype=dtype
            )
        from torch.functional import norm

        return norm(self, p, dim, keepdim, dtype=dtype)

    def unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None) -> "Any":
        """Find the distinct elements; see `torch.unique`."""
        from torch.functional import unique

        if has_torch_function_unary(self):
            return handle_torch_function(
                Tensor.unique,
                (self,),
                self,
                sorted=sorted,
                return_inverse=return_inverse,
                return_counts=return_counts,
                dim=dim,
            )
        return unique(self, sorted, return_inverse, return_counts, dim)

    def unique_consecutive(self, return_inverse=False, return_counts=False, dim=None) -> "Any":
        """Drop the elements that equal the one before them; see `torch.unique_consecutive`."""
        from torch.functional import unique_consecutive

        if has_torch_function_unary(self):
            return handle_torch_function(
                Tensor.unique_consecutive,
                (self,),
                self,
                return_inverse=return_inverse,
                return_counts=return_counts,
                dim=dim,
            )
        return unique_consecutive(self, return_inverse, return_counts, dim)

    # ---- shifts of integers
    def __lshift__(self, other) -> "Tensor":
        return torch.bitwise_left_shift(self, other) if _is_operand(other) else NotImplemented

    def __rshift__(self, other) -> "Tensor":
        return torch.bitwise_right_shift(self, other) if _is_operand(other) else NotImplemented

    def __rlshift__(self, other) -> "Tensor":
        return torch.bitwise_left_shift(other, self) if _is_operand(other) else NotImplemented

    def __rrshift__(self, other) -> "Tensor":
        return torch.bitwise_right_shift(other, self) if _is_operand(other) else NotImplemented

    def __ilshift__(self, other) -> "Tensor":
        return self.bitwise_left_shift_(other) if _is_operand(other) else NotImplemented

    def __irshift__(self, other) -> "Tensor":
        return self.bitwise_right_shift_(other) if _is_operand(other) else NotImplemented

    def __complex__(self) -> "complex":
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__complex__, (self,), self)
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return complex(self.item())

    def __reversed__(self) -> "Tensor":
        """Flip the first dimension; return a scalar itself."""
        if has_torch_function_unary(self):
            return handle_torch_function(Tensor.__reversed__, (self,), self)
        return self.flip(0) if self.dim() else self

    # ---- autograd
    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
        """Add the gradients of this tensor to the `.grad` of the leaves of its graph.

        See `torch.autograd.backward` for the arguments and the errors.

        Example:
            >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
            >>> (x**2).backward(torch.tensor([1.0, 10.0]))
            >>> x.grad
            tensor([ 2., 40.])
        """
        if has_torch_function_unary(self):
            return handle_torch_function(
                Tensor.backward,
                (self,),
                self,
                gradient=gradient,
                retain_graph=retain_graph,
                create_graph=create_graph,
                inputs=inputs,
            )
        return torch.autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook) -> "Any":
        """Register a function that is called with each gradient of this tensor.

        Args:
            hook: A function `hook(grad)`, which returns None or a gradient to use instead.

        Returns:
            A handle whose `remove()` removes the hook.

        Raises:
            RuntimeError: If the tensor does not require gradients.

        Example:
            >>> x = torch.ones(2, requires_grad=True)
            >>> handle = x.register_hook(lambda grad: grad * 10)
            >>> x.sum().backward()
            >>> x.grad
            tensor([10., 10.])
        """
        from torch._hook_handles import add_hook

        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._backward_hooks is None:
            self._backward_hooks = _hook_dictionary()
            if self.grad_fn is not None:
                self.grad_fn._register_hook_dict(self)
        return add_hook(self._backward_hooks, hook)

    def register_post_accumulate_grad_hook(self, hook) -> "Any":
        """Register a function that is called after each addition to this leaf's `.grad`.

        Args:
            hook: A function `hook(tensor)` whose result is ignored.

        Returns:
            A handle whose `remove()` removes the hook.

        Raises:
            RuntimeError: If the tensor does not require gradients, or is not a leaf.

        Example:
            >>> x = torch.ones(2, requires_grad=True)
            >>> handle = x.register_post_accumulate_grad_hook(lambda x: print(x.grad))
            >>> x.sum().backward()
            tensor([1., 1.])
        """
        from torch._hook_handles import add_hook

        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError(
                "post accumulate grad hooks cannot be registered on non-leaf tensors"
            )
        if self._post_accumulate_grad_hooks is None:
            self._post_accumulate_grad_hooks = _hook_dictionary()
        return add_hook(self._post_accumulate_grad_hooks, hook)

    def __dir__(self):
        names = {*dir(type(self)), *self.__dict__}
        if not self.is_cuda or self.layout is not _C.strided:
            names.discard("__cuda_array_interface__")
        return sorted(names)


_C._set_tensor_class(Tensor)

add_methods(Tensor)
