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
