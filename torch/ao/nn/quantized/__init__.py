"""Layers of quantized tensors, which `torch.ao.quantization.convert` makes of layers of floating point."""

from __future__ import annotations

from typing import Any

from torch.ao.nn.quantized import functional
from torch.ao.nn.quantized.modules import *  # noqa: F403
from torch.ao.nn.quantized.modules import MaxPool2d
from torch.ao.nn.quantized.modules import __all__ as _names

__all__ = list(_names)


def __getattr__(name: str) -> Any:
    if name in ("dynamic", "reference"):
        from importlib import import_module

        return import_module(f"torch.ao.nn.quantized.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
