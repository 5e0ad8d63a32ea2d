"""Samples of the losses and of their gradients; classification losses are in linear.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from .model import FLOATS, LOW_FLOATS, Maker, Operator, Sample

aten = torch.ops.aten
nn = torch._C._nn
REDUCTIONS = (0, 1, 2)
LOW = (2e-2, 2e-2)


def with_target(*further: tuple[Any, ...], **bounds: float):
    """Return inputs and targets with every reduction and each choice of further arguments."""

    def samples(make: Maker) -> Iterator[Sample]:
        for choice in further or ((),):
            for reduction in REDUCTIONS:
                yield Sample((make(4, 5, **bounds), make(4, 5, **bounds), reduction, *choice))
                yield Sample((make(5, 4, **bounds).t(), make(4, 5, **bounds), reduction, *choice))
            yield Sample((make(200, **bounds), make(200, **bounds), 1, *choice))

    return samples


def gradients(*further: Any, **bounds: float):
    def samples(make: Maker) -> Iterator[Sample]:
        if not (
            make.is_float or make.is_complex
        ):  # PyTorch rounds gradients of integers differently
            return
        for reduction in REDUCTIONS:
            grad = make(4, 5) if reduction == 0 else make()
            target = make(4, 5, **bounds)
            yield Sample((grad, make(4, 5, **bounds), target, reduction, *further))

    return samples


def probabilities(make: Maker) -> Iterator[Sample]:
    for reduction in REDUCTIONS:
        x, t = make(4, 5, low=0.05, high=0.95), make(4, 5, low=0, high=1)
        yield Sample((x, t, None, reduction))
        yield Sample((x, t, make(4, 5, low=0, high=2), reduction))
    if make.dtype in LOW_FLOATS:  # in dtypes where 1e-12, the smallest divisor, is 0
        return
    edge = torch.tensor([0.0, 1.0, 0.0, 1.0], dtype=getattr(torch, make.dtype))
    yield Sample((edge, edge.flip(0), None, 0))
    yield Sample((edge, edge, None, 1))


def probability_gradients(make: Maker) -> Iterator[Sample]:
    for each in list(probabilities(make))[:6]:  # away from the edges, where the slope is infinite
        x, t, weight, reduction = each.args
        yield Sample((make(*x.shape) if reduction == 0 else make(), x, t, weight, reduction))


def logits(make: Maker) -> Iterator[Sample]:
    for reduction in REDUCTIONS:
        x, t = make(4, 5), make(4, 5, low=0, high=1)
        positive = make(5, low=0.5, high=2)
        yield Sample((x, t, None, None, reduction))
        yield Sample((x, t, make(4, 5, low=0, high=2), None, reduction))
        yield Sample((x, t, None, positive, reduction))
        yield Sample((20 * x, t, make(5, low=0, high=2), positive, reduction))


def divergences(make: Maker) -> Iterator[Sample]:
    for reduction in REDUCTIONS:
        x, t = make(4, 5, low=-4, high=0), make(4, 5, low=0, high=1)
        yield Sample((x, t, reduction))
        yield Sample((x, t - 2, reduction), {"log_target": True})


def counts(make: Maker) -> Iterator[Sample]:
    for reduction in REDUCTIONS:
        x, t = make(4, 5, low=0.1, high=2), make(4, 5, low=0, high=4)
        yield Sample((x, t, True, False, 1e-8, reduction))
        yield Sample((x, t, False, True, 1e-8, reduction))


def signs(make: Maker, *shape: int) -> torch.Tensor:
    return torch.where(make(*shape) > 0, 1.0, -1.0).to(getattr(torch, make.dtype))


def signed(make: Maker) -> Iterator[Sample]:
    for reduction in REDUCTIONS:
        yield Sample((make(4, 5), signs(make, 4, 5), reduction))


def signed_gradients(make: Maker) -> Iterator[Sample]:
    for each in signed(make):
        x, t, reduction = each.args
        yield Sample((make(4, 5) if reduction == 0 else make(), x, t, reduction))


def ranked(make: Maker) -> Iterator[Sample]:
    for reduction in REDUCTIONS:
        yield Sample((make(7), make(7), signs(make, 7), 0.5, reduction))


def hinged(make: Maker) -> Iterator[Sample]:
    for reduction in REDUCTIONS:
        yield Sample((make(7, low=0), signs(make, 7), 1.5, reduction))


def cosines(make: Maker) -> Iterator[Sample]:
    for reduction in REDUCTIONS:
        yield Sample((make(7, 5), make(7, 5), signs(make, 7), 0.1, reduction))
    yield Sample((make(5), make(5), signs(make)))


def triplets(make: Maker) -> Iterator[Sample]:
    for reduction in REDUCTIONS:
        for swap in (False, True):
            a, p, n = make(7, 5), make(7, 5), make(7, 5)
            yield Sample((a, p, n, 1.0, 2.0, 1e-6, swap, reduction))


def vectors(make: Maker) -> Iterator[Sample]:
    yield Sample((make(4, 5), make(4, 5)))
    yield Sample((make(4, 5), make(4, 5), 0))
    yield Sample((make(2, 4, 5), make(5), -1))


def distances(make: Maker) -> Iterator[Sample]:
    yield Sample((make(4, 5), make(4, 5)))
    yield Sample((make(4, 5), make(5), 1.0, 1e-3, True))


TABLE = [
    Operator("mse_loss", with_target(), FLOATS, nn.mse_loss, method=False, low_tolerance=LOW),
    Operator(
        "mse_loss_backward",
        gradients(),
        FLOATS,
        aten.mse_loss_backward,
        method=False,
        low_tolerance=LOW,
    ),
    Operator("l1_loss", with_target(), FLOATS, nn.l1_loss, method=False, low_tolerance=LOW),
    Operator(
        "smooth_l1_loss",
        with_target((), (2.5,)),
        FLOATS,
        nn.smooth_l1_loss,
        method=False,
        low_tolerance=LOW,
    ),
    Operator(
        "smooth_l1_loss_backward",
        gradients(2.5),
        FLOATS,
        aten.smooth_l1_loss_backward,
        method=False,
        low_tolerance=LOW,
    ),
    Operator(
        "huber_loss",
        with_target((), (2.5,)),
        FLOATS,
        nn.huber_loss,
        method=False,
        low_tolerance=LOW,
    ),
    Operator(
        "huber_loss_backward",
        gradients(2.5),
        FLOATS,
        aten.huber_loss_backward,
        method=False,
        low_tolerance=LOW,
    ),
    Operator(
        "binary_cross_entropy",
        probabilities,
        FLOATS,
        nn.binary_cross_entropy,
        method=False,
        low_tolerance=LOW,
    ),
    Operator(
        "binary_cross_entropy_backward",
        probability_gradients,
        FLOATS,
        aten.binary_cross_entropy_backward,
        method=False,
        low_tolerance=LOW,
    ),
    Operator("binary_cross_entropy_with_logits", logits, FLOATS, method=False, low_tolerance=LOW),
    Operator("kl_div", divergences, FLOATS, method=False, low_tolerance=LOW),
    Operator("poisson_nll_loss", counts, FLOATS, method=False, low_tolerance=LOW),
    Operator(
        "soft_margin_loss", signed, FLOATS, nn.soft_margin_loss, method=False, low_tolerance=LOW
    ),
    Operator(
        "soft_margin_loss_backward",
        signed_gradients,
        FLOATS,
        aten.soft_margin_loss_backward,
        method=False,
        low_tolerance=LOW,
    ),
    Operator("margin_ranking_loss", ranked, FLOATS, method=False, low_tolerance=LOW),
    Operator("hinge_embedding_loss", hinged, FLOATS, method=False, low_tolerance=LOW),
    Operator("cosine_embedding_loss", cosines, FLOATS, method=False, low_tolerance=LOW),
    Operator("triplet_margin_loss", triplets, FLOATS, method=False, low_tolerance=LOW),
    Operator("cosine_similarity", vectors, FLOATS, method=False, low_tolerance=LOW),
    Operator("pairwise_distance", distances, FLOATS, method=False, low_tolerance=LOW),
]
