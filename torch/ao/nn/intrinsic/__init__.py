"""Sequences of layers that a quantized kernel computes at once, and what becomes of them."""

from __future__ import annotations

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.intrinsic.modules import *  # noqa: F403
from torch.ao.nn.intrinsic.modules import __all__, _FusedModule

__getattr__ = _import_at_use(__name__)
