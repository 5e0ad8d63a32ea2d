"""Conversions and load_state_dict replace parameters as torch.__future__ says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import torch
from torch import Tensor, nn


@pytest.fixture
def swapping() -> Iterator[None]:
    torch.__future__.set_swap_module_params_on_conversion(True)
    yield
    torch.__future__.set_swap_module_params_on_conversion(False)


class Tagged(Tensor):
    """A parameter that accepts values of any dtype and keeps the class."""

    def module_load(self, other: Tensor, assign: bool = False) -> Tensor:
        return (other.detach() + 1).as_subclass(Tagged)


class Unchanged(Tensor):
    def module_load(self, other: Tensor, assign: bool = False) -> Tensor:
        return other


@pytest.mark.usefixtures("swapping")
def test_converted_parameters_keep_their_identity() -> None:
    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    weight, gradient = layer.weight, layer.weight.grad
    layer.to(torch.float64)
    assert layer.weight is weight and layer.weight.grad is gradient
    assert (weight.dtype, gradient.dtype) == (torch.float64, torch.float64)
    assert layer.to("meta").weight is weight and weight.device.type == "meta"


def test_overwriting_makes_new_parameters() -> None:
    torch.__future__.set_overwrite_module_params_on_conversion(True)
    try:
        layer = nn.Linear(2, 1)
        weight = layer.weight
        assert layer.double().weight is not weight
        assert weight.dtype == torch.float32
    finally:
        torch.__future__.set_overwrite_module_params_on_conversion(False)
    assert not torch.__future__.get_overwrite_module_params_on_conversion()


@pytest.mark.usefixtures("swapping")
def test_loading_asks_the_parameter() -> None:
    layer = nn.Linear(2, 1)
    layer.weight = nn.Parameter(torch.zeros(1, 2).as_subclass(Tagged))
    weight = layer.weight
    layer.load_state_dict({"weight": torch.ones(1, 2), "bias": torch.ones(1)})
    assert layer.weight is weight and weight.tolist() == [[2.0, 2.0]]
    assert layer.bias.tolist() == [1.0]


@pytest.mark.usefixtures("swapping")
def test_loading_refuses_the_value_itself() -> None:
    layer = nn.Linear(2, 1, bias=False)
    layer.weight = nn.Parameter(torch.zeros(1, 2).as_subclass(Unchanged))
    with pytest.raises(RuntimeError, match=r"While swapping .*module_load returned one of self"):
        layer.load_state_dict({"weight": torch.ones(1, 2)})


@pytest.mark.usefixtures("swapping")
def test_a_weak_reference_prevents_swapping() -> None:
    import weakref

    layer = nn.Linear(2, 1)
    layer(torch.ones(1, 2)).sum().backward()
    reference = weakref.ref(layer.weight)
    with pytest.raises(RuntimeError, match=r"_apply\(\): Couldn't swap Linear.weight"):
        layer.double()
    assert reference() is layer.weight and layer.weight.grad is not None


def test_compile_of_a_module_checks_its_arguments() -> None:
    layer = nn.Linear(2, 1)
    layer.compile(backend="eager")
    assert list(layer.state_dict()) == ["weight", "bias"]
    assert layer(torch.ones(1, 2)).shape == (1, 1)
    wrong: dict[str, Any] = {"mode": "default", "options": {}}
    with pytest.raises(RuntimeError, match="Either mode or options"):
        layer.compile(**wrong)
