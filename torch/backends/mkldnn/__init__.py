"""Settings of oneDNN (MKLDNN), which this build does not use.

`enabled` says whether convolutions of float32 on the CPU may be computed by tiles of the images, with
fewer multiplications and other rounding errors, and whether the processor's tile unit may multiply
matrices of bfloat16 and int8.
"""

import sys as _sys
import types as _types

from torch import _C
from torch.backends._flags import setter_and_context as _setter_and_context

VERBOSE_OFF = 0
VERBOSE_ON = 1
VERBOSE_ON_CREATION = 2

deterministic = False
allow_tf32 = True
fp32_precision = "none"


class _Module(_types.ModuleType):
    @property
    def enabled(self):
        return _C._get_mkldnn_enabled()

    @enabled.setter
    def enabled(self, on):
        _C._set_mkldnn_enabled(on)


_sys.modules[__name__].__class__ = _Module

set_flags, flags = _setter_and_context(
    __name__, ("enabled", "deterministic", "allow_tf32", "fp32_precision")
)


def is_available():
    """Return False, as this build has its own convolutions instead of oneDNN's.

    Example:
        >>> isinstance(torch.backends.mkldnn.is_available(), bool)
        True
    """
    return False


def is_acl_available():
    """Return False, as this build does not use the Arm Compute Library.

    Example:
        >>> torch.backends.mkldnn.is_acl_available()
        False
    """
    return False


class verbose:
    """Context manager during which oneDNN would print its calls; this build does not have it.

    Args:
        level: VERBOSE_OFF, VERBOSE_ON or VERBOSE_ON_CREATION.

    Example:
        >>> with torch.backends.mkldnn.verbose(torch.backends.mkldnn.VERBOSE_OFF):
        ...     pass
    """

    def __init__(self, level):
        self.level = level

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


m = _sys.modules[__name__]
