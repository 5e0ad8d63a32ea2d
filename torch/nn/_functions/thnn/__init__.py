"""Autograd functions over the legacy kernels, in a build with BUILD_LEGACY_NN=ON."""

from torch.nn._functions.thnn.auto import *  # noqa: F403
from torch.nn._functions.thnn.auto import __all__ as __all__
