"""Instance normalisation, under the module by which other packages import it."""

from torch.nn.modules.batchnorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]
