"""Layers that round their weights as quantization would, for training."""

from __future__ import annotations

from typing import Any

from torch.ao.nn.qat.modules import *  # noqa: F403
from torch.ao.nn.qat.modules import __all__


def __getattr__(name: str) -> Any:
    if name == "dynamic":
        from importlib import import_module

        return import_module("torch.ao.nn.qat.dynamic")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
