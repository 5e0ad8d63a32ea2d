"""Where memory was allocated: recorded stacks, traces, snapshots and their files."""

from __future__ import annotations

import gc
import pickle
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import torch
from torch.cuda.memory import (
    _dump_snapshot,
    _get_memory_metadata,
    _record_memory_history,
    _set_memory_metadata,
    _snapshot,
)

MIB = 1 << 20


@pytest.fixture(autouse=True)
def nothing_recorded() -> Iterator[None]:
    """Begin with an empty cache and trace, and stop recording in the end."""
    gc.collect()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    _record_memory_history(None, clear_history=True)
    yield
    _record_memory_history(None, clear_history=True)


def allocate_here(elements: int = 1000) -> torch.Tensor:
    return torch.empty(elements, device="cuda")


def block_of(tensor: torch.Tensor) -> dict[str, Any]:
    """Return the block of a snapshot that holds a tensor."""
    blocks = [block for segment in _snapshot()["segments"] for block in segment["blocks"]]
    [block] = [block for block in blocks if block["address"] == tensor.data_ptr()]
    return block


def trace() -> list[dict[str, Any]]:
    """Return the trace of the first device, without snapshots."""
    return [entry for entry in _snapshot()["device_traces"][0] if entry["action"] != "snapshot"]


def test_a_block_names_the_code_that_allocated_it() -> None:
    before = allocate_here()
    _record_memory_history("state")
    after = allocate_here()
    assert block_of(before)["frames"] == []
    innermost, caller = block_of(after)["frames"][:2]
    assert innermost["name"] == "allocate_here"
    assert innermost["filename"] == __file__
    assert innermost["line"] == allocate_here.__code__.co_firstlineno + 1
    assert caller["name"] == "test_a_block_names_the_code_that_allocated_it"
    assert _snapshot()["device_traces"][0] == []


def test_a_trace_tells_what_became_of_memory() -> None:
    _record_memory_history()
    _set_memory_metadata("first part")
    assert _get_memory_metadata() == "first part"
    # Too large for what earlier tests may have left free in a segment of 20 MiB.
    tensor = allocate_here(8 * MIB)
    address = tensor.data_ptr()
    _set_memory_metadata("")
    del tensor
    torch.cuda.empty_cache()
    with pytest.raises(torch.OutOfMemoryError):
        allocate_here(1 << 40)
    entries = trace()
    assert [entry["action"] for entry in entries] == [
        "segment_alloc", "alloc", "free_requested", "free_completed", "segment_free", "oom",
    ]  # fmt: skip
    assert {entry["addr"] for entry in entries[:-1]} == {address}
    assert {entry["size"] for entry in entries[:-1]} == {32 * MIB}
    assert [entry["user_metadata"] for entry in entries[:3]] == ["first part", "first part", ""]
    for entry in (entries[1], entries[-1]):
        assert entry["frames"][0]["name"] == "allocate_here"
    assert entries[-1]["size"] == 1 << 42
    assert 0 < entries[-1]["device_free"] <= torch.cuda.mem_get_info()[1]
    times = [entry["time_us"] for entry in entries]
    assert times == sorted(times)


def test_a_trace_may_be_limited() -> None:
    _record_memory_history(max_entries=3, skip_actions=["free_requested", "snapshot"])
    for _ in range(4):
        allocate_here()
    assert [entry["action"] for entry in _snapshot()["device_traces"][0]] == [
        "free_completed", "alloc", "free_completed",
    ]  # fmt: skip
    _record_memory_history(None)
    allocate_here()
    assert len(_snapshot()["device_traces"][0]) == 3
    _record_memory_history(None, clear_history=True)
    assert _snapshot()["device_traces"][0] == []


@pytest.mark.parametrize(
    ("context", "alloc", "free", "block"),
    [
        (None, False, False, False),
        ("state", False, False, True),
        ("alloc", True, False, True),
        ("all", True, True, True),
    ],
)
def test_contexts_are_recorded_where_they_are_wanted(
    context: str | None, alloc: bool, free: bool, block: bool
) -> None:
    _record_memory_history(context=context, stacks="python")
    kept = allocate_here()
    assert bool(block_of(kept)["frames"]) is block
    del kept
    by_action = {entry["action"]: bool(entry["frames"]) for entry in trace()}
    assert by_action["alloc"] is alloc
    assert by_action["free_requested"] is by_action["free_completed"] is free


def test_threads_without_python_are_recorded_without_stacks() -> None:
    _record_memory_history()
    weight = torch.ones(1000, device="cuda", requires_grad=True)
    (weight * weight).sum().backward()  # its kernels run in a thread of the engine
    torch.cuda.synchronize()
    actions = {entry["action"] for entry in trace()}
    assert {"alloc", "free_completed"} <= actions


def test_several_threads_record_at_once() -> None:
    _record_memory_history(max_entries=50)

    def work() -> None:
        for _ in range(50):
            allocate_here(100)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(_snapshot()["device_traces"][0]) == 50


def test_a_free_keeps_the_exception_that_is_on_its_way() -> None:
    _record_memory_history()

    def fails() -> None:
        kept = allocate_here()
        assert kept.is_cuda
        msg = "expected"
        raise ValueError(msg)

    with pytest.raises(ValueError, match="expected"):
        fails()


def test_a_snapshot_is_written_to_a_file(tmp_path: Path) -> None:
    _record_memory_history()
    kept = allocate_here()
    path = tmp_path / "snapshot.pickle"
    _dump_snapshot(str(path))
    read = pickle.loads(path.read_bytes())
    assert {"segments", "device_traces", "allocator_settings"} <= set(read)
    assert read["allocator_settings"]["expandable_segments"] is False
    [segment] = [s for s in read["segments"] if s["allocated_size"] == 4096]
    assert segment["frames"][0]["name"] == "allocate_here"
    assert kept.nbytes == 4000


def test_a_pool_has_a_snapshot_of_its_own() -> None:
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        inside = allocate_here()
    outside = allocate_here()
    segments = torch.cuda.memory_snapshot(pool.id, include_traces=False)
    assert segments == pool.snapshot(include_traces=False)
    assert [segment["allocated_size"] for segment in segments] == [4096]
    assert len(torch.cuda.memory_snapshot()) > 1
    name = "_".join(map(str, pool.id))
    stats = torch.cuda.memory_stats()
    assert stats[f"reserved_bytes_by_private_pools.{name}.all.current"] == 2 * MIB
    assert inside.nbytes == outside.nbytes


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"enabled": "everything"}, "enabled"),
        ({"context": "some"}, "context"),
        ({"stacks": "cpp"}, "stacks"),
        ({"skip_actions": ["malloc"]}, "skip_actions"),
    ],
)
def test_unknown_choices_are_errors(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(RuntimeError, match=f"{name} is .*, but must be one of"):
        _record_memory_history(**arguments)


def test_traces_of_fx_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="augment_with_fx_traces"):
        _snapshot(augment_with_fx_traces=True)
