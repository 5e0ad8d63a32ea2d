"""Rebuild pickled tensors and exceptions of other processes. The names are PyTorch's."""

import copyreg

from torch import _C


def _rebuild_tensor(storage, storage_offset, size, stride):
    tensor = _C._VariableFunctions.empty(0, dtype=storage.dtype, device=storage.device)
    return tensor.set_(storage._untyped_storage, storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None
):
    tensor = _rebuild_tensor(storage, storage_offset, size, stride)
    set_tensor_metadata(tensor, metadata)
    tensor.requires_grad = requires_grad
    if backward_hooks:
        tensor._backward_hooks = backward_hooks
    return tensor


def get_tensor_metadata(tensor):
    """Return what a pickle says of a tensor besides its memory: pending conjugation and negation."""
    pending = {"conj": tensor.is_conj(), "neg": tensor.is_neg()}
    return {name: value for name, value in pending.items() if value}


def set_tensor_metadata(tensor, metadata):
    """Let a tensor without pending conjugation and negation have what `metadata` says."""
    if metadata and metadata.get("conj"):
        _C._set_conj(tensor, True)
    if metadata and metadata.get("neg"):
        _C._set_neg(tensor, True)


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    tensor = _C._VariableFunctions.empty_strided(size, stride, dtype=dtype, device="meta")
    return tensor.requires_grad_(requires_grad)


def _rebuild_wrapper_subclass(
    cls, dtype, size, stride, storage_offset, layout, device, requires_grad
):
    from torch import Tensor

    return Tensor._make_wrapper_subclass(
        cls,
        size,
        strides=stride,
        dtype=dtype,
        storage_offset=storage_offset,
        layout=layout,
        device=device,
        requires_grad=requires_grad,
    )


def _get_obj_state(obj):
    """Return the attributes of an object to pickle: a dictionary, or with it one of the slots."""
    own = getattr(type(obj), "__getstate__", None)
    if own is not getattr(object, "__getstate__", None):
        return own(obj)
    names = copyreg._slotnames(type(obj))
    if not names:
        return obj.__dict__
    return obj.__dict__, {name: getattr(obj, name) for name in names if hasattr(obj, name)}


def _set_obj_state(obj, state):
    """Give an object the attributes that `_get_obj_state` returned, and return the object."""
    parts = state if isinstance(state, tuple) else (state,)
    if len(parts) > 2:
        raise RuntimeError(f"Invalid serialized state: {state}")
    for attributes in parts:
        for name, value in (attributes or {}).items():
            setattr(obj, name, value)
    return obj


def _rebuild_tensor_v3(
    storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None
):
    tensor = _C._VariableFunctions.empty(0, dtype=dtype, device=storage.device)
    tensor.set_(storage, storage_offset, size, stride)
    set_tensor_metadata(tensor, metadata)
    tensor.requires_grad = requires_grad
    if backward_hooks:
        tensor._backward_hooks = backward_hooks
    return tensor


later_checks = None
"""While a file is read whose storages come last: what checks indices when they are there."""


def _rebuild_sparse_tensor(layout, data):
    import torch

    if str(layout) == "torch.sparse_coo":
        # Files of older versions do not say whether the indices are coalesced.
        return torch.sparse_coo_tensor(*data[:3], is_coalesced=(*data, None)[3])
    return torch.sparse_compressed_tensor(*data, layout=layout)


def _rebuild_nested_tensor(buffer, sizes, strides, storage_offsets):
    import torch

    return torch._nested_view_from_buffer(buffer, sizes, strides, storage_offsets)


def _rebuild_qtensor(
    storage, storage_offset, size, stride, quantizer_params, requires_grad, backward_hooks
):
    from torch._quantized import _packing, _quantizers, _tensor

    kind = _quantizers.quantized_dtype(storage.dtype)
    integers = _C._VariableFunctions.empty(0, dtype=kind.integers, device=storage.device)
    if kind.per_byte == 1:
        integers.set_(storage._untyped_storage, storage_offset, size, stride)
    else:
        integers.set_(storage._untyped_storage)
        integers = _packing.unpacked(integers, size, kind.dtype)
    return _tensor.wrap(integers, _quantizers.from_pickled(quantizer_params), kind.dtype)


