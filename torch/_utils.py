"""Rebuild pickled tensors and exceptions of other processes. The names are PyTorch's."""

from torch import _C


def _rebuild_tensor(storage, storage_offset, size, stride):
    tensor = _C._VariableFunctions.empty(0, dtype=storage.dtype, device=storage.device)
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


def _rebuild_tensor_v3(
    storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None
):
    tensor = _C._VariableFunctions.empty(0, dtype=dtype, device=storage.device)
    tensor.set_(storage, storage_offset, size, stride)
    tensor.requires_grad = requires_grad
    if backward_hooks:
        tensor._backward_hooks = backward_hooks
    return tensor


def _rebuild_sparse_tensor(layout, data):
    from torch.sparse import sparse_coo_tensor

    if str(layout) != "torch.sparse_coo":
        raise NotImplementedError(f"rebuilding tensors with the layout {layout} is not supported")
    indices, values, size, is_coalesced = data
    return sparse_coo_tensor(indices, values, size, is_coalesced=is_coalesced)


def _rebuild_parameter(data, requires_grad, backward_hooks):
    from torch.nn.parameter import Parameter

    parameter = Parameter(data, requires_grad)
    if backward_hooks:
        parameter._backward_hooks = backward_hooks
    return parameter


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    parameter = _rebuild_parameter(data, requires_grad, backward_hooks)
    parameter.__dict__.update(state)
    return parameter


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
