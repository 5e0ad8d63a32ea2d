"""The layers of `torch.ao.nn.qat.dynamic`."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.ao.nn.qat.dynamic.modules.linear import Linear

__all__ = ["Linear"]

__getattr__ = _import_at_use(__name__)
