"""Sequences of layers that a quantized kernel computes at once, and what becomes of them."""

from __future__ import annotations

from typing import Any

from torch.ao.nn.intrinsic.modules import *  # noqa: F403
from torch.ao.nn.intrinsic.modules import __all__, _FusedModule


def __getattr__(name: str) -> Any:
    if name in ("qat", "quantized"):
        from importlib import import_module

        return import_module(f"torch.ao.nn.intrinsic.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
