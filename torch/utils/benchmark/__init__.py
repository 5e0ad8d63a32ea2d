"""Time statements: Timer, Measurement and Compare."""

from __future__ import annotations

from torch._lazy_attributes import import_at_use as _import_at_use
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
from torch.utils.benchmark._counts import (
    CallgrindStats,
    CopyIfCallgrind,
    FunctionCount,
    FunctionCounts,
)
from torch.utils.benchmark._fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from torch.utils.benchmark._timer import Timer, timer

__all__ = [
    "CallgrindStats",
    "Compare",
    "CopyIfCallgrind",
    "FunctionCount",
    "FunctionCounts",
    "FuzzedParameter",
    "FuzzedTensor",
    "Fuzzer",
    "Measurement",
    "ParameterAlias",
    "TaskSpec",
    "Timer",
    "ordered_unique",
    "select_unit",
    "set_torch_threads",
    "timer",
    "trim_sigfig",
    "unit_to_english",
]

__getattr__ = _import_at_use(__name__)
