"""Layers of quantized models."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name in ("intrinsic", "qat", "quantizable", "quantized", "sparse"):
        return import_module(f"torch.ao.nn.{name}")
    raise AttributeError(f"module 'torch.ao.nn' has no attribute '{name}'")
