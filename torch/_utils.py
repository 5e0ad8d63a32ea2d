"""How pickled tensors come back; the names are PyTorch's, because pickles hold them."""

from torch import _C


def _rebuild_tensor(storage, storage_offset, size, stride):
    tensor = _C._VariableFunctions.empty(0, dtype=storage.dtype)
    return tensor.set_(storage._untyped_storage, storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None
):
    tensor = _rebuild_tensor(storage, storage_offset, size, stride)
    tensor.requires_grad = requires_grad
    if backward_hooks:
        tensor._backward_hooks = backward_hooks
    return tensor


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    tensor = _C._VariableFunctions.empty_strided(size, stride, dtype=dtype, device="meta")
    return tensor.requires_grad_(requires_grad)


def _rebuild_from_type_v2(func, new_type, args, state):
    result = func(*args)
    if type(result) is not new_type:
        result = result.as_subclass(new_type)
    if state:
        result.__setstate__(state)
    return result
