"""The caching allocator through torch.cuda, and pinned memory."""

from __future__ import annotations

import gc

import pytest

import torch
from torch.utils.data import DataLoader, Dataset


@pytest.fixture(autouse=True)
def empty() -> None:
    gc.collect()  # tensors of earlier tests that stand in cycles
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()


def test_statistics_follow_tensors() -> None:
    before = torch.cuda.memory_allocated()
    x = torch.empty(1024, device="cuda")
    assert torch.cuda.memory_allocated() == before + 4096
    del x
    assert torch.cuda.memory_allocated() == before
    assert torch.cuda.max_memory_allocated() == before + 4096
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() == before
    assert torch.cuda.memory_reserved() >= 2 << 20
    torch.cuda.empty_cache()
    stats = torch.cuda.memory_stats()
    assert stats["allocated_bytes.all.current"] == before
    assert {"segment.small_pool.peak", "num_ooms", "requested_bytes.large_pool.freed"} <= set(stats)


def test_the_other_device_has_statistics_of_its_own(two_devices: None) -> None:
    before = torch.cuda.memory_allocated(0), torch.cuda.memory_allocated("cuda:1")
    kept = torch.empty(256, device="cuda:1")
    assert torch.cuda.memory_allocated(0) == before[0]
    assert torch.cuda.memory_allocated("cuda:1") == before[1] + kept.nbytes


def test_snapshot_and_summary_show_the_blocks() -> None:
    kept = torch.empty(1000, device="cuda")
    blocks = [block for segment in torch.cuda.memory_snapshot() for block in segment["blocks"]]
    mine = [block for block in blocks if block["address"] == kept.data_ptr()]
    assert [(b["size"], b["requested_size"], b["state"]) for b in mine] == [
        (4096, 4000, "active_allocated")
    ]
    for segment in torch.cuda.memory_snapshot():
        assert sum(block["size"] for block in segment["blocks"]) == segment["total_size"]
    summary = torch.cuda.memory_summary()
    assert "Allocated memory" in summary and "from small pool" in summary
    assert len({len(line) for line in summary.splitlines()}) == 1


def test_out_of_memory_is_its_own_error() -> None:
    with pytest.raises(torch.cuda.OutOfMemoryError, match="out of memory"):
        torch.empty(1 << 50, device="cuda")
    assert torch.ones(1, device="cuda").item() == 1


