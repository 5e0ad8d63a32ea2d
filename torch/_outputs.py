"""The argument `out` of functions that are written in Python: results are copied into it as operators do."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import torch

# The types of elements in C++, as messages name them.
C_NAMES = {
    torch.float32: "float",
    torch.float64: "double",
    torch.float16: "c10::Half",
    torch.bfloat16: "c10::BFloat16",
    torch.int64: "long int",
    torch.int32: "int",
    torch.int16: "short int",
    torch.int8: "signed char",
    torch.uint8: "unsigned char",
    torch.bool: "bool",
    torch.complex32: "c10::complex<c10::Half>",
    torch.complex64: "c10::complex<float>",
    torch.complex128: "c10::complex<double>",
}

# Functions whose `out` must have the dtype of the result, with the message if it differs.
_SAME_DTYPE = {
    **dict.fromkeys(
        (
            *("aminmax", "frobenius_norm", "inverse", "linalg.matrix_power", "lu_solve", "msort"),
            *("qr", "renorm", "slogdet", "svd", "triangular_solve"),
        ),
        "Expected out tensor to have dtype {2}, but got {3} instead",
    ),
    **dict.fromkeys(
        ("linalg.matrix_norm", "nuclear_norm"),
        "linalg.matrix_norm expected out tensor dtype {0} but got: {1}",
    ),
    "linalg.norm": "linalg.norm expected out tensor dtype {0} but got: {1}",
    **dict.fromkeys(("isneginf", "isposinf"), "{4} does not support non-boolean outputs."),
    "take": (
        "take(): self and out expected to have the same dtype, but got self.dtype = {0} and "
        "out.dtype = {1}"
    ),
    "linalg.vecdot": "linalg.vecdot: Expected out of dtype{0} but found {1}",
    **dict.fromkeys(
        ("inner", "tensordot"),
        "tensordot: Expected the output tensor to have dtype {0}, but got an output tensor with "
        "dtype {1}",
    ),
}

# Functions that name themselves when `out` cannot hold their result.
_OWN_CAST_ERROR = {
    **{name: name for name in ("cholesky", "cholesky_inverse", "cholesky_solve")},
    **{name: name for name in ("linalg.cond", "linalg.pinv")},
    "linalg_lstsq": "torch.linalg.lstsq",
    "linalg_tensorinv": "tensorinv",
    "linalg_tensorsolve": "tensorsolve",
}


def kind_of(tensor: Any) -> str:
    """Return the dtype of a tensor as messages name it, such as Float."""
    return str(tensor.type().rpartition(".")[2].removesuffix("Tensor"))


def check_cast(result: torch.Tensor, out: torch.Tensor) -> None:
    """Raise a RuntimeError if the dtype of `out` cannot hold the result."""
    if result.dtype != out.dtype and not torch.can_cast(result.dtype, out.dtype):
        raise RuntimeError(
            f"result type {kind_of(result)} can't be cast to the desired output type {kind_of(out)}"
        )


def _check_dtype(result: torch.Tensor, out: torch.Tensor, name: str, what: str) -> None:
    """Raise a RuntimeError if `out` has another dtype, and the function does not convert to it."""
    kinds = kind_of(result), kind_of(out)
    if name in _SAME_DTYPE:
        names = C_NAMES.get(result.dtype), C_NAMES.get(out.dtype)
        raise RuntimeError(_SAME_DTYPE[name].format(*kinds, *names, name))
    if name in _OWN_CAST_ERROR and not torch.can_cast(result.dtype, out.dtype):
        raise RuntimeError(
            f"{_OWN_CAST_ERROR[name]}: Expected {what} to be safely castable from {kinds[0]} dtype, "
            f"but got {what} with dtype {kinds[1]}"
        )
    check_cast(result, out)


def into(result: Any, out: Any, name: str = "", what: str = "result") -> Any:
    """Return a result, or `out` after a copy.

    Args:
        result: A tensor, or a named tuple of them.
        out: None, a tensor, or as many tensors as there are results.
        name: The name of the function, for messages.
        what: The name of the result.

    Raises:
        RuntimeError: If the dtype of `out` cannot hold the result, or a tensor needs a gradient.
    """
    if out is None:
        return result
    if isinstance(result, tuple):
        fields = getattr(type(result), "__match_args__", ("result",) * len(result))
        made = tuple(
            into(r, o, name, field) for r, o, field in zip(result, out, fields, strict=True)
        )
        return getattr(type(result), "_make", type(result))(made)
    if torch.is_grad_enabled() and (result.requires_grad or out.requires_grad):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    if result.dtype != out.dtype:
        _check_dtype(result, out, name, what)
    if out.shape != result.shape:
        if out.numel():
            _warn_of_resize(out.shape, result.shape)
        out.resize_(result.shape)
    return out.copy_(result)


def _warn_of_resize(before: torch.Size, after: torch.Size) -> None:
    warnings.warn(
        f"An output with one or more elements was resized since it had shape {list(before)}, which "
        f"does not match the required output shape {list(after)}. This behavior is deprecated, and "
        "in a future PyTorch release outputs will not be resized unless they have zero elements. "
        "You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
        "t.resize_(0).",
        UserWarning,
        stacklevel=4,
    )


def with_out(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function with an argument `out` more."""

    @functools.wraps(function)
    def call(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        return into(function(*args, **kwargs), out, name)

    return call
