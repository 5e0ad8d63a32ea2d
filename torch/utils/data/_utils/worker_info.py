"""What a worker process knows about itself."""

from __future__ import annotations

from typing import Any


class WorkerInfo:
    """The worker's id among num_workers, its seed, and its copy of the data set."""

    __initialized = False

    def __init__(self, **values: Any) -> None:
        for name, value in values.items():
            setattr(self, name, value)
        self.__names = tuple(values)
        self.__initialized = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__initialized:
            raise RuntimeError(f"Cannot assign attributes to {type(self).__name__} objects")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)}" for name in self.__names)
        return f"{type(self).__name__}({values})"


_worker_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Which worker of a DataLoader this process is; None in the main process."""
    return _worker_info


def set_worker_info(info: WorkerInfo) -> None:
    """Makes this process a worker."""
    global _worker_info
    _worker_info = info
