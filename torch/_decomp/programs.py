"""Decompositions that C++ has too, as TorchScript: the programs of torch.jit._decomposition_programs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torch._decomp._tables import register_decomposition
from torch._decomp.tools import aten, precise
from torch.jit import _decomposition_programs

OPERATORS = {
    "addmm": "addmm",
    "addmv": "addmv",
    "baddbmm": "baddbmm",
    "binary_cross_entropy": "binary_cross_entropy",
    "binary_cross_entropy_backward": "binary_cross_entropy_backward",
    "binary_cross_entropy_with_logits": "binary_cross_entropy_with_logits",
    "dot": "dot",
    "elu": "elu",
    "elu_backward": "elu_backward",
    "gelu": "gelu",
    "gelu_backward": "gelu_backward",
    "glu": "glu",
    "glu_backward": "glu_backward",
    "hardshrink": "hardshrink",
    "hardsigmoid": "hardsigmoid",
    "hardsigmoid_backward": "hardsigmoid_backward",
    "hardswish": "hardswish",
    "hardswish_backward": "hardswish_backward",
    "hardtanh": "hardtanh",
    "hardtanh_backward": "hardtanh_backward",
    "huber_loss": "huber_loss",
    "huber_loss_backward": "huber_loss_backward",
    "leaky_relu": "leaky_relu",
    "leaky_relu_backward": "leaky_relu_backward",
    "log_sigmoid_backward": "log_sigmoid_backward",
    "log_sigmoid_forward": "log_sigmoid_forward",
    "mish": "mish",
    "mish_backward": "mish_backward",
    "mse_loss": "mse_loss",
    "mse_loss_backward": "mse_loss_backward",
    "mv": "mv",
    "prelu_kernel": "_prelu_kernel",
    "prelu_kernel_backward": "_prelu_kernel_backward",
    "sigmoid_backward": "sigmoid_backward",
    "silu": "silu",
    "silu_backward": "silu_backward",
    "smooth_l1_loss": "smooth_l1_loss",
    "smooth_l1_loss_backward": "smooth_l1_loss_backward",
    "soft_margin_loss": "soft_margin_loss",
    "soft_margin_loss_backward": "soft_margin_loss_backward",
    "softplus": "softplus",
    "softplus_backward": "softplus_backward",
    "softshrink": "softshrink",
    "softshrink_backward": "softshrink_backward",
    "std": "std.correction",
    "std_mean": "std_mean.correction",
    "tanh_backward": "tanh_backward",
    "threshold": "threshold",
    "threshold_backward": "threshold_backward",
    "var": "var.correction",
    "var_mean": "var_mean.correction",
}
"""The operators of each program. The generator reads this table as text."""


def decomposition_of(schema: Any, program: Callable[..., Any]) -> Callable[..., Any]:
    """Return a program as a function that is called like an operator.

    Args:
        schema: The schema of the operator; one number fits where it takes a list.
        program: Takes the arguments of the schema under their names.
    """
    lists = [a.name for a in schema.arguments if str(a.type).rstrip("?").endswith("]")]
    names = [a.name for a in schema.arguments]

    @precise
    @functools.wraps(program)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        for name in lists:
            if isinstance(given.get(name), int):
                given[name] = [given[name]]
        return program(**given)

    return call


def _register() -> None:
    for program, names in OPERATORS.items():
        function = getattr(_decomposition_programs, program)
        for name in names.split():
            base, _, overload = name.partition(".")
            operator = getattr(getattr(aten, base), overload or "default")
            register_decomposition(operator)(decomposition_of(operator._schema, function))


_register()
