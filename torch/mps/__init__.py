"""The functions that programs call to find out whether Metal (MPS) exists. This build has none."""

from torch import _absent
from torch._lazy_attributes import import_at_use as _import_at_use

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_mps import *  # noqa: F403

_MODULE = "torch.mps"
_WITHOUT = "Cannot execute {name}() without MPS backend."

Event = _absent.absent_class(_MODULE, "Event", "Cannot make an Event without MPS backend.")


def manual_seed(seed):
    """Do nothing, as there is no MPS generator to seed.

    Example:
        >>> torch.mps.manual_seed(0)
    """


globals().update(
    _absent.answering(_MODULE, {"device_count": 0, "is_available": False}, "MPS device")
)
globals().update(
    _absent.refusing(
        _MODULE,
        (
            "compile_shader",
            "current_allocated_memory",
            "driver_allocated_memory",
            "empty_cache",
            "get_rng_state",
            "load_metallib",
            "recommended_max_memory",
            "seed",
            "set_per_process_memory_fraction",
            "set_rng_state",
            "synchronize",
        ),
        RuntimeError,
        _WITHOUT,
    )
)


def _is_in_bad_fork():
    return False


__getattr__ = _import_at_use(__name__)
