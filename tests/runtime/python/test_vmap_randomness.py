"""Random operators inside torch.vmap: the same numbers for all elements, others, or an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import torch
import torch.nn.functional as F
from torch.func import vmap


def test_randomness() -> None:
    def f(x: Any) -> Any:
        return torch.randn(2) + torch.rand_like(x) + F.dropout(torch.ones(2)) + x.clone().normal_()

    x = torch.zeros(4, 2)
    torch.manual_seed(0)
    same = vmap(f, randomness="same")(x)
    assert torch.equal(same, same[:1].expand(4, 2))
    different = vmap(f, randomness="different")(x)
    assert len({float(v) for v in different.reshape(-1)}) == 8


def test_randomness_of_tensors_that_are_not_mapped() -> None:
    x = torch.zeros(3)
    draws = (
        lambda t: torch.zeros(2).normal_(),
        lambda t: torch.bernoulli(torch.full((2,), 0.5)),
        lambda t: torch.zeros(2).bernoulli_(0.5),
        lambda t: torch.normal(0.0, torch.ones(2)),
    )
    for draw in draws:
        with pytest.raises(RuntimeError, match="randomness error mode"):
            vmap(draw)(x)
        same = vmap(draw, randomness="same")(x)
        assert torch.equal(same, same[:1].expand_as(same))
    for draw in draws[0], draws[2]:
        with pytest.raises(RuntimeError, match="different inplace randomness on an unbatched"):
            vmap(draw, randomness="different")(x)
    assert len(set(vmap(draws[3], randomness="different")(x).reshape(-1).tolist())) == 6
    with pytest.raises(RuntimeError, match="same randomness with a batched tensor input"):
        vmap(torch.bernoulli, randomness="same")(x)


@pytest.mark.parametrize("randomness", ["same", "different"])
@pytest.mark.parametrize(
    "draw",
    [
        lambda: torch.normal(1.0, 2.0, (4,)),
        lambda: torch.rand_like(torch.ones(4)),
        lambda: torch.randn_like(torch.ones(4)),
        lambda: torch.randint_like(torch.ones(4), 1000),
        lambda: torch.randint_like(torch.ones(4), 1, 1000),
    ],
)
def test_shapes_of_tensors_that_are_not_mapped(draw: Callable[[], Any], randomness: str) -> None:
    torch.manual_seed(0)
    first, second = vmap(lambda x: draw() + x, randomness=randomness)(torch.zeros(2))
    assert torch.equal(first, second) == (randomness == "same")
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(lambda x: draw() + x)(torch.zeros(2))


def _alpha_dropout(x: torch.Tensor) -> torch.Tensor:
    return F.feature_alpha_dropout(x, training=True)


@pytest.mark.parametrize("randomness", ["same", "different"])
@pytest.mark.parametrize("dropout", [F.dropout2d, F.dropout3d, _alpha_dropout])
def test_channels_are_dropped_in_each_element(dropout: Any, randomness: str) -> None:
    images = torch.ones(2, 6, 9, *(1,) * (2 + (dropout is F.dropout3d)), requires_grad=True)
    torch.manual_seed(0)
    dropped = vmap(dropout, randomness=randomness)(images)
    assert dropped.shape == images.shape
    assert len(dropped.unique()) == 2
    assert torch.equal(*dropped.detach()) == (randomness == "same")
    dropped.sum().backward()
    assert torch.equal(images.grad == 0, dropped != dropped.max())  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(dropout)(images)


def test_distributions_are_sampled_for_each_element() -> None:
    drawn = vmap(lambda m: torch.distributions.Normal(m, 1.0).sample(), randomness="different")
    assert len(set(drawn(torch.zeros(4)).tolist())) == 4
