"""Settings of opt_einsum, with which torch.einsum may choose the order of its products."""

import importlib.util as _util

from torch.backends._flags import setter_and_context as _setter_and_context


def is_available():
    """Return whether the package opt_einsum is installed.

    Example:
        >>> isinstance(torch.backends.opt_einsum.is_available(), bool)
        True
    """
    return _util.find_spec("opt_einsum") is not None


def get_opt_einsum():
    """Return the package opt_einsum, or None if it is not installed.

    Example:
        >>> package = torch.backends.opt_einsum.get_opt_einsum()
        >>> (package is not None) == torch.backends.opt_einsum.is_available()
        True
    """
    if not is_available():
        return None
    import opt_einsum

    return opt_einsum


enabled = is_available()
strategy = "auto" if enabled else None

set_flags, flags = _setter_and_context(__name__, ("enabled", "strategy"))
