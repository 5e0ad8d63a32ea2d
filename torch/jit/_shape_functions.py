"""Shape functions: the sizes of an operator's results, from the sizes of its tensor arguments.

Each function takes what the operator takes, with a list of sizes in place of each tensor.
`shape_compute_graph_mapping` finds it by schema. The programs are in _shape_programs, which C++ has as
TorchScript.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.jit import _shape_programs

Sizes = list[int]
Function = Callable[..., Any]

shape_compute_graph_mapping: dict[str, Function] = {}
_by_name: dict[str, Function] = {}

OPERATORS = {
    "addmm": "addmm",
    "adaptive_avg_pool2d": "_adaptive_avg_pool2d",
    "argmax": "argmax argmin",
    "bmm": "bmm",
    "broadcast": """add.Tensor sub.Tensor mul.Tensor div.Tensor pow.Tensor_Tensor maximum minimum atan2
    eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor""",
    "broadcast_inplace": "add_.Tensor mul_.Tensor div_.Tensor",
    "broadcast_three": "lerp.Tensor addcmul addcdiv where.self",
    "cat": "cat",
    "conv_forwards": "convolution",
    "dot": "dot",
    "embedding": "embedding",
    "expand": "expand",
    "flatten": "flatten.using_ints",
    "index_select": "index_select",
    "linear": "linear",
    "matmul": "matmul",
    "max_dim": "max.dim min.dim",
    "max_pool2d": "max_pool2d",
    "max_pool2d_with_indices": "max_pool2d_with_indices",
    "mm": "mm",
    "movedim": "movedim.intlist",
    "mv": "mv",
    "native_layer_norm": "native_layer_norm",
    "nll_loss_forward": "nll_loss_forward",
    "permute": "permute",
    "select": "select.int",
    "slice": "slice.Tensor",
    "squeeze": "squeeze.dim",
    "squeeze_dims": "squeeze.dims",
    "squeeze_nodim": "squeeze",
    "stack": "stack",
    "sum_mean_dim": "sum.dim_IntList mean.dim",
    "t": "t",
    "topk": "topk",
    "transpose": "transpose.int",
    "unary": """abs neg exp log sqrt rsqrt sin cos tanh sigmoid relu gelu silu floor ceil round clone detach
    alias _softmax _log_softmax hardtanh leaky_relu elu cumsum flip tril triu""",
    "unsqueeze": "unsqueeze",
    "view": "view _unsafe_view",
    "zero_dim_tensor": "sum mean",
}
"""The operators of each program. The generator reads this table as text."""


def add_shape_compute_mapping(operator_schema: str, func: Function) -> None:
    """Make a function the shape function of the operator with a schema.

    Args:
        operator_schema: The schema, as in native_functions.yaml, with its namespace.
        func: The shape function.
    """
    shape_compute_graph_mapping[operator_schema] = func
    _by_name[operator_schema.partition("(")[0]] = func


def shape_function_of(name: str) -> Function | None:
    """Return the shape function of an operator such as "aten::add.Tensor", or None."""
    return _by_name.get(name)


def taking_arguments_of(schema: Any, program: Function, count: int) -> Function:
    """Return a program as a function that is called like an operator.

    Args:
        schema: The schema of the operator.
        program: Takes the first `count` arguments of the schema, by position and as their types.
        count: The number of its parameters.
    """
    taken = schema.arguments[:count]

    def call(*args: Any, **kwargs: Any) -> Any:
        given: Mapping[str, Any] = {
            **dict(zip((argument.name for argument in schema.arguments), args, strict=False)),
            **kwargs,
        }
        return program(*(_value(argument, given) for argument in taken))

    return call


def _value(argument: Any, given: Mapping[str, Any]) -> Any:
    """Return what a program gets for an argument: a number in place of a list or a tensor fits, too."""
    if argument.name not in given:
        if not argument.has_default_value():
            raise TypeError(f"missing argument {argument.name!r}")
        return argument.default_value
    value, kind = given[argument.name], str(argument.type).rstrip("?")
    if isinstance(value, (int, float, complex)) and kind == "Tensor":
        return []
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, int) and kind.endswith("]"):
        return [value]
    return value


def _register() -> None:
    for program, names in OPERATORS.items():
        function = getattr(_shape_programs, program)
        count = function.__code__.co_argcount
        for name in names.split():
            base, _, overload = name.partition(".")
            schema = getattr(getattr(torch.ops.aten, base), overload or "default")._schema
            add_shape_compute_mapping(str(schema), taking_arguments_of(schema, function, count))


_register()
