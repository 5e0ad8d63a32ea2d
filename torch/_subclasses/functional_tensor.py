"""Functional tensors, which exist only while a graph is captured: their names."""

from __future__ import annotations

from typing import Any

from torch._absent import absent_class as _absent_class

_WITHOUT = "this build captures no graphs, so it has no functional tensors"
FunctionalTensor = _absent_class(__name__, "FunctionalTensor", _WITHOUT)
FunctionalTensorMode = _absent_class(__name__, "FunctionalTensorMode", _WITHOUT)


def mb_unwrap_functional_tensor(tensor: Any) -> Any:
    """Return the tensor below a functional one, which is the tensor itself."""
    return tensor
