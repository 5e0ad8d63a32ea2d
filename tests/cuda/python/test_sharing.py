"""Memory and events of CUDA devices that several processes share."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from typing import Any

import pytest

import torch
import torch.multiprocessing as mp
from torch.multiprocessing.reductions import sent_blocks

TIMEOUT = 60
CONTEXT = mp.get_context("spawn")


def add_one(received: Any, sent: Any) -> None:
    """Add 1 to tensors in place and return sums, until None arrives."""
    while (tensors := received.get(timeout=TIMEOUT)) is not None:
        for tensor in tensors:
            tensor.detach().add_(1)
        torch.cuda.synchronize()
        sent.put([(str(t.device), t.dtype, t.stride(), t.double().sum().item()) for t in tensors])
        del tensor, tensors


def forward_tensor(received: Any, sent: Any) -> None:
    """Try to send a tensor of another process back."""
    tensor = received.get(timeout=TIMEOUT)
    try:
        torch.multiprocessing.reductions.reduce_storage(tensor.untyped_storage())
    except RuntimeError as error:
        sent.put(str(error))


def crash(received: Any, sent: Any) -> None:
    """End without freeing anything."""
    tensor = received.get(timeout=TIMEOUT)
    sent.put(tensor.numel())
    sent.close()
    sent.join_thread()
    os._exit(3)


def wait_for_event(received: Any, sent: Any) -> None:
    """Make a stream wait for another process's event, and record one of its own on it."""
    handle = received.get(timeout=TIMEOUT)
    event = torch.cuda.Event.from_ipc_handle(0, handle)
    event.wait()
    event.synchronize()
    sent.put((event.query(), str(event.device)))


class Child:
    """A process with a queue to it and one from it."""

    def __init__(self, target: Callable[[Any, Any], None]) -> None:
        self.to, self.back = CONTEXT.Queue(), CONTEXT.Queue()
        self.process = CONTEXT.Process(target=target, args=(self.to, self.back))
        self.process.start()

    def ask(self, question: object) -> Any:
        """Send something and return the answer."""
        self.to.put(question)
        return self.back.get(timeout=TIMEOUT)

    def end(self) -> None:
        """Wait until the process has ended."""
        self.to.put(None)
        self.process.join(TIMEOUT)
        assert self.process.exitcode is not None


def wait_until_free() -> None:
    """Wait until no receiver holds a block."""
    end = time.monotonic() + TIMEOUT
    while len(sent_blocks) and time.monotonic() < end:
        torch.cuda.ipc_collect()
        time.sleep(0.01)
    assert len(sent_blocks) == 0


def test_another_process_writes_into_a_tensor() -> None:
    child = Child(add_one)
    base = torch.arange(12.0, device="cuda:1").view(3, 4)
    tensors = [base, base.t()[1:], torch.zeros(5, dtype=torch.int64, device="cuda")]
    answers = child.ask(tensors)
    child.end()
    # The first two are the same memory: the child adds to what it has already changed.
    expected = torch.arange(12.0).view(3, 4) + 1
    expected.t()[1:].add_(1)
    torch.testing.assert_close(base.cpu(), expected)
    torch.testing.assert_close(tensors[2].cpu(), torch.ones(5, dtype=torch.int64))
    assert answers == [
        ("cuda:1", torch.float32, (4, 1), expected.sum().item()),
        ("cuda:1", torch.float32, (1, 4), expected.t()[1:].sum().item()),
        ("cuda:0", torch.int64, (1,), 5.0),
    ]
    wait_until_free()


def test_memory_is_kept_while_a_receiver_uses_it_and_freed_after_that() -> None:
    child = Child(add_one)
    before = torch.cuda.memory_allocated()
    tensor = torch.zeros(1 << 20, device="cuda")
    child.to.put([tensor])
    del tensor
    gc.collect()
    ((_, _, _, total),) = child.back.get(timeout=TIMEOUT)
    assert total == 1 << 20
    child.end()
    wait_until_free()
    assert torch.cuda.memory_allocated() == before


