"""Quantized layers that end with ReLU."""

from __future__ import annotations

from typing import Any

from torch.ao.nn.intrinsic.quantized.modules import *  # noqa: F403
from torch.ao.nn.intrinsic.quantized.modules import __all__


def __getattr__(name: str) -> Any:
    if name == "dynamic":
        from importlib import import_module

        return import_module("torch.ao.nn.intrinsic.quantized.dynamic")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
