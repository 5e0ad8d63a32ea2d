"""Reports about how torch was built."""

from torch import _C


def show():
    """Return a readable report of the compiler, the libraries and the CPU capability in use.

    Example:
        >>> report = torch.__config__.show()
        >>> "CPU capability usage" in report
        True
    """
    return _C._show_config()


def parallel_info():
    """Return a readable report of the threading backend and its settings.

    Example:
        >>> print(torch.__config__.parallel_info())
        ATen/Parallel:
            at::get_num_threads() : ...
    """
    return _C._parallel_info()
