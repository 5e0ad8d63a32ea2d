"""The CPU capability that kernels use."""

from torch import _C


def get_cpu_capability():
    """'DEFAULT', 'AVX2' or 'AVX512'."""
    return _C._get_cpu_capability()
