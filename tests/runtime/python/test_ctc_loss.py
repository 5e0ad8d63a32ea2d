"""Connectionist temporal classification by its definition."""

from __future__ import annotations

import itertools
import math

import pytest

import torch
from torch.nn import functional as F


def log_probs(time: int, batch: int, classes: int, dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(time, batch, classes, dtype=dtype, generator=generator).log_softmax(2)


def collapsed(path: tuple[int, ...], blank: int) -> list[int]:
    return [label for label, _ in itertools.groupby(path) if label != blank]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("labels", [[], [1], [1, 2], [2, 2], [1, 2, 1], [2, 2, 2, 2]])
def test_the_loss_adds_up_all_alignments(labels: list[int], dtype: torch.dtype) -> None:
    p = log_probs(5, 1, 3, dtype)
    for steps in range(1, 6):
        total = sum(
            math.exp(sum(float(p[t, 0, c]) for t, c in enumerate(path)))
            for path in itertools.product(range(3), repeat=steps)
            if collapsed(path, 0) == labels
        )
        found = F.ctc_loss(
            p, torch.tensor([labels], dtype=torch.int64), (steps,), (len(labels),), reduction="sum"
        )
        want = torch.tensor(-math.log(total) if total else math.inf, dtype=dtype)
        torch.testing.assert_close(found, want)


@pytest.mark.parametrize("states", [1, 7, 8, 15, 16, 30])
def test_gradients_of_all_lengths(states: int) -> None:
    x = torch.randn(40, 3, 6, dtype=torch.float64, requires_grad=True)
    labels = torch.randint(1, 6, (3, states))
    lengths = (states, max(states - 1, 0), states // 2)

    def loss(x: torch.Tensor) -> torch.Tensor:
        return F.ctc_loss(x.log_softmax(2), labels, (40, 35, 38), lengths, reduction="none")

    if max(lengths) < 18:  # longer ones with repeated labels may not fit into the time
        assert torch.autograd.gradcheck(loss, (x,))
    single = loss(x.detach().float())
    torch.testing.assert_close(single.double(), loss(x.detach()), rtol=1e-5, atol=1e-4)


def test_gradients_where_no_alignment_exists() -> None:
    p = log_probs(3, 2, 4, torch.float32)
    p[:, 1, 2] = -math.inf
    p.requires_grad_()
    labels = torch.tensor([[1, 1, 1, 1], [1, 2, 0, 0]])
    loss = F.ctc_loss(p, labels, (3, 3), (4, 2), reduction="none")
    assert loss.isinf().all()
    assert torch.autograd.grad(loss.sum(), p)[0].isnan().all()
    loss = F.ctc_loss(p, labels, (3, 3), (4, 2), reduction="none", zero_infinity=True)
    assert (loss == 0).all()
    assert (torch.autograd.grad(loss.sum(), p)[0] == 0).all()


def test_impossible_classes_of_a_possible_loss() -> None:
    p = log_probs(4, 1, 5, torch.float64)
    p[:, 0, 3] = -math.inf
    p.requires_grad_()
    loss = F.ctc_loss(p, torch.tensor([[1, 2]]), (4,), (2,), reduction="sum")
    (grad,) = torch.autograd.grad(loss, p)
    assert loss.isfinite()
    assert grad[:, 0, 3].isnan().all()
    assert grad[:, 0, [0, 1, 2, 4]].isfinite().all()
