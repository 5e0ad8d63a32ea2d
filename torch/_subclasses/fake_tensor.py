"""The names of fake tensors, which this build lacks: no tensor is fake. Tensors of the device meta serve instead."""

from __future__ import annotations

from torch._absent import absent_class as _absent_class
from torch._absent import answering as _answering

_WITHOUT = "this build has no fake tensors; use tensors of the device 'meta'"


class UnsupportedFakeTensorException(RuntimeError):
    """The error of a tensor that cannot be made fake."""


class DynamicOutputShapeException(RuntimeError):
    """The error of an operator whose result has a size that depends on values."""


class DataDependentOutputException(RuntimeError):
    """The error of an operator whose result depends on values."""


FakeTensor = _absent_class(__name__, "FakeTensor", _WITHOUT)
FakeTensorMode = _absent_class(__name__, "FakeTensorMode", _WITHOUT)
FakeTensorConverter = _absent_class(__name__, "FakeTensorConverter", _WITHOUT)
globals().update(
    _answering(
        __name__,
        {"is_fake": False, "maybe_get_fake_mode": None, "unset_fake_temporarily": None},
        "fake tensors",
    )
)
