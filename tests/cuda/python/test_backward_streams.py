"""Backward runs each node on the stream of its operator, and orders the streams by events.

The emulated device runs streams that no event orders in an order drawn from a seed, so a program
that lacks an event gives wrong gradients under some seeds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import ClassVar

import pytest

import torch

PROGRAMS = Path(__file__).parent / "stream_programs"


class Watch(torch.autograd.Function):
    """The identity; keeps the stream that its backward runs on."""

    streams: ClassVar[list[torch.cuda.Stream]] = []

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        Watch.streams.append(torch.cuda.current_stream())
        return grad.clone()


@pytest.fixture(autouse=True)
def no_streams_yet() -> None:
    Watch.streams.clear()


def side_stream() -> torch.cuda.Stream:
    """Return a stream that waits for what the current one has so far."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    return stream


def test_a_node_runs_on_the_stream_of_its_operator() -> None:
    x = torch.ones(100, device="cuda", requires_grad=True)
    first, second = side_stream(), side_stream()
    with torch.cuda.stream(first):
        y = Watch.apply(x)
    second.wait_stream(first)
    with torch.cuda.stream(second):
        z = Watch.apply(y)
    torch.cuda.current_stream().wait_stream(second)
    Watch.apply(z).sum().backward()
    assert Watch.streams == [torch.cuda.default_stream(), second, first]
    assert x.grad.sum().item() == 100


def test_backward_in_another_stream_than_the_forward_pass() -> None:
    x = torch.ones(100, device="cuda", requires_grad=True)
    y = Watch.apply(x * 2).sum()
    stream = side_stream()
    with torch.cuda.stream(stream):
        y.backward(torch.ones_like(y))
        seen = (x.grad * 3).sum().item()
        assert torch.cuda.current_stream() == stream
    assert Watch.streams == [torch.cuda.default_stream()]
    assert seen == 600


def test_hooks_see_the_stream_of_their_node() -> None:
    seen = []
    x = torch.ones(10, device="cuda", requires_grad=True)
    stream = side_stream()
    with torch.cuda.stream(stream):
        y = x * 2
        y.register_hook(lambda grad: seen.append(torch.cuda.current_stream()))
    torch.cuda.current_stream().wait_stream(stream)
    y.sum().backward()
    assert seen == [stream]


def test_callbacks_run_on_the_streams_of_the_caller() -> None:
    seen = []

    class Queue(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            torch.autograd.Variable._execution_engine.queue_callback(
                lambda: seen.append(torch.cuda.current_stream())
            )
            return grad

    x = torch.ones(10, device="cuda", requires_grad=True)
    stream = side_stream()
    with torch.cuda.stream(stream):
        y = Queue.apply(x)
    torch.cuda.current_stream().wait_stream(stream)
    y.sum().backward()
    assert seen == [torch.cuda.current_stream()] != [stream]


def kept_leaf() -> tuple[torch.Tensor, object, torch.Tensor]:
    """Return a leaf, its node, which belongs to the default stream, and a use on another one."""
    x = torch.ones(10, device="cuda", requires_grad=True)
    node = x.view_as(x).grad_fn.next_functions[0][0]
    stream = side_stream()
    with torch.cuda.stream(stream):
        y = (x * 2).sum()
    torch.cuda.current_stream().wait_stream(stream)
    return x, node, y


def test_a_leaf_that_is_kept_from_another_stream_causes_a_warning() -> None:
    torch.set_warn_always(True)
    try:
        x, node, y = kept_leaf()
        with pytest.warns(UserWarning, match="AccumulateGrad node's stream does not match"):
            y.backward()
        assert x.grad.tolist() == [2.0] * 10
        x, node, y = kept_leaf()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="AccumulateGrad node's stream"):
                y.backward()
        torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(False)
        x, node, y = kept_leaf()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            y.backward()
        assert node.variable is x and x.grad.tolist() == [2.0] * 10
    finally:
        torch.set_warn_always(False)
        torch.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(True)


def test_gradients_cross_devices_and_streams(two_devices: None) -> None:
    x = torch.full((1000,), 2.0, device="cuda:0", requires_grad=True)
    far = torch.cuda.Stream(device=1)
    far.wait_stream(torch.cuda.current_stream(0))
    with torch.cuda.stream(far):
        y = x.to("cuda:1")
        z = y * y * 3
    torch.cuda.current_stream(1).wait_stream(far)
    back = z.to("cuda:0") * x
    (gradient,) = torch.autograd.grad(back.sum(), [x])
    assert (gradient - 36).abs().max().item() == 0


@pytest.mark.parametrize("program", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
def test_gradients_are_those_of_the_cpu_in_any_order_of_streams(program: Path) -> None:
    for seed in range(6):
        answer = subprocess.run(
            [sys.executable, program],
            env={**os.environ, "CUDA_EMULATION_SEED": str(seed)},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert answer.returncode == 0, f"seed {seed}: {answer.stdout}{answer.stderr}"
