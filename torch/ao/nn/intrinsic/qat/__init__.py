"""Sequences of layers with rounded weights, for training."""

from torch.ao.nn.intrinsic.qat.modules import *  # noqa: F403
from torch.ao.nn.intrinsic.qat.modules import __all__
