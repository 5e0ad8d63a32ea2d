"""Intel's MKL, which can provide BLAS."""

from torch import _C

VERBOSE_OFF = 0
VERBOSE_ON = 1


def is_available():
    """Return whether this build uses MKL for BLAS.

    Example:
        >>> isinstance(torch.backends.mkl.is_available(), bool)
        True
    """
    return _C.has_mkl


class verbose:
    """Context manager during which MKL would print its calls; this build leaves it quiet.

    Args:
        enable: VERBOSE_OFF or VERBOSE_ON.

    Example:
        >>> with torch.backends.mkl.verbose(torch.backends.mkl.VERBOSE_OFF):
        ...     pass
    """

    def __init__(self, enable):
        self.enable = enable

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False
