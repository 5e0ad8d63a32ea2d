"""Settings of data sets that are pipes, whose modules are only used if the program imported them."""

from __future__ import annotations

import sys
from typing import Any


def pipe_settings(dataset: Any) -> Any:
    """Return the module that sets up a pipe; None if a data set is none."""
    if "torch.utils.data.datapipes.datapipe" not in sys.modules:
        return None
    from torch.utils.data.datapipes import _settings

    return _settings if _settings.is_pipe(dataset) else None


def start_pass(dataset: Any, seed: int | None, workers: int = 1, worker: int = 0) -> None:
    """Prepare a data set for the next pass if it is a pipe."""
    settings = None if seed is None else pipe_settings(dataset)
    if settings is not None:
        settings.start_pass(dataset, seed, workers, worker)
