"""Storages on CUDA devices are written to files and read from them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import torch
from torch.cuda.gds import GdsFile, gds_deregister_buffer, gds_register_buffer


def test_storages_are_saved_and_loaded_at_offsets(tmp_path: Path) -> None:
    sources = [torch.randn(1024, device="cuda"), torch.randn(2, 1024, device="cuda")]
    file = GdsFile(str(tmp_path / "x.bin"), os.O_CREAT | os.O_RDWR)
    file.save_storage(sources[0].untyped_storage(), offset=0)
    file.save_storage(sources[1].untyped_storage(), offset=sources[0].nbytes)
    assert (tmp_path / "x.bin").stat().st_size == sum(source.nbytes for source in sources)
    targets = [torch.empty_like(source) for source in sources]
    file.load_storage(targets[1].untyped_storage(), offset=targets[0].nbytes)
    file.load_storage(targets[0].untyped_storage())
    assert all(map(torch.equal, sources, targets))


def test_a_file_that_is_too_short_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(bytes(10))
    target = torch.ones(4, device="cuda")
    file = GdsFile(str(tmp_path / "x.bin"), os.O_RDONLY)
    with pytest.raises(RuntimeError, match="has only 10 of 16 bytes at offset 0"):
        file.load_storage(target.untyped_storage())
    assert target.tolist() == [1.0] * 4


def test_a_file_may_be_closed_to_reads_for_a_while(tmp_path: Path) -> None:
    storage = torch.ones(4, device="cuda").untyped_storage()
    file = GdsFile(str(tmp_path / "x.bin"), os.O_CREAT | os.O_RDWR)
    file.deregister_handle()
    with pytest.raises(RuntimeError, match="Cannot save storage when handle is not registered"):
        file.save_storage(storage)
    with pytest.raises(RuntimeError, match="not registered"):
        file.deregister_handle()
    file.register_handle()
    file.save_storage(storage)
    with pytest.raises(RuntimeError, match="already registered"):
        file.register_handle()


def test_storages_of_the_host_are_refused() -> None:
    gds_register_buffer(torch.ones(4, device="cuda").untyped_storage())
    for function in (gds_register_buffer, gds_deregister_buffer):
        with pytest.raises(RuntimeError, match="on a CUDA device, but this one is on cpu"):
            function(torch.ones(4).untyped_storage())
