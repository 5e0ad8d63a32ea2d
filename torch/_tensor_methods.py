"""Methods of torch.Tensor that call functions of torch or are written in Python."""

import torch
from torch import _legacy_methods, _sparse_methods
from torch._torch_function import (
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    like,
    overridable_method,
)

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from torch import Tensor

# Methods that call the function of their name, whose module is imported at the first call.
_FUNCTIONS = (
    "_is_all_true", "_is_any_true", "addbmm", "addr", "adjoint", "aminmax", "argwhere", "as_strided_scatter", "cholesky",
    "cholesky_inverse", "cholesky_solve", "corrcoef", "cov", "dequantize", "det",
    "diagonal_scatter", "dist", "fmax", "fmin", "geqrf", "ger", "hash_tensor", "heaviside",
    "histogram", "index_fill", "inner", "int_repr", "inverse", "isneginf", "isposinf", "isreal",
    "istft", "kron", "ldexp", "logdet", "lu", "lu_solve", "masked_scatter",
    "matrix_exp", "matrix_power", "msort", "narrow_copy", "nonzero_static", "orgqr", "ormqr",
    "pinverse", "put", "q_per_channel_axis", "q_per_channel_scales",
    "q_per_channel_zero_points", "q_scale", "q_zero_point", "qr", "ravel", "renorm", "select_scatter", "slice_scatter", "slogdet",
    "smm", "sspaddmm", "stft", "svd", "swapaxes", "take", "take_along_dim", "trace", "triangular_solve",
    "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes",
)  # fmt: skip
# Functions that also replace the elements of their first argument, as methods with an underscore.
_IN_PLACE = (
    "addbmm", "addr", "deg2rad", "float_power", "heaviside", "index_fill",
    "ldexp", "masked_scatter", "nextafter", "put", "rad2deg", "renorm",
)  # fmt: skip


def sum_to_size(self, *size) -> "Tensor":
    """Sum over dimensions until the tensor has a shape, to which it can be broadcast back."""
    if not size:
        raise TypeError('sum_to_size() missing 1 required positional arguments: "size"')
    shape = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    if not len(shape):
        return self.sum()
    if not _can_broadcast(shape, self.shape):
        raise RuntimeError(
            f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}."
        )
    extra = self.dim() - len(shape)
    dims = [*range(extra), *(d + extra for d, n in enumerate(shape) if n != self.shape[d + extra])]
    return self.sum(dims, keepdim=True).reshape(tuple(shape)) if dims else self


def resize_as_(self, template, memory_format=None) -> "Tensor":
    """Give the tensor the shape of another."""
    if memory_format is torch.preserve_format:
        memory_format = None
        last = {4: torch.channels_last, 5: torch.channels_last_3d}.get(template.dim())
        if last and not template.is_contiguous() and template.is_contiguous(memory_format=last):
            memory_format = last
    return self.resize_(template.shape, memory_format=memory_format)


def apply_(self, function) -> "Tensor":
    """Replace each element by what a Python function returns for it."""
    return _legacy_methods.map_elements(self, (), function, "apply_")


def map_(self, other, function) -> "Tensor":
    """Replace each element by what a Python function of it and of `other`'s returns."""
    return _legacy_methods.map_elements(self, (other,), function, "map_")


def qscheme(self):
    """Return how the integers of a quantized tensor stand for numbers, such as torch.per_tensor_affine."""
    from torch._quantized import _constructors

    return _constructors.qscheme(self)


def dim_order(self, *, ambiguity_check=False) -> "tuple[int, ...]":
    """Return the dimensions from the one with the largest stride to the one with the smallest.

    `ambiguity_check=True` (or an empty list) makes it an error if other orders fit the strides too; a list
    of memory formats, if the strides do not fit exactly one of these.

    Raises:
        TypeError: If `ambiguity_check` is of another type.
        RuntimeError: If the order is ambiguous.
    """
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not isinstance(ambiguity_check, (bool, list)) or not all(
        isinstance(each, torch.memory_format) for each in formats
    ):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    if formats:
        ambiguous = sum(self.is_contiguous(memory_format=each) for each in formats) != 1
    else:
        strides = self.stride()
        repeated = len(set(strides)) < len(strides) or 0 in strides
        ambiguous = ambiguity_check is not False and (1 in self.shape or repeated)
    if ambiguous:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
        )
    return tuple(sorted(range(self.dim()), key=lambda d: -self.stride(d)))


def chalf(self, *, memory_format=torch.preserve_format) -> "Tensor":
    """Convert to complex numbers of two 16-bit floats."""
    return self.to(torch.complex32, memory_format=memory_format)


def const_data_ptr(self) -> "int":
    """Return the address of the first element, for reading."""
    return self.data_ptr()


def module_load(self, other, assign=False) -> "Tensor":
    """Return what replaces this parameter or buffer of a module when `other` is loaded into it."""
    return other.detach() if assign else self.copy_(other).detach()


