"""multiprocessing whose processes share the memory of tensors that they send to each other.

Everything of Python's multiprocessing is here under its name, and `spawn`. Importing this module
registers the reductions: from then on queues and pipes send tensors' memory by reference.
"""

import multiprocessing as _multiprocessing
from multiprocessing import *  # noqa: F403

from torch._C import _prctl_pr_set_pdeathsig
from torch.multiprocessing.reductions import init_reductions
from torch.multiprocessing.spawn import (
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
