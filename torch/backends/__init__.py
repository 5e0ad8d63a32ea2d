"""The capabilities of the CPU and of the libraries in this build."""

from torch._lazy_attributes import import_at_use as _import_at_use
from torch.backends import cpu, cuda, openmp

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_backends import *  # noqa: F403

__all__ = ["cpu", "cuda", "disable_global_flags", "flags_frozen", "openmp"]

_flags_are_frozen = False


def flags_frozen() -> bool:
    """Return whether the settings of cuDNN can be changed only by its context manager `flags`.

    Example:
        >>> torch.backends.flags_frozen()
        False
    """
    return _flags_are_frozen


def disable_global_flags() -> None:
    """Make it an error to set attributes of `torch.backends.cudnn`, for the rest of the program.

    Example:
        >>> torch.backends.disable_global_flags()  # doctest: +SKIP
    """
    global _flags_are_frozen
    _flags_are_frozen = True


__getattr__ = _import_at_use(__name__)
