"""What hooks of a step see, and the steps of L-BFGS."""

from __future__ import annotations

from typing import Any

import pytest

import torch
from torch import Tensor, nn


def test_hooks_of_a_step_get_the_optimizer_among_the_arguments() -> None:
    parameter = nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    seen: list[Any] = []

    def before(self: Any, args: Any, kwargs: Any) -> Any:
        seen.append((args, kwargs))
        return (self, lambda: 3.0), {}

    optimizer.register_step_pre_hook(before)
    optimizer.register_step_post_hook(lambda self, args, kwargs: seen.append((args[0], kwargs)))
    assert optimizer.step() == 3.0
    assert seen == [((optimizer,), {}), (optimizer, {})]


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_gives_no_warning(search: str | None) -> None:
    place = nn.Parameter(torch.tensor([3.0, 4.0]))
    optimizer = torch.optim.LBFGS([place], line_search_fn=search)

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = place.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert bool((place.abs() < 1e-2).all())


def test_strong_wolfe_takes_pytorchs_steps() -> None:
    """The losses are those of PyTorch 2.13 in double precision, for Rosenbrock's function."""
    place = nn.Parameter(torch.tensor([-1.5, 2.0], dtype=torch.float64))
    optimizer = torch.optim.LBFGS([place], line_search_fn="strong_wolfe", max_iter=50)
    losses = []

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = (1 - place[0]) ** 2 + 100 * (place[1] - place[0] ** 2) ** 2
        loss.backward()
        losses.append(loss.item())
        return loss

    optimizer.step(closure)
    assert len(losses) == 51
    assert losses[:4] + losses[20:22] == pytest.approx(
        [12.5, 288.824143, 5.87580997, 5.8635736, 1.92705138, 1.86161028], rel=1e-6
    )


_RATES: list[tuple[type[torch.optim.Optimizer], dict[str, Any], str]] = [
    (torch.optim.SGD, {}, "lr"),
    (torch.optim.SGD, {"momentum": 0.9}, "lr"),
    (torch.optim.SGD, {}, "weight_decay"),
    (torch.optim.Adam, {}, "lr"),
    (torch.optim.Adam, {"weight_decay": 0.1, "amsgrad": True}, "lr"),
    (torch.optim.Adam, {}, "weight_decay"),
    (torch.optim.Adam, {}, "betas"),
    (torch.optim.AdamW, {"amsgrad": True}, "weight_decay"),
    (torch.optim.AdamW, {}, "betas"),
    (torch.optim.Adamax, {}, "lr"),
    (torch.optim.NAdam, {}, "lr"),
    (torch.optim.RAdam, {}, "lr"),
    (torch.optim.RMSprop, {"momentum": 0.9, "centered": True}, "lr"),
    (torch.optim.Adagrad, {}, "lr"),
    (torch.optim.Adadelta, {}, "lr"),
]


@pytest.mark.parametrize(("kind", "settings", "name"), _RATES)
def test_settings_of_differentiable_steps_have_gradients(
    kind: type[torch.optim.Optimizer], settings: dict[str, Any], name: str
) -> None:
    """Three steps, because the later ones write the state that the first ones read."""
    values = torch.tensor([0.9, 0.97] if name == "betas" else [0.1], dtype=torch.float64)

    def after_steps(numbers: Tensor) -> Tensor:
        setting = tuple(numbers.unbind()) if name == "betas" else numbers[0]
        place = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True).clone()
        optimizer = kind([place], differentiable=True, **{name: setting}, **settings)
        for _ in range(3):
            place.grad = place.clone().square() * 0.1 - 0.3
            optimizer.step()
        return place

    assert torch.autograd.gradcheck(after_steps, values.requires_grad_(), atol=1e-4)


@pytest.mark.parametrize(
    ("kind", "names", "settings"),
    [
        (torch.optim.Adam, ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"), {"amsgrad": True}),
        (torch.optim.Adamax, ("exp_avg", "exp_inf"), {"weight_decay": 0.1}),
        (torch.optim.NAdam, ("exp_avg", "exp_avg_sq", "mu_product"), {}),
    ],
)
def test_differentiable_steps_pass_gradients_to_the_state(
    kind: type[torch.optim.Optimizer], names: tuple[str, ...], settings: dict[str, Any]
) -> None:
    def after_step(place: Tensor, gradient: Tensor, *state: Tensor) -> Tensor:
        place = place.clone()
        place.grad = gradient
        optimizer = kind([place], lr=0.9, differentiable=True, **settings)
        step = torch.tensor(10.0, dtype=torch.float64)
        copies = {name: value.clone() for name, value in zip(names, state, strict=True)}
        optimizer.state[place].update(step=step, **copies)
        optimizer.step()
        return place

    torch.manual_seed(0)
    shapes = [() if name == "mu_product" else (3,) for name in ("", "", *names)]
    inputs = [torch.rand(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    assert torch.autograd.gradcheck(after_step, inputs, check_batched_grad=True)
