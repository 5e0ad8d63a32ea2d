"""Which worker of a DataLoader the current process is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class WorkerInfo:
    """The number of a worker, how many there are, its seed, and its copy of the data set."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_worker_info: WorkerInfo | None = None


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
    return _worker_info


def set_worker_info(info: WorkerInfo) -> None:
    """Declare this process a worker."""
    global _worker_info
    _worker_info = info
