"""torch.distributed.checkpoint.state_dict in one process: states by the names of parameters."""

from __future__ import annotations

from typing import Any

import pytest

import torch
from torch import nn
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
    set_state_dict,
)


def model() -> nn.Sequential:
    made = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    made[0].bias.requires_grad_(False)
    return made


def optimizer(of: nn.Sequential, rate: float) -> torch.optim.Optimizer:
    groups = [{"params": [of[0].weight, of[1].weight]}, {"params": [of[1].bias], "lr": rate / 2}]
    return torch.optim.AdamW(groups, lr=rate)


@pytest.mark.parametrize(
    ("options", "submodule", "expected"),
    [
        ({}, False, "0.weight 0.bias 1.weight 1.bias"),
        ({"ignore_frozen_params": True}, False, "0.weight 1.weight 1.bias"),
        ({}, True, "1.weight 1.bias"),
        ({"keep_submodule_prefixes": False}, True, "weight bias"),
        ({"full_state_dict": True, "cpu_offload": True}, False, "0.weight 0.bias 1.weight 1.bias"),
    ],
)
def test_names_in_the_state_of_a_model(
    options: dict[str, Any], submodule: bool, expected: str
) -> None:
    net = model()
    found = get_model_state_dict(
        net,
        submodules={net[1]} if submodule else None,
        options=StateDictOptions(**options),
    )
    assert " ".join(n for n in found if n.endswith(("weight", "bias"))) == expected


@pytest.mark.parametrize("flat", [False, True])
def test_states_move_to_another_model(flat: bool) -> None:
    options = StateDictOptions(flatten_optimizer_state_dict=flat)
    source, target = model(), model()
    first, second = optimizer(source, 0.1), optimizer(target, 0.7)
    source(torch.randn(4, 2)).square().sum().backward()
    first.step()
    states = get_state_dict(source, first, options=options)
    missing, unexpected = set_state_dict(
        target, second, model_state_dict=states[0], optim_state_dict=states[1], options=options
    )
    assert not missing and not unexpected
    assert torch.equal(source[0].weight, target[0].weight)
    assert [group["lr"] for group in second.param_groups] == [0.1, 0.05]
    for one, other in zip(first.state.values(), second.state.values(), strict=True):
        assert all(torch.equal(one[key], other[key]) for key in one)
    if flat:
        assert states[1]["param_groups.1.bias.lr"] == 0.05
        assert "state.0.weight.exp_avg" in states[1]
    else:
        assert states[1]["param_groups"][0]["params"] == ["0.weight", "1.weight"]


def test_a_fresh_optimizer_gets_its_state_without_a_step() -> None:
    net = model()
    before = net[0].weight.clone()
    found = get_optimizer_state_dict(net, [optimizer(net, 0.1)])
    assert {*found["state"]} == {"0.weight", "1.weight", "1.bias"}
    assert torch.equal(net[0].weight, before) and net[0].weight.grad is None


def test_states_by_submodule_and_without_memory() -> None:
    net = model()
    given = {net[0]: {"weight": torch.zeros(3, 2), "bias": torch.ones(3)}}
    missing, _ = set_model_state_dict(net, given, options=StateDictOptions(strict=False))
    assert "1.weight" in missing and net[0].bias.sum() == 3
    empty = nn.Linear(2, 1, device="meta")
    whole = {"weight": torch.ones(1, 2), "bias": torch.ones(1)}
    set_model_state_dict(empty, whole, options=StateDictOptions(full_state_dict=True))
    assert empty(torch.ones(2)).item() == 3


def test_mistakes_have_pytorchs_messages() -> None:
    net = model()
    adam = optimizer(net, 0.1)
    with pytest.raises(RuntimeError, match="Missing key"):
        set_model_state_dict(net, {"0.weight": torch.ones(3, 2)})
    with pytest.raises(ValueError, match="full_state_dict must be True"):
        set_model_state_dict(net, {}, options=StateDictOptions(broadcast_from_rank0=True))
    with pytest.raises(RuntimeError, match="optim state_dict is empty"):
        set_optimizer_state_dict(net, adam, {})
    states = get_optimizer_state_dict(net, adam)
    del states["state"]["1.bias"]
    with pytest.raises(RuntimeError, match=r"Missing optimizer state for parameter '1\.bias'"):
        set_optimizer_state_dict(net, adam, states)
    set_optimizer_state_dict(net, adam, states, options=StateDictOptions(strict=False))
