"""The capacity of the machine: cores, memory, parallel jobs, and the memory that each kind of job needs."""

from __future__ import annotations

from .cores import usable_cores
from .figures import Figures, learn, read_figures
from .jobs import Jobs, configured_pools, job_count, pool_depths, pool_limits
from .memory import free_memory_mb, memory_limit_mb, oom_kills

__all__ = [
    "Figures",
    "Jobs",
    "configured_pools",
    "free_memory_mb",
    "job_count",
    "learn",
    "memory_limit_mb",
    "oom_kills",
    "pool_depths",
    "pool_limits",
    "read_figures",
    "usable_cores",
]
