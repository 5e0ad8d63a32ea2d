"""Weights that are computed from others, averages of models, and an optimizer without base state."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import torch
from torch import nn
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import spectral_norm, weight_norm
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


class Symmetric(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.triu() + x.triu(1).T

    def right_inverse(self, value: torch.Tensor) -> torch.Tensor:
        return value.triu()


class Double(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    def right_inverse(self, value: torch.Tensor) -> torch.Tensor:
        return value / 2


def test_parametrizations_compose_and_take_assignments() -> None:
    linear = nn.Linear(3, 3)
    before = linear.weight.detach().clone()
    parametrize.register_parametrization(linear, "weight", Symmetric())
    parametrize.register_parametrization(linear, "weight", Double())
    assert torch.allclose(linear.weight, 2 * (before.triu() + before.triu(1).T))
    linear.weight = torch.ones(3, 3)
    assert linear.weight.tolist() == torch.ones(3, 3).tolist()
    assert type(linear).__name__ == "ParametrizedLinear" and isinstance(linear, nn.Linear)
    with parametrize.cached():
        assert linear.weight is linear.weight
    assert linear.weight is not linear.weight


def test_a_removed_parametrization_leaves_its_value_in_the_same_parameter() -> None:
    linear = parametrize.register_parametrization(nn.Linear(3, 3), "weight", Symmetric())
    original = linear.parametrizations.weight.original
    value = linear.weight.detach().clone()
    parametrize.remove_parametrizations(linear, "weight")
    assert type(linear) is nn.Linear and linear.weight is original
    assert torch.equal(linear.weight, value)


def test_a_change_of_shape_is_refused() -> None:
    class Cut(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[:1]

    with pytest.raises(ValueError, match="may not change the shape"):
        parametrize.register_parametrization(nn.Linear(2, 2), "weight", Cut())
    with pytest.raises(ValueError, match="does not have a parameter"):
        parametrize.register_parametrization(nn.Linear(2, 2), "nothing", Double())


@pytest.mark.parametrize("norm", [weight_norm, spectral_norm])
@pytest.mark.parametrize("make", [lambda: nn.Linear(4, 3), lambda: nn.ConvTranspose2d(2, 3, 3)])
def test_norms_train_copy_and_load(norm: Callable[..., Any], make: Callable[[], Any]) -> None:
    module = norm(make())
    x = torch.randn(2, 4) if isinstance(module, nn.Linear) else torch.randn(2, 2, 5, 5)
    module(x).square().sum().backward()
    assert all(p.grad is not None for p in module.parameters())
    other = norm(make())
    other.load_state_dict(module.state_dict())
    other.eval()
    copied = copy.deepcopy(other)
    assert torch.equal(copied(x), other(x))


def test_spectral_norm_has_a_largest_singular_value_of_one() -> None:
    linear = spectral_norm(nn.Linear(6, 5), n_power_iterations=30)
    linear(torch.ones(1, 6))
    gram = linear.weight.detach() @ linear.weight.detach().T
    vector = torch.ones(5)
    for _ in range(200):
        vector = nn.functional.normalize(gram @ vector, dim=0)
    assert (gram @ vector).norm().sqrt().item() == pytest.approx(1, abs=1e-3)


@pytest.mark.filterwarnings("ignore:.*weight_norm. is deprecated:FutureWarning")
def test_norms_by_hooks_can_be_removed() -> None:
    for add, remove in (
        (nn.utils.weight_norm, nn.utils.remove_weight_norm),
        (nn.utils.spectral_norm, nn.utils.remove_spectral_norm),
    ):
        linear = add(nn.Linear(4, 3))
        linear(torch.ones(1, 4)).sum().backward()
        linear.eval()
        value = linear(torch.ones(1, 4))
        remove(linear)
        assert sorted(linear.state_dict()) == ["bias", "weight"]
        assert torch.allclose(linear(torch.ones(1, 4)), value)
        with pytest.raises(ValueError, match="not found"):
            remove(linear)


def test_averages_follow_the_models() -> None:
    model = nn.Linear(1, 1, bias=False)
    mean = AveragedModel(model)
    moving = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.5))
    for value in (1.0, 2.0, 6.0):
        nn.init.constant_(model.weight, value)
        mean.update_parameters(model)
        moving.update_parameters(model)
    assert mean.module.weight.item() == 3.0 and moving.module.weight.item() == 3.75
    assert list(mean.state_dict()) == ["n_averaged", "module.weight"]


def test_an_optimizer_without_the_base_class_init_steps() -> None:
    class Own(torch.optim.Optimizer):
        def __init__(self, params: Any) -> None:
            self.param_groups = [{"params": list(params)}]

        def step(self, closure: Any = None) -> int:
            return 5

    assert Own([torch.zeros(1)]).step() == 5
