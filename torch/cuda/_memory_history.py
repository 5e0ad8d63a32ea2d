"""Where the memory of CUDA devices was allocated, and what happened to it: recording, snapshots, files."""

from __future__ import annotations

import pickle
import sys
from typing import Any

from torch import _C
from torch.cuda import _lazy
from torch.cuda._devices import Device

# In the order of the C++ enumerations.
_LEVELS = (None, "state", "alloc", "all")
_ACTIONS = (
    "alloc",
    "free_requested",
    "free_completed",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
    "snapshot",
    "oom",
)


def _choose(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    if value not in choices:
        known = ", ".join(map(repr, choices))
        msg = f"{name} is {value!r}, but must be one of {known}"
        raise RuntimeError(msg)


def _record_memory_history(
    enabled: str | None = "all",
    context: str | None = "all",
    stacks: str = "all",
    max_entries: int = sys.maxsize,
    device: Device = None,
    clear_history: bool = False,
    compile_context: bool = False,
    global_record_annotations: bool = False,
    skip_actions: list[str] | None = None,
) -> None:
    """Record which Python code allocates memory, for `_snapshot()`, or stop that.

    Args:
        enabled: None stops. "state" describes the memory that is in use; "all" also keeps a trace of
            all allocations and what became of them.
        context: Whose stacks are recorded: none (None), those of memory that is in use ("state"),
            also those of the trace's allocations ("alloc"), or of everything in the trace ("all").
        stacks: "python" or "all". Both mean Python's calls; frames of C++ are not recorded.
        max_entries: How many entries to keep for each device; the oldest entries are dropped.
        device: Not used: all devices are recorded.
        clear_history: Whether to forget the traces of before.
        compile_context: Not used: nothing is compiled.
        global_record_annotations: Not used: annotations of the profiler are not recorded.
        skip_actions: Actions that are left out of the trace, such as "free_requested".

    Example:
        >>> torch.cuda.memory._record_memory_history(max_entries=100000)  # doctest: +SKIP
        >>> torch.cuda.memory._dump_snapshot("memory.pickle")  # doctest: +SKIP
    """
    _choose("enabled", enabled, (None, "state", "all"))
    _choose("context", context, _LEVELS)
    _choose("stacks", stacks, ("python", "all"))
    for action in skip_actions or ():
        _choose("skip_actions", action, _ACTIONS)
    _lazy.lazy_init()
    _C._cuda_recordMemoryHistory(
        None if enabled is None else _LEVELS.index(context),
        max_entries if enabled == "all" else 0,
        clear_history,
        tuple(map(_ACTIONS.index, skip_actions or ())),
    )


def _snapshot(device: Device = None, augment_with_fx_traces: bool = False) -> dict[str, Any]:
    """Return all segments and blocks of all devices, and what was recorded of them.

    Args:
        device: Not used: the snapshot has all devices.
        augment_with_fx_traces: Must be False.

    Returns:
        A dictionary with the lists "segments" and "device_traces", and with "allocator_settings".

    Example:
        >>> torch.cuda.memory._snapshot()["segments"]  # doctest: +SKIP
    """
    if augment_with_fx_traces:
        msg = "augment_with_fx_traces is not supported: code of torch.fx keeps no traces"
        raise NotImplementedError(msg)
    _lazy.lazy_init()
    return _C._cuda_memorySnapshot()


def _dump_snapshot(
    filename: str = "dump_snapshot.pickle", augment_with_fx_traces: bool = False
) -> None:
    """Write `_snapshot()` to a file that PyTorch's viewers of memory read.

    Args:
        filename: The file to write.
        augment_with_fx_traces: Must be False.

    Example:
        >>> torch.cuda.memory._dump_snapshot("memory.pickle")  # doctest: +SKIP
    """
    snapshot = _snapshot(augment_with_fx_traces=augment_with_fx_traces)
    with open(filename, "wb") as file:
        pickle.dump(snapshot, file)


def _set_memory_metadata(metadata: str) -> None:
    """Give the entries of the trace a text from now on, such as the phase of a training step.

    Args:
        metadata: The text; an empty one ends it.

    Example:
        >>> torch.cuda.memory._set_memory_metadata("forward")  # doctest: +SKIP
    """
    _lazy.require_build()
    _C._cuda_setMemoryMetadata(metadata)


def _get_memory_metadata() -> str:
    """Return the text that `_set_memory_metadata` set.

    Example:
        >>> torch.cuda.memory._get_memory_metadata()  # doctest: +SKIP
        'forward'
    """
    _lazy.require_build()
    return _C._cuda_getMemoryMetadata()