def to_padded_tensor(self, padding, output_size=None, out=None) -> "Tensor":
    """Return a nested tensor as a plain one, in which a value fills what the components do not.

    Args:
        self: A nested tensor.
        padding: The value.
        output_size: The size of the result; the largest sizes of the components if None.
        out: The tensor to write the result to.

    Raises:
        NotImplementedError: If the tensor is not nested.
        RuntimeError: If `output_size` is too small.

    Example:
        >>> torch.nested.nested_tensor([[1], [2, 3]]).to_padded_tensor(0)
        tensor([[1, 0],
                [2, 3]])
    """
    if has_torch_function_unary(self):
        return handle_torch_function(
            torch.Tensor.to_padded_tensor, (self,), self, padding, output_size, out
        )
    raise torch.sparse._unsupported.could_not_run("aten::to_padded_tensor", [self])


def swapaxes_(self, axis0, axis1) -> "Tensor":
    """Exchange two dimensions in place."""
    return self.transpose_(axis0, axis1)


def _can_broadcast(shape, target):
    pairs = zip(reversed(tuple(shape)), reversed(tuple(target)), strict=False)
    return len(shape) <= len(target) and all(a in (1, b) for a, b in pairs)


_METHODS = (
    apply_, chalf, const_data_ptr, dim_order, map_, module_load, qscheme, resize_as_,
    sum_to_size, swapaxes_, to_padded_tensor,
)  # fmt: skip


# Methods of the class statement that subclasses may override in __torch_function__.
_OVERRIDABLE = (
    "__array_wrap__", "__dlpack__", "__dlpack_device__", "__reduce_ex__", "is_shared",
    "register_hook", "register_post_accumulate_grad_hook", "storage_type", "type",
)  # fmt: skip


_OPERATORS = ("__lshift__", "__rlshift__", "__rrshift__", "__rshift__")


def _overridable_operator(function):
    """Return an overridable method that leaves types it does not know to the other operand."""

    def operator(self, other):
        if not has_torch_function((self, other)):
            return function(self, other)
        try:
            return handle_torch_function(operator, (self, other), self, other)
        except TypeError:
            return NotImplemented

    return like(operator, function)


def _function_as_method(name):
    """Return a method that calls torch.<name>."""

    def method(self, *args, **kwargs):
        return getattr(torch, name)(self, *args, **kwargs)

    return overridable_method(_named(method, name, name))


def _check_cast(found, tensor):
    from torch._outputs import check_cast  # not for `import torch`

    check_cast(found, tensor)


def _refuse_power(found, tensor):
    from torch._outputs import kind_of

    raise RuntimeError(
        f"the base given to float_power_ has dtype {kind_of(tensor)} but the operation's "
        f"result requires dtype {kind_of(found)}"
    )


def _check_scaled_fits(found, tensor):
    torch._arithmetic.check_holds_power(tensor)
    _check_cast(found, tensor)


def _fit_to_sum(found, tensor):
    if tensor.shape != found.shape:
        tensor.resize_(found.shape)


# Called before a tensor's elements are replaced by others of another dtype; the other functions
# check the cast.
_IN_PLACE_CHECKS = {
    "addbmm": _fit_to_sum, "float_power": _refuse_power, "ldexp": _check_scaled_fits,
}  # fmt: skip


_APART = ("index_fill", "put")
"""Functions in place that must not read what they write."""


def _function_in_place(name):
    """Return a method that replaces a tensor's elements by what torch.<name> returns."""
    check = _IN_PLACE_CHECKS.get(name, _check_cast)
    always = check is _fit_to_sum
    apart = name in _APART

    def method(self, *args, **kwargs):
        if apart:
            from torch._checks import refuse_overlap

            refuse_overlap(self, *args, *kwargs.values())
        # What the backward pass needs of the tensor is taken from a copy.
        keeps = self.requires_grad and torch.is_grad_enabled()
        found = getattr(torch, name)(self.clone() if keeps else self, *args, **kwargs)
        if always or found.dtype is not self.dtype:
            check(found, self)
        return self.copy_(found)

    return overridable_method(_named(method, f"{name}_", name))


def _named(method, name, function):
    method.__name__ = name
    method.__module__ = "torch._tensor"  # where pickles look for it
    method.__qualname__ = f"Tensor.{name}"
    method.__doc__ = f"See :func:`torch.{function}`."
    return method


def add_methods(cls):
    """Give the class of tensors its methods that are not written in C++."""
    for name in _FUNCTIONS:
        setattr(cls, name, _function_as_method(name))
    for name in _IN_PLACE:
        setattr(cls, f"{name}_", _function_in_place(name))
    functions = (*_METHODS, *_sparse_methods.METHODS, *_legacy_methods.METHODS)
    for function in (*functions, *_legacy_methods.removed_methods()):
        function.__module__ = "torch._tensor"
        function.__qualname__ = f"Tensor.{function.__name__}"
        setattr(cls, function.__name__, overridable_method(function))
    for name in _OVERRIDABLE:
        setattr(cls, name, overridable_method(cls.__dict__[name]))
    for name in _OPERATORS:
        setattr(cls, name, _overridable_operator(cls.__dict__[name]))
