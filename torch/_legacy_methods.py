"""Methods of torch.Tensor that older programs call: constructors like `new`, and names that were removed."""

import warnings

import torch
from torch import _C

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from torch import Tensor

_REMOVED = {
    "eig": "torch.linalg.eig, which returns complex tensors",
    "lstsq": "torch.linalg.lstsq, whose arguments are reversed",
    "reinforce": "torch.distributions, whose log_prob makes a loss",
    "solve": "torch.linalg.solve, whose arguments are reversed",
    "symeig": "torch.linalg.eigh, which uses the lower triangle by default",
}
"""Removed methods, and what replaces each."""


def new(self, *args, **kwargs) -> "Tensor":
    """Return a tensor of this one's dtype and device, from data or (uninitialised) from sizes.

    Prefer `new_tensor`, `new_empty` or `new_zeros`, which say what they do.

    Raises:
        TypeError: If the arguments are neither sizes nor a sequence, a tensor or a storage of this dtype.
        RuntimeError: If `device` is of another type than this tensor's.
    """
    if self.is_sparse:
        return torch.sparse._factories.new(self, *args, **kwargs)
    if self.is_cpu:
        return _C._legacy_tensor(self.dtype, args, kwargs)
    device = torch.device(kwargs.pop("device", self.device))
    if device.type != self.device.type:
        raise RuntimeError(
            f"legacy constructor expects device type: {self.device.type} but device type: {device.type} was passed"
        )
    if len(args) == 1 and isinstance(args[0], torch.Tensor):
        return args[0].detach().to(self.dtype).to(device)
    return _C._legacy_tensor(self.dtype, args, kwargs).to(device)


def resize(self, *sizes) -> "Tensor":
    """Return the elements in another shape that has as many; prefer `reshape`."""
    warnings.warn("non-inplace resize is deprecated", stacklevel=2)
    shape = torch.Size(sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes)
    if shape.numel() != self.numel():
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, shape))} ({shape.numel()} elements in total), but the "
            f"given tensor has a size of {'x'.join(map(str, self.shape))} ({self.numel()} elements). autograd's "
            "resize can only change the shape of a given tensor, while preserving the number of elements. "
        )
    return self.reshape(shape)


def resize_as(self, tensor) -> "Tensor":
    """Return the elements in the shape of another tensor; prefer `reshape_as`."""
    return resize(self, tensor.shape)


def map_elements(self, others, function, name) -> "Tensor":
    """Replace each element by what a function of it and of the elements of other tensors returns."""
    if any(tensor.requires_grad for tensor in (self, *others)):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
        )
    rows = (each.expand_as(self).flatten().tolist() for each in others)
    values = list(map(function, self.flatten().tolist(), *rows))
    for value in values:
        if not (hasattr(value, "__float__") or isinstance(value, complex)):
            kind = type(value).__name__
            raise TypeError(
                f"must be real number, not {kind}"
                if self.is_floating_point()
                else f"'{kind}' object cannot be interpreted as an integer"
            )
    return self.copy_(torch.tensor(values, dtype=self.dtype).reshape(self.shape))


def map2_(self, x, y, function) -> "Tensor":
    """Replace each element by what a Python function of it, of `x`'s and of `y`'s returns."""
    return map_elements(self, (x, y), function, "map2_")


def is_distributed(self) -> "bool":
    """Return whether a process group shares the tensor's memory, which is never so."""
    return False


def __long__(self) -> "int":
    return int(self)


def __nonzero__(self) -> "bool":
    return bool(self)


def __div__(self, other) -> "Tensor":
    return self.__truediv__(other)


def __rdiv__(self, other) -> "Tensor":
    return self.__rtruediv__(other)


def __idiv__(self, other) -> "Tensor":
    return self.__itruediv__(other)


def ipu(self, device=None, non_blocking=False, memory_format=torch.preserve_format) -> "Tensor":
    """Raise RuntimeError: this build has no back end for IPU devices."""
    raise RuntimeError("PyTorch is not linked with support for ipu devices")


def mtia(self, device=None, non_blocking=False, memory_format=torch.preserve_format) -> "Tensor":
    """Raise AssertionError: this build has no back end for MTIA devices."""
    raise AssertionError("Torch not compiled with MTIA enabled")


def xpu(self, device=None, non_blocking=False, memory_format=torch.preserve_format) -> "Tensor":
    """Raise AssertionError: this build has no back end for XPU devices."""
    raise AssertionError("Torch not compiled with XPU enabled")


METHODS = (
    __div__, __idiv__, __long__, __nonzero__, __rdiv__, ipu, is_distributed, map2_, mtia, new,
    resize, resize_as, xpu,
)  # fmt: skip


def removed_methods():
    """Return a method for each removed name: it raises RuntimeError and names the replacement."""

    def refusing(name, replacement):
        def method(self, *args, **kwargs):
            raise RuntimeError(
                "This function was deprecated since version 1.9 and is now removed. "
                f"Use {replacement}."
            )

        method.__name__ = name
        method.__doc__ = f"Raise RuntimeError: removed in favour of {replacement}."
        return method

    return [refusing(name, replacement) for name, replacement in _REMOVED.items()]
