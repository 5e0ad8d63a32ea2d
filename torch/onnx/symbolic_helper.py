"""Decorators and questions of symbolic functions of the exporter to ONNX, which never runs here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch._absent import answering as _answering
from torch._absent import refusing as _refusing


def parse_args(*arg_descriptors: str) -> Callable[[Any], Any]:
    """Return a decorator that does not change a symbolic function.

    Args:
        *arg_descriptors: The kinds of the function's arguments.

    Example:
        >>> from torch.onnx.symbolic_helper import parse_args
        >>> @parse_args("v", "i")
        ... def symbolic(g, input, dim): ...
    """
    return lambda function: function


quantized_args = parse_args
globals().update(
    _answering(
        __name__,
        {
            "is_caffe2_aten_fallback": False,
            "_is_value": False,
            "_is_none": False,
            "_is_constant": False,
        },
        "exporter to ONNX",
    )
)
globals().update(
    _refusing(
        __name__,
        """_get_const _get_tensor_dim_size _get_tensor_rank _get_tensor_sizes _maybe_get_const
        _maybe_get_scalar _onnx_unsupported _reshape_helper _scalar _squeeze_helper _unimplemented
        _unsqueeze_helper""".split(),  # noqa: SIM905
        RuntimeError,
        "torch.onnx.symbolic_helper.{name} needs an exporter to ONNX, which this build does not have",
    )
)
