"""Tensors sent between processes share their memory, by file descriptor or by name."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import pytest
from waiting import becomes_true

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, TensorDataset


@pytest.fixture(params=["file_descriptor", "file_system"])
def strategy(request: pytest.FixtureRequest) -> Iterator[str]:
    """Sets each sharing strategy in turn."""
    mp.set_sharing_strategy(request.param)
    yield request.param
    mp.set_sharing_strategy("file_descriptor")


def names() -> set[str]:
    """Return the names of this library's objects in shared memory."""
    return {path.name for path in Path("/dev/shm").glob("torch_*")}


def descriptors() -> int:
    """Return the number of open files of this process."""
    return len(os.listdir("/proc/self/fd"))


def add_one(pipe: Connection) -> None:
    """Add one in place to each received tensor, and reply with a new tensor."""
    received = pipe.recv()
    for tensor in received if isinstance(received, list) else [received]:
        tensor.data.add_(1)
    pipe.send(torch.full((3,), 7.0))
    pipe.recv()  # wait until the reply has been received


def exchange(value: Any, method: str = "fork") -> torch.Tensor:
    """Send the value to add_one in another process and return the reply."""
    context = mp.get_context(method)
    our_tensor, their_tensor = context.Pipe()
    process = context.Process(target=add_one, args=(their_tensor,), daemon=True)
    process.start()
    our_tensor.send(value)
    answer = our_tensor.recv()
    our_tensor.send(None)
    process.join(10)
    assert process.exitcode == 0
    return answer


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_process_writes_into_our_memory(strategy: str, method: str) -> None:
    tensor = torch.arange(6.0).view(2, 3).t()
    answer = exchange(tensor, method)
    assert tensor.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert tensor.is_shared() and answer.tolist() == [7, 7, 7]


def test_views_of_one_storage_stay_together(strategy: str) -> None:
    whole = torch.zeros(4)
    exchange([whole, whole[1:3]])
    assert whole.tolist() == [1, 2, 2, 1]
    sent, received = (
        [whole, whole[1:]],
        ForkingPickler.loads(bytes(ForkingPickler.dumps([whole, whole[1:]]))),
    )
    assert received[0].data_ptr() == sent[0].data_ptr()
    assert received[1].untyped_storage()._cdata == received[0].untyped_storage()._cdata


def test_parameters_and_storages(strategy: str) -> None:
    parameter = torch.nn.Parameter(torch.zeros(2))
    exchange(parameter)
    assert parameter.tolist() == [1, 1]
    loaded = ForkingPickler.loads(bytes(ForkingPickler.dumps(parameter)))
    assert type(loaded) is torch.nn.Parameter and loaded.requires_grad
    storage = torch.arange(3).storage()
    copy = ForkingPickler.loads(bytes(ForkingPickler.dumps(storage)))
    assert copy.tolist() == [0, 1, 2] and copy.dtype is torch.int64
    assert copy.data_ptr() == storage.data_ptr()


def test_share_memory_keeps_values_and_views(strategy: str) -> None:
    tensor = torch.arange(4)
    view = tensor[1:]
    assert not tensor.is_shared()
    assert tensor.share_memory_() is tensor
    assert tensor.is_shared() and view.is_shared() and view.tolist() == [1, 2, 3]
    address = tensor.data_ptr()
    tensor.share_memory_()
    assert tensor.data_ptr() == address
    view[0] = 9
    assert tensor.tolist() == [0, 9, 2, 3]


def test_empty_tensors_can_be_sent(strategy: str) -> None:
    for value in (torch.empty(0), torch.empty(2, 0, dtype=torch.int32)):
        loaded = ForkingPickler.loads(bytes(ForkingPickler.dumps(value)))
        assert loaded.shape == value.shape and loaded.dtype == value.dtype


def test_tensors_with_history_cannot_be_sent() -> None:
    with pytest.raises(RuntimeError, match=r"^Cowardly refusing to serialize non-leaf tensor"):
        ForkingPickler.dumps(torch.ones(1, requires_grad=True) * 2)


def test_names_and_descriptors_are_freed_with_the_tensors(strategy: str) -> None:
    exchange(torch.zeros(2))  # starts the permanent processes of multiprocessing
    gc.collect()
    before = names(), descriptors()
    for _ in range(3):
        exchange(torch.zeros(1000))
    gc.collect()
    assert (names(), descriptors()) == before


def test_named_memory_that_does_not_fit_is_an_error() -> None:
    mp.set_sharing_strategy("file_system")
    try:
        before = names()
        with pytest.raises(RuntimeError, match=r"unable to (allocate|open|mmap)"):
            torch.UntypedStorage._new_shared(1 << 50)
        assert names() == before
    finally:
        mp.set_sharing_strategy("file_descriptor")


def test_missing_name_is_an_error() -> None:
    with pytest.raises(RuntimeError, match=r"shared memory object </torch_none> .*No such file"):
        torch.UntypedStorage._new_shared_filename_cpu(b"", b"/torch_none", 4)


def test_unknown_strategy_is_refused() -> None:
    with pytest.raises(AssertionError, match="invalid sharing strategy 'telepathy'"):
        mp.set_sharing_strategy("telepathy")
    assert mp.get_all_sharing_strategies() == {"file_descriptor", "file_system"}


def test_batches_of_workers_are_shared(strategy: str) -> None:
    data = TensorDataset(torch.arange(12.0).view(6, 2), torch.arange(6))
    batches = list(DataLoader(data, batch_size=4, num_workers=2))
    assert all(part.is_shared() for batch in batches for part in batch)
    assert [batch[1].tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5]]


def test_loader_leaves_no_descriptor_or_name(strategy: str) -> None:
    data = TensorDataset(torch.arange(64.0))
    list(DataLoader(data, num_workers=2))
    gc.collect()
    names_before, most = names(), descriptors()
    for _ in range(2):
        list(DataLoader(data, num_workers=2))
    next(iter(DataLoader(data, num_workers=2)))  # abandoned after the first batch
    gc.collect()
    assert names() == names_before
    # A queue's thread closes its end asynchronously, so an earlier test's may have closed meanwhile.
    assert becomes_true(lambda: descriptors() <= most)
