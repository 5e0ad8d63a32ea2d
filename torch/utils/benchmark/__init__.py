"""Time statements: Timer, Measurement and Compare."""

from __future__ import annotations

from torch.utils.benchmark._common import (
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    set_torch_threads,
    trim_sigfig,
    unit_to_english,
)
from torch.utils.benchmark._compare import Compare
from torch.utils.benchmark._timer import Timer, timer

__all__ = [
    "Compare",
    "Measurement",
    "TaskSpec",
    "Timer",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "timer",
    "trim_sigfig",
    "unit_to_english",
]