def test_a_parameter_keeps_its_type_and_requires_grad() -> None:
    child = Child(add_one)
    parameter = torch.nn.Parameter(torch.ones(2, device="cuda"))
    child.ask([parameter])
    child.end()
    assert parameter.tolist() == [2, 2]
    wait_until_free()


def test_empty_tensors_are_sent_too() -> None:
    child = Child(add_one)
    answers = child.ask([torch.empty(0, 3, device="cuda:1")])
    child.end()
    assert answers == [("cuda:1", torch.float32, (3, 1), 0.0)]


def test_a_tensor_can_be_an_argument_of_a_process() -> None:
    received, sent = CONTEXT.Queue(), CONTEXT.Queue()
    tensor = torch.zeros(3, device="cuda")
    process = CONTEXT.Process(target=_fill, args=(tensor, sent))
    process.start()
    assert sent.get(timeout=TIMEOUT) == 0
    process.join(TIMEOUT)
    received.close()
    assert tensor.tolist() == [7, 7, 7]
    wait_until_free()


def _fill(tensor: torch.Tensor, sent: Any) -> None:
    before = tensor.sum().item()
    tensor.fill_(7)
    torch.cuda.synchronize()
    sent.put(before)


def test_a_crashed_receiver_frees_its_memory() -> None:
    child = Child(crash)
    assert child.ask(torch.ones(4, device="cuda")) == 4
    child.process.join(TIMEOUT)
    assert child.process.exitcode == 3
    wait_until_free()


def test_a_received_tensor_is_not_sent_on() -> None:
    child = Child(forward_tensor)
    message = child.ask(torch.ones(4, device="cuda"))
    child.end()
    assert message.startswith("Attempted to send CUDA tensor received from another process")
    wait_until_free()


def test_storages_on_devices_are_shared_already() -> None:
    tensor = torch.ones(4, device="cuda")
    pointer = tensor.data_ptr()
    assert tensor.is_shared()
    assert tensor.share_memory_().data_ptr() == pointer


def test_another_process_waits_for_an_event() -> None:
    event = torch.cuda.Event(interprocess=True)
    torch.ones(8, device="cuda").sum()
    event.record()
    handle = event.ipc_handle()
    assert isinstance(handle, bytes)
    assert len(handle) == 64
    child = Child(wait_for_event)
    assert child.ask(handle) == (True, "cuda:0")
    child.end()


def test_events_for_other_processes_are_checked() -> None:
    with pytest.raises(RuntimeError, match="interprocess=True"):
        torch.cuda.Event().ipc_handle()
    with pytest.raises(RuntimeError, match="of size 64, but got 3"):
        torch.cuda.Event.from_ipc_handle(0, b"abc")
    with pytest.raises(RuntimeError, match="invalid argument"):
        torch.cuda.Event.from_ipc_handle(0, bytes(64))
    with pytest.raises(RuntimeError, match="invalid argument"):
        torch.cuda.Event(enable_timing=True, interprocess=True).record()


def test_external_events_are_nodes_of_a_graph() -> None:
    x = torch.zeros(4, device="cuda")
    start, end = (torch.cuda.Event(enable_timing=True, external=True) for _ in range(2))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        start.record()
        x.add_(1)
        end.record()
    assert not end.query() or x.tolist() == [0] * 4  # nothing was recorded by the capture
    other = torch.cuda.Stream()
    for launch in (1, 2):
        graph.replay()
        with torch.cuda.stream(other):
            end.wait()
            copy = x.clone()
        other.synchronize()
        assert copy.tolist() == [launch] * 4
        assert start.elapsed_time(end) >= 0


def test_a_graph_waits_for_an_external_event() -> None:
    x = torch.zeros(4, device="cuda")
    y = torch.zeros(4, device="cuda")
    ready = torch.cuda.Event(external=True)
    producer, consumer = torch.cuda.Stream(), torch.cuda.Stream()
    ready.record()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ready.wait()
        y.copy_(x)
    torch.cuda.synchronize()
    for value in (1, 2, 3):
        with torch.cuda.stream(producer):
            x.fill_(value)
            ready.record()
        with torch.cuda.stream(consumer):
            graph.replay()
        consumer.synchronize()
        assert y.tolist() == [value] * 4