def test_the_share_of_a_process_is_limited() -> None:
    total = torch.cuda.mem_get_info()[1]
    torch.cuda.set_per_process_memory_fraction(0.25)
    try:
        assert torch.cuda.get_per_process_memory_fraction() == 0.25
        with pytest.raises(torch.OutOfMemoryError):
            torch.empty(total // 2, dtype=torch.uint8, device="cuda")
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    for wrong, error in ((2.0, ValueError), (1, TypeError)):
        with pytest.raises(error):
            torch.cuda.set_per_process_memory_fraction(wrong)


def test_memory_for_other_libraries() -> None:
    before = torch.cuda.memory_allocated()
    address = torch.cuda.caching_allocator_alloc(1024)
    assert torch.cuda.memory_allocated() == before + 1024
    torch.cuda.caching_allocator_delete(address)
    assert torch.cuda.memory_allocated() == before
    assert torch.cuda.get_allocator_backend() == "native"


def test_pinned_memory() -> None:
    plain = torch.arange(6.0).reshape(2, 3).t()
    pinned = plain.pin_memory()
    assert pinned.is_pinned() and not plain.is_pinned()
    assert pinned.stride() == plain.stride() and torch.equal(pinned, plain)
    assert pinned.pin_memory() is pinned
    assert torch.empty(3, pin_memory=True).is_pinned()
    there = pinned.to("cuda", non_blocking=True)
    assert not there.is_pinned()
    assert torch.equal(there.cpu(), plain)
    with pytest.raises(RuntimeError, match="only dense CPU tensors"):
        there.pin_memory()
    assert torch.cuda.host_memory_stats()["allocated_bytes.current"] > 0


def test_statistics_of_pinned_memory_can_be_reset() -> None:
    torch.accelerator.empty_host_cache()  # and ends uses of earlier tests
    torch.cuda.reset_accumulated_host_memory_stats()
    torch.cuda.reset_peak_host_memory_stats()
    before = torch.cuda.host_memory_stats()
    assert before["active_requests.allocated"] == before["host_alloc_time.count"] == 0
    assert before["active_requests.peak"] == before["active_requests.current"]
    pinned = torch.empty(1 << 22, dtype=torch.uint8, pin_memory=True)
    stats = torch.cuda.host_memory_stats()
    assert stats["active_bytes.current"] == before["active_bytes.current"] + pinned.nbytes
    del pinned
    stats = torch.cuda.host_memory_stats()
    assert stats["active_requests.current"] == before["active_requests.current"]
    assert stats["active_requests.peak"] == before["active_requests.current"] + 1
    assert stats["active_bytes.freed"] == 1 << 22
    assert {"host_alloc_time.avg", "host_free_time.total", "num_host_alloc"} <= set(stats)
    nested = torch.cuda.memory.host_memory_stats_as_nested_dict()
    assert nested["active_bytes"]["current"] == before["active_bytes.current"]


def test_statistics_name_what_is_oversize() -> None:
    torch.cuda.memory._set_allocator_settings("max_split_size_mb:32")
    try:
        large = torch.empty(40 << 20, dtype=torch.uint8, device="cuda")
        stats = torch.cuda.memory_stats()
        assert stats["max_split_size"] == 32 << 20
        assert stats["oversize_allocations.current"] == stats["oversize_segments.current"] == 1
        del large
        torch.cuda.empty_cache()
    finally:
        torch.cuda.memory._set_allocator_settings("")
    stats = torch.cuda.memory_stats()
    assert stats["max_split_size"] == -1
    assert stats["oversize_segments.current"] == 0
    assert stats["num_sync_all_streams"] > 0


def test_sizes_are_rounded_by_the_list_of_their_ranges() -> None:
    before = torch.cuda.memory_allocated()
    torch.cuda.memory._set_allocator_settings("roundup_power2_divisions:[1:1,2:4,>:8]")
    try:
        sizes = {}
        for size in (600 << 10, 1100 << 10, (4 << 20) + 1):
            kept = torch.empty(size, dtype=torch.uint8, device="cuda")
            sizes[size] = torch.cuda.memory_allocated() - before
            del kept
    finally:
        torch.cuda.memory._set_allocator_settings("")
    assert sizes == {
        600 << 10: 600 << 10,  # one step between two powers of 2 means no rounding
        1100 << 10: 1280 << 10,
        (4 << 20) + 1: (4 << 20) + (512 << 10),
    }


def test_unknown_settings_are_errors_that_name_the_known_ones() -> None:
    for text, words in {
        "split_size:3": "'split_size' is unknown. Known are backend, expandable_segments",
        "max_split_size_mb:3": "max_split_size_mb is '3', but must be a whole number of MiB",
        "backend:cudaMallocAsync": "backend is 'cudaMallocAsync', but must be native",
    }.items():
        with pytest.raises(ValueError, match=words):
            torch.cuda.memory._set_allocator_settings(text)


class Pairs(Dataset):
    """Samples of a number and its name, or an error."""

    def __init__(self, fails: bool = False) -> None:
        self.fails = fails

    def __len__(self) -> int:
        return 12

    def __getitem__(self, index: int) -> dict[str, object]:
        if self.fails:
            raise KeyError("no such sample")
        return {"x": torch.full((2,), float(index)), "name": str(index)}


@pytest.mark.parametrize("workers", [0, 2])
def test_a_data_loader_pins_its_batches_in_order(workers: int) -> None:
    batches = list(DataLoader(Pairs(), batch_size=4, num_workers=workers, pin_memory=True))
    assert all(batch["x"].is_pinned() for batch in batches)
    assert [batch["name"] for batch in batches] == [
        [str(i) for i in range(start, start + 4)] for start in (0, 4, 8)
    ]
    moved = [batch["x"].to("cuda", non_blocking=True) for batch in batches]
    assert [x[:, 0].tolist() for x in moved] == [
        [float(i) for i in range(start, start + 4)] for start in (0, 4, 8)
    ]


def test_errors_of_workers_pass_the_pinning_thread() -> None:
    with pytest.raises(KeyError, match="no such sample"):
        list(DataLoader(Pairs(fails=True), batch_size=4, num_workers=1, pin_memory=True))


class Own:
    """A batch that pins itself."""

    pinned = False

    def pin_memory(self) -> Own:
        self.pinned = True
        return self


def test_objects_may_pin_themselves() -> None:
    def collate(samples: list[object]) -> tuple[Own, list[object]]:
        return Own(), [torch.ones(1), "text"]

    own, (tensor, text) = next(iter(DataLoader(range(3), pin_memory=True, collate_fn=collate)))
    assert own.pinned and tensor.is_pinned() and text == "text"
