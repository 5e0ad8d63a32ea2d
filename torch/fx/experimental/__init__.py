"""Traces of operators, and the interface of symbolic shapes."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch._named_parts import NamedParts as _NamedParts
from torch.fx.experimental._parts import NAMES as _NAMES

_NamedParts(
    "torch.fx.experimental",
    _NAMES,
    "{name} does not exist in this build",
    NotImplementedError,
).install()

__getattr__ = _import_at_use(__name__)
