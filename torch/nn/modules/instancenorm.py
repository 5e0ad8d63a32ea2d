"""Instance normalisation, under the module by which other packages import it."""

from torch.nn.modules.batchnorm import (
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    _InstanceNorm,
    _NormBase,
)

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]

_InstanceNorm, _NormBase = _InstanceNorm, _NormBase  # libraries subclass them
