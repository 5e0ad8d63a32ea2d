"""Metrics of the lazy device: counters of events, and samples of sizes and times.

| counter | how often |
|---|---|
| `CachedCompile`, `UncachedCompile` | a graph was found among the compiled ones, or was compiled |
| `MarkStep` | `torch._lazy.mark_step` was called |
| `lazy::NAME` | the operator was recorded |
| `aten::NAME` | the operator, which has no node, ran on the CPU |
| `CreateLtcTensor`, `DestroyLtcTensor` | a tensor that is no view was made, or freed |
| `DeviceDataUpload` | a tensor was copied to the device |
"""

from __future__ import annotations

from torch._lazy import _bindings

__all__ = ["counter_names", "counter_value", "metrics_report", "reset"]


def reset() -> None:
    """Forget the samples and set all counters to zero."""
    _bindings()._reset_metrics()


def counter_names() -> list[str]:
    """Return the names of the counters that are not zero, in order."""
    names: list[str] = _bindings()._counter_names()
    return names


def counter_value(name: str) -> int | None:
    """Return the value of a counter, or None if nothing has counted under this name."""
    value: int | None = _bindings()._counter_value(name)
    return value


def metrics_report() -> str:
    """Return the samples and the counters as text."""
    report: str = _bindings()._metrics_report()
    return report
