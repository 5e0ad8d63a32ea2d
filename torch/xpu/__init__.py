"""The functions that programs call to find out whether Intel's GPUs exist. This build has none."""

from torch import _absent
from torch._lazy_attributes import import_at_use as _import_at_use

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from torch._C._late_xpu import *  # noqa: F403

_MODULE = "torch.xpu"
_WITHOUT = "Torch not compiled with XPU enabled"

Event, Stream, MemPool, XPUGraph, XPUPluggableAllocator = (
    _absent.absent_class(_MODULE, name, _WITHOUT)
    for name in ("Event", "Stream", "MemPool", "XPUGraph", "XPUPluggableAllocator")
)
StreamContext = device = device_of = graph = stream = _absent.absent_context
default_generators = ()

globals().update(
    _absent.answering(
        _MODULE,
        {
            "device_count": 0,
            "empty_cache": None,
            "get_arch_list": [],
            "get_gencode_flags": "",
            "get_rng_state_all": [],
            "is_available": False,
            "is_bf16_supported": False,
            "is_initialized": False,
            "is_tf32_supported": False,
            "manual_seed": None,
            "manual_seed_all": None,
            "max_memory_allocated": 0,
            "max_memory_reserved": 0,
            "memory_allocated": 0,
            "memory_reserved": 0,
            "memory_snapshot": [],
            "memory_stats": {},
            "memory_stats_as_nested_dict": {},
            "reset_accumulated_memory_stats": None,
            "reset_peak_memory_stats": None,
            "seed": None,
            "seed_all": None,
        },
        "XPU device",
    )
)
globals().update(
    _absent.refusing(
        _MODULE,
        (
            "can_device_access_peer",
            "change_current_allocator",
            "clock_rate",
            "current_device",
            "current_stream",
            "device_memory_used",
            "get_device_capability",
            "get_device_name",
            "get_device_properties",
            "get_per_process_memory_fraction",
            "get_rng_state",
            "get_stream_from_external",
            "graph_pool_handle",
            "init",
            "initial_seed",
            "is_current_stream_capturing",
            "make_graphed_callables",
            "mem_get_info",
            "memory_usage",
            "power_draw",
            "set_device",
            "set_per_process_memory_fraction",
            "set_rng_state",
            "set_rng_state_all",
            "set_stream",
            "synchronize",
            "temperature",
            "use_mem_pool",
            "utilization",
        ),
        AssertionError,
        _WITHOUT,
    )
)


def _is_in_bad_fork():
    return False


__getattr__ = _import_at_use(__name__)
