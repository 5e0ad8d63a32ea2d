"""What a worker process knows about itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class WorkerInfo:
    """The worker's id among num_workers, its seed, and its copy of the data set."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Which worker of a DataLoader this process is; None in the main process."""
    return _worker_info


def set_worker_info(info: WorkerInfo) -> None:
    """Makes this process a worker."""
    global _worker_info
    _worker_info = info
