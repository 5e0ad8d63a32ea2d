"""NNPACK, which this build does not use."""

from torch.backends._flags import setter_and_context as _setter_and_context

enabled = False

set_flags, flags = _setter_and_context(__name__, ("enabled",))


def is_available():
    """Return False, as this build does not use NNPACK.

    Example:
        >>> isinstance(torch.backends.nnpack.is_available(), bool)
        True
    """
    return False
