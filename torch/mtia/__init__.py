"""The functions that programs call to find out whether MTIA exists. This build has none."""

from torch import _absent
from torch._lazy_attributes import import_at_use as _import_at_use

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_mtia import *  # noqa: F403

_MODULE = "torch.mtia"

MTIAGraph = _absent.absent_class(_MODULE, "MTIAGraph", "Torch not compiled with MTIA enabled.")
device = graph = stream = _absent.absent_context

globals().update(
    _absent.answering(
        _MODULE,
        {
            "device_count": 0,
            "get_rng_state_all": [],
            "is_available": False,
            "is_bf16_supported": True,
            "is_initialized": False,
            "manual_seed": None,
            "manual_seed_all": None,
            "max_memory_allocated": 0,
            "memory_allocated": 0,
            "memory_stats": {},
            "record_memory_history": None,
            "reset_peak_memory_stats": None,
            "seed": None,
            "seed_all": None,
        },
        "MTIA device",
    )
)
globals().update(
    _absent.refusing(
        _MODULE,
        (
            "attach_out_of_memory_observer",
            "current_device",
            "current_stream",
            "default_stream",
            "empty_cache",
            "get_device_capability",
            "get_device_properties",
            "graph_pool_handle",
            "set_device",
            "set_stream",
            "snapshot",
            "synchronize",
        ),
        RuntimeError,
        "Cannot execute {name}() without MTIA backend.",
    )
)
globals().update(
    _absent.refusing(
        _MODULE,
        ("get_rng_state", "init", "initial_seed", "set_rng_state", "set_rng_state_all"),
        AssertionError,
        "Torch not compiled with MTIA enabled.",
    )
)


def _is_in_bad_fork():
    return False


__getattr__ = _import_at_use(__name__)
