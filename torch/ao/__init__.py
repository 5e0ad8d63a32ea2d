"""Quantization: the parts that exist, and the names of the others."""

from __future__ import annotations

from torch._lazy_attributes import import_at_use as _import_at_use
from torch._named_parts import NamedParts as _NamedParts
from torch.ao._parts import NAMES as _NAMES

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_ao import *  # noqa: F403

_NamedParts("torch.ao", _NAMES, "{name} does not exist in this build yet").install()


__getattr__ = _import_at_use(__name__)
