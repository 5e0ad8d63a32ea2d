"""Layers of quantized models."""

from __future__ import annotations

from torch._lazy_attributes import import_at_use as _import_at_use

__getattr__ = _import_at_use(__name__)
