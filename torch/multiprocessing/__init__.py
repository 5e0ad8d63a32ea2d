"""Python's multiprocessing, with processes that share the memory of the tensors they exchange.

All names of multiprocessing are available here, and `spawn`. Importing this module registers the
reductions, so that queues and pipes send references to a tensor's memory.
"""

import multiprocessing as _multiprocessing
from multiprocessing import *  # noqa: F403

from torch._C import _get_thread_name, _prctl_pr_set_pdeathsig, _set_thread_name
from torch._lazy_attributes import import_at_use as _import_at_use
from torch.multiprocessing.reductions import init_reductions
from torch.multiprocessing.spawn import (
    ENV_VAR_PARALLEL_START,
    ProcessContext,
    ProcessExitedException,
    ProcessRaisedException,
    SpawnContext,
    spawn,
    start_processes,
)
from torch.multiprocessing.strategy import (
    get_all_sharing_strategies,
    get_sharing_strategy,
    set_sharing_strategy,
)

__all__ = [
    "ENV_VAR_PARALLEL_START",
    "ProcessContext",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
    *_multiprocessing.__all__,
]

init_reductions()

__getattr__ = _import_at_use(__name__)
