"""Methods of torch.Tensor that call functions of torch or are written in Python."""

import torch

# Methods that call the function of their name, whose module is imported at the first call.
_FUNCTIONS = (
    "addbmm", "addr", "adjoint", "aminmax", "angle", "argwhere", "cholesky", "cholesky_inverse",
    "cholesky_solve", "corrcoef", "cov", "cummax", "cummin", "det", "diagonal_scatter", "dist",
    "fmax", "fmin", "frac", "frexp", "gcd", "ger", "heaviside", "histogram", "index_fill",
    "inner", "inverse", "isneginf", "isposinf", "isreal", "istft", "kron", "lcm", "ldexp",
    "logcumsumexp", "logdet", "lu", "lu_solve", "masked_scatter", "matrix_exp", "matrix_power",
    "msort", "narrow_copy", "nonzero_static", "pinverse", "put", "qr", "ravel", "renorm",
    "select_scatter", "slice_scatter", "slogdet", "stft", "svd", "swapaxes", "take",
    "take_along_dim", "trace", "triangular_solve", "vdot",
)  # fmt: skip
# Functions that also replace the elements of their first argument, as methods with an underscore.
_IN_PLACE = (
    "addbmm", "addr", "float_power", "frac", "gcd", "heaviside", "index_fill", "lcm", "ldexp",
    "masked_scatter", "nextafter", "put", "renorm",
)  # fmt: skip


def sum_to_size(self, *size):
    """Sum over dimensions until the tensor has a shape, to which it can be broadcast back."""
    shape = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    if not _can_broadcast(shape, self.shape):
        raise RuntimeError(
            f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}."
        )
    extra = self.dim() - len(shape)
    dims = [*range(extra), *(d + extra for d, n in enumerate(shape) if n != self.shape[d + extra])]
    return self.sum(dims, keepdim=True).reshape(tuple(shape)) if dims else self


def resize_as_(self, template, memory_format=None):
    """Give the tensor the shape of another."""
    return self.resize_(template.shape)


def apply_(self, function):
    """Replace each element by what a Python function returns for it."""
    return map_(self, self, lambda value, _: function(value))


def map_(self, other, function):
    """Replace each element by what a Python function of it and of `other`'s returns."""
    values = [
        function(*pair)
        for pair in zip(
            self.flatten().tolist(), other.expand_as(self).flatten().tolist(), strict=True
        )
    ]
    return self.copy_(torch.tensor(values, dtype=self.dtype).reshape(self.shape))


def dim_order(self):
    """Return the dimensions from the one with the largest stride to the one with the smallest."""
    return tuple(sorted(range(self.dim()), key=lambda d: -self.stride(d)))


def _can_broadcast(shape, target):
    pairs = zip(reversed(tuple(shape)), reversed(tuple(target)), strict=False)
    return len(shape) <= len(target) and all(a in (1, b) for a, b in pairs)


def _function_as_method(name):
    """Return a method that calls torch.<name>."""

    def method(self, *args, **kwargs):
        return getattr(torch, name)(self, *args, **kwargs)

    return _named(method, name, name)


def _function_in_place(name):
    """Return a method that replaces a tensor's elements by what torch.<name> returns."""

    def method(self, *args, **kwargs):
        return self.copy_(getattr(torch, name)(self, *args, **kwargs))

    return _named(method, f"{name}_", name)


def _named(method, name, function):
    method.__name__ = name
    method.__qualname__ = f"Tensor.{name}"
    method.__doc__ = f"See :func:`torch.{function}`."
    return method


def add_methods(cls):
    """Give the class of tensors its methods that are not written in C++."""
    for name in _FUNCTIONS:
        setattr(cls, name, _function_as_method(name))
    for name in _IN_PLACE:
        setattr(cls, f"{name}_", _function_in_place(name))
    for function in (apply_, dim_order, map_, resize_as_, sum_to_size):
        function.__qualname__ = f"Tensor.{function.__name__}"
        setattr(cls, function.__name__, function)