def _rebuild_parameter(data, requires_grad, backward_hooks):
    from torch.nn.parameter import Parameter

    parameter = Parameter(data, requires_grad)
    if backward_hooks:
        parameter._backward_hooks = backward_hooks
    return parameter


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    parameter = _rebuild_parameter(data, requires_grad, backward_hooks)
    return _set_obj_state(parameter, state)


class KeyErrorMessage(str):
    """A message that KeyError, which prints the repr of its argument, shows without quotes."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


class ExceptionWrapper:
    """The current exception in a form that another process can raise again."""

    def __init__(self, exc_info=None, where="in background"):
        import sys
        import traceback

        kind, value, trace = exc_info or sys.exc_info()
        self.exc_type = kind
        self.exc_msg = "".join(traceback.format_exception(kind, value, trace))
        self.where = where

    def reraise(self):
        """Raise an exception of the same type, or a RuntimeError, with the traceback as text."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            message = KeyErrorMessage(message)
        try:
            if getattr(self.exc_type, "message", None):
                exception = self.exc_type(message=message)
            else:
                exception = self.exc_type(message)
        except Exception:  # the type cannot be constructed from a message
            raise RuntimeError(message) from None
        raise exception


class classproperty:
    """A property of a class: the decorated function gets the class."""

    def __init__(self, func):
        self.func = func

    def __get__(self, instance, owner):
        return self.func(owner)


# ---- several tensors in one --------------------------------------------------------------------
def _flatten_dense_tensors(tensors):
    """Return one contiguous vector with the elements of all tensors, which have one dtype."""
    return _C._VariableFunctions.cat([tensor.contiguous().view(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat, tensors):
    """Return views of a vector with the shapes of `tensors`."""
    parts, offset = [], 0
    for tensor in tensors:
        parts.append(flat.narrow(0, offset, tensor.numel()).view(tensor.size()))
        offset += tensor.numel()
    return tuple(parts)


def _take_tensors(tensors, size_limit):
    """Yield lists of tensors of one type that together take up to `size_limit` bytes."""
    groups = {}
    for tensor in tensors:
        group = groups.setdefault(tensor.type(), [])
        if group and _total_bytes([*group, tensor]) > size_limit:
            yield list(group)
            group.clear()
        group.append(tensor)
    yield from (group for group in groups.values() if group)


def _total_bytes(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def _element_size(dtype):
    """Return the number of bytes of an element."""
    return dtype.itemsize


# ---- devices -----------------------------------------------------------------------------------
def _get_available_device_type():
    """Return the type of the accelerator that can be used, or None."""
    from torch.accelerator import current_accelerator

    device = current_accelerator(check_available=True)
    return None if device is None else device.type


def _get_device_module(device_type):
    """Return the module of a type of device, such as torch.cuda."""
    import torch

    module = getattr(torch, device_type, None)
    if module is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as "
            f"'torch.{device_type}'."
        )
    return module


def _get_device_index(device, optional=False, allow_cpu=False):
    """Return the index of a device given as a number, a name or a torch.device.

    Raises:
        ValueError: For a device without an index, unless `optional`, or for the CPU, unless
            `allow_cpu`.
    """
    if isinstance(device, int):
        return device
    index = None
    if device is not None:
        found = _C.device(device)
        if found.type == "cpu" and not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {found}")
        index = -1 if found.type == "cpu" else found.index
    if index is not None:
        return index
    if not optional:
        raise ValueError(
            f"Expected a torch.device with a specified index or an integer, but got: {device!r}"
        )
    return _current_device_index()


def _current_device_index():
    kind = _get_available_device_type()
    return -1 if kind is None else _get_device_module(kind).current_device()


def _import_dotted_name(name):
    """Return the object that a dotted name such as "torch.nn.Linear" stands for."""
    first, *rest = name.split(".")
    found = __import__(first)
    for part in rest:
        found = getattr(found, part)
    return found
