"""The sequences of layers of `torch.ao.nn.intrinsic`."""

from torch.ao.nn.intrinsic.modules.fused import *  # noqa: F403
from torch.ao.nn.intrinsic.modules.fused import __all__, _FusedModule
