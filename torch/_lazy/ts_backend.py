"""The back end that runs the graphs: ATen's kernels for the CPU."""

from __future__ import annotations

import torch
from torch._lazy import _bindings

__all__ = ["init"]


def init() -> None:
    """Make lazy tensors usable; call it once, before the first."""
    _bindings()
    torch._C._lazy_ts_backend._init()
