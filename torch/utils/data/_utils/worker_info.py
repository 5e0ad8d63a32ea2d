"""Which worker of a DataLoader the current process is."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class WorkerInfo:
    """The number of a worker, how many there are, its seed, and its copy of the data set.

    `rng` is None and `worker_method` "multiprocessing": workers are processes, whose generators are
    their own.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


def get_worker_info() -> WorkerInfo | None:
    """Describe the DataLoader worker that runs in this process.

    Returns:
        An object with the attributes `id`, `num_workers`, `seed` and `dataset`; None in the main
        process.

    Example:
        >>> from torch.utils.data import get_worker_info
        >>> info = get_worker_info()
        >>> first, step = (0, 1) if info is None else (info.id, info.num_workers)
        >>> list(range(first, 4, step))  # the samples of this worker
        [0, 1, 2, 3]
    """
    # Libraries with worker processes of their own assign it there.
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return None if worker is None else worker._worker_info
