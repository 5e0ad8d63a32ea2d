"""How this torch was built."""

from torch import _C


def show():
    """The compiler, the libraries and the CPU capability in use, as text for people."""
    return _C._show_config()


def parallel_info():
    """The threading backend and its settings."""
    return _C._parallel_info()
