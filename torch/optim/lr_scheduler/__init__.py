"""Learning rate schedulers."""

from torch._published import publish_all as _publish_all
from torch.optim.lr_scheduler._base import (
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    _enable_get_lr_call,
)
from torch.optim.lr_scheduler._combined import ChainedScheduler, SequentialLR
from torch.optim.lr_scheduler._cyclic import (
    CosineAnnealingWarmRestarts,
    CyclicLR,
    OneCycleLR,
)
from torch.optim.lr_scheduler._plateau import ReduceLROnPlateau
from torch.optim.lr_scheduler._schedules import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)

_enable_get_lr_call = _enable_get_lr_call  # for schedulers of libraries
_LRScheduler = LRScheduler  # its name before 2.0

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

_publish_all(globals(), __all__)
