"""OpenMP, which can run parallel loops."""

from torch import _C


def is_available():
    """Return whether this build runs parallel loops with OpenMP.

    Example:
        >>> isinstance(torch.backends.openmp.is_available(), bool)
        True
    """
    return _C.has_openmp
