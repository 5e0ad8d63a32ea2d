"""set_default_device and `with torch.device(...)`: the device of newly created tensors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

import torch

META, CPU = torch.device("meta"), torch.device("cpu")

FACTORIES: dict[str, Callable[[], torch.Tensor]] = {
    "empty": lambda: torch.empty(2),
    "empty_strided": lambda: torch.empty_strided((2,), (1,)),
    "zeros": lambda: torch.zeros(2),
    "full": lambda: torch.full((2,), 1.0),
    "arange": lambda: torch.arange(3),
    "linspace": lambda: torch.linspace(0, 1, 3),
    "eye": lambda: torch.eye(2),
    "rand": lambda: torch.rand(2),
    "randint": lambda: torch.randint(3, (2,)),
    "randperm": lambda: torch.randperm(3),
    "scalar_tensor": lambda: torch.scalar_tensor(1.0),
    "tensor": lambda: torch.tensor([1.0]),
    "tensor of a dtype": lambda: torch.tensor([1.0], dtype=torch.float64),
    "as_tensor": lambda: torch.as_tensor([1.0]),
    "asarray": lambda: torch.asarray([1.0]),
    "device=None": lambda: torch.ones(2, device=None),
    "a layer": lambda: torch.nn.Linear(2, 2).weight,
}


@pytest.fixture
def ones() -> Iterator[torch.Tensor]:
    """A tensor on the CPU. The default device is reset after the test."""
    yield torch.ones(2)
    torch.set_default_device(None)


@pytest.mark.parametrize("name", FACTORIES)
def test_factories_use_the_default(ones: torch.Tensor, name: str) -> None:
    assert FACTORIES[name]().device == CPU
    with META:
        assert FACTORIES[name]().device == META
    torch.set_default_device("meta")
    assert FACTORIES[name]().device == META


def test_factories_with_a_device_or_a_tensor_ignore_the_default(ones: torch.Tensor) -> None:
    with META:
        assert torch.ones(2, device="cpu").device == CPU
        assert torch.zeros_like(ones).device == CPU
        assert ones.new_zeros(2).device == CPU
        assert torch.zeros(2, out=ones).device == CPU
        assert (ones + 1).device == CPU and repr(ones) == "tensor([0., 0.])"


def test_blocks_nest(ones: torch.Tensor) -> None:
    with META as entered:
        assert entered is META and torch.get_default_device() == META
        with CPU:
            assert torch.get_default_device() == CPU
        assert torch.get_default_device() == META
    assert torch.get_default_device() == CPU
    with pytest.raises(RuntimeError, match=r"__exit__\(\) without __enter__\(\)"):
        META.__exit__(None, None, None)


def test_each_thread_has_its_own(ones: torch.Tensor) -> None:
    torch.set_default_device(META)
    devices = []
    thread = threading.Thread(target=lambda: devices.append(torch.ones(1).device))
    thread.start()
    thread.join()
    assert devices == [CPU] and torch.ones(1).device == META


def test_no_device_is_refused() -> None:
    with pytest.raises(RuntimeError, match="device type at start of device string: nowhere"):
        torch.set_default_device("nowhere")
    assert torch.get_default_device() == CPU
