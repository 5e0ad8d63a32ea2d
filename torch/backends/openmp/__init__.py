"""OpenMP."""

from torch import _C


def is_available():
    """Whether this build runs its parallel loops on OpenMP."""
    return _C.has_openmp
