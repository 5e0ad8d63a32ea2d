"""Convolutions and ReLU of quantized tensors."""

from __future__ import annotations

from typing import Any

from torch.ao.nn.quantized.modules import conv


def _with_relu(dims: int) -> Any:
    name, base = f"ConvReLU{dims}d", getattr(conv, f"Conv{dims}d")
    text = (
        f"Conv{dims}d and ReLU of a quantized tensor; see `torch.nn.Conv{dims}d` for the arguments.\n\n"
        f"    Example:\n        >>> torch.ao.nn.intrinsic.quantized.{name}(1, 2, 3).scale\n        1.0\n    "
    )
    operator = f"{base._OPERATOR}_relu"
    body = {"__doc__": text, "__module__": __name__, "_operator_name": lambda self: operator}
    return type(name, (base,), body)


ConvReLU1d, ConvReLU2d, ConvReLU3d = (_with_relu(dims) for dims in (1, 2, 3))
