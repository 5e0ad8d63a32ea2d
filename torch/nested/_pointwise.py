"""Functions of single elements, which nested tensors apply to their values."""

from __future__ import annotations

from typing import Any

import torch
from torch.masked.maskedtensor._elementwise import BINARY, UNARY
from torch.nested._base import is_nested, make, plain_call, values_of

Tensor = torch.Tensor

_OPERATORS = [
    "__abs__",
    "__add__",
    "__and__",
    "__eq__",
    "__floordiv__",
    "__ge__",
    "__gt__",
    "__invert__",
    "__le__",
    "__lt__",
    "__mod__",
    "__mul__",
    "__ne__",
    "__neg__",
    "__or__",
    "__pos__",
    "__pow__",
    "__radd__",
    "__rand__",
    "__rfloordiv__",
    "__rmod__",
    "__rmul__",
    "__ror__",
    "__rpow__",
    "__rsub__",
    "__rtruediv__",
    "__rxor__",
    "__sub__",
    "__truediv__",
    "__xor__",
    "__div__",
    "__rdiv__",
]
_IN_PLACE_OPERATORS = [
    "__iadd__",
    "__iand__",
    "__idiv__",
    "__ifloordiv__",
    "__imod__",
    "__imul__",
    "__ior__",
    "__ipow__",
    "__isub__",
    "__itruediv__",
    "__ixor__",
]
_FURTHER = [
    "celu",
    "clamp_max",
    "clamp_min",
    "copysign",
    "elu",
    "float_power",
    "gcd",
    "gelu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "heaviside",
    "hypot",
    "igamma",
    "igammac",
    "isfinite",
    "isinf",
    "isneginf",
    "isposinf",
    "lcm",
    "ldexp",
    "leaky_relu",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsigmoid",
    "masked_fill",
    "mish",
    "mvlgamma",
    "polygamma",
    "relu",
    "relu6",
    "rrelu",
    "rsub",
    "selu",
    "silu",
    "softplus",
    "softshrink",
    "softsign",
    "special_entr",
    "special_erfcx",
    "special_i0e",
    "special_i1",
    "tanhshrink",
    "threshold",
    "xlogy",
    "clone",
    "type",
    "float",
    "double",
    "half",
    "bfloat16",
    "int",
    "long",
    "short",
    "char",
    "byte",
    "bool",
    "zeros_like",
    "ones_like",
    "empty_like",
    "full_like",
    "rand_like",
    "randn_like",
    "randint_like",
    "bernoulli",
    "detach",
    "isreal",
    "real",
    "imag",
    "conj",
    "resolve_conj",
    "resolve_neg",
]
_FILLING = [
    "fill_",
    "zero_",
    "normal_",
    "uniform_",
    "bernoulli_",
    "exponential_",
    "random_",
    "apply_",
    "requires_grad_",
]
# Functions of one nested tensor and at most one other tensor.
JAGGED = frozenset((*UNARY, *BINARY, *_OPERATORS, *_FURTHER))
JAGGED_IN_PLACE = frozenset((*(f"{name}_" for name in JAGGED), *_IN_PLACE_OPERATORS, *_FILLING)) - {
    "requires_grad_"
}
# Those that strided nested tensors have in PyTorch.
STRIDED = frozenset(
    [
        "abs",
        "absolute",
        "cos",
        "sin",
        "sqrt",
        "neg",
        "negative",
        "sgn",
        "isinf",
        "isnan",
        "isneginf",
        "isposinf",
        "logical_not",
        "relu",
        "gelu",
        "silu",
        "tanh",
        "add",
        "sub",
        "subtract",
        "mul",
        "multiply",
        "div",
        "divide",
        "true_divide",
        "eq",
        "ge",
        "gt",
        "masked_fill",
        "clone",
        "detach",
        "type",
        "float",
        "double",
        "half",
        "bfloat16",
        "int",
        "long",
        "short",
        "char",
        "byte",
        "bool",
        "zeros_like",
        "ones_like",
        "empty_like",
        "randn_like",
        "__add__",
        "__radd__",
        "__sub__",
        "__mul__",
        "__rmul__",
        "__truediv__",
        "__neg__",
        "__abs__",
        "__eq__",
        "__ge__",
        "__gt__",
        "__div__",
    ]
)
STRIDED_IN_PLACE = frozenset(
    [
        "abs_",
        "absolute_",
        "neg_",
        "sgn_",
        "logical_not_",
        "relu_",
        "gelu_",
        "silu_",
        "tanh_",
        "add_",
        "mul_",
        "fill_",
        "zero_",
        "normal_",
        "__iadd__",
        "__imul__",
        "multiply_",
    ]
)


def call(func: Any, args: Any, kwargs: Any, *, combine: Any) -> Any:
    """Apply a function to the values of nested tensors.

    Args:
        func: The function.
        args: Its arguments, with at most two tensors among the first two.
        kwargs: Its keyword arguments.
        combine: Returns the arguments with values for tensors, and the structure of the result.
    """
    kwargs = {name: value for name, value in kwargs.items() if name not in ("layout",)}
    values, structure = combine(func, list(args), values_of)
    result = plain_call(func, values, kwargs)
    if isinstance(result, tuple):
        return type(result)(make(each, structure) for each in result)
    return make(result, structure) if isinstance(result, Tensor) else result


def call_in_place(func: Any, args: Any, kwargs: Any, *, combine: Any) -> Any:
    """Apply a function to the values of a nested tensor, which it changes.

    Raises:
        RuntimeError: If the tensor needs a gradient.
    """
    tensor = args[0]
    if not is_nested(tensor):
        raise RuntimeError("a nested tensor cannot be written to a plain one")
    if tensor.requires_grad and torch.is_grad_enabled():
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation."
            if tensor.is_leaf
            else "nested tensors that require grad cannot be changed in place"
        )
    values, _ = combine(func, list(args), lambda nested: nested._inner)
    plain_call(func, values, kwargs)
    return tensor
