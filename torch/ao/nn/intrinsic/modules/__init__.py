"""The sequences of layers of `torch.ao.nn.intrinsic`."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.intrinsic.modules.fused import *  # noqa: F403
from torch.ao.nn.intrinsic.modules.fused import __all__, _FusedModule

__getattr__ = _import_at_use(__name__)
