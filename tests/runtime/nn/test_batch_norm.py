"""Batch norm of arrays that are processed in blocks of channels, against its definition."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import torch

EPS = 1e-5
SHAPES = [
    (4, 7, 64, 65),  # several blocks, the last of which is smaller
    (2, 3, 300, 301),  # channels too large for a block
    (9, 70, 3, 5),  # all channels in one block
    (50, 33),
]


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def expected(
    x: torch.Tensor, grad: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor
) -> list[torch.Tensor]:
    """Return the output, the mean, 1 / std and the gradients of all three, in float64."""
    x, grad, weight, bias = (t.double() for t in (x, grad, weight, bias))
    others = [d for d in range(x.dim()) if d != 1]
    shape = [-1 if d == 1 else 1 for d in range(x.dim())]
    mean, invstd = x.mean(others), (x.var(others, correction=0) + EPS).rsqrt()
    normal = (x - mean.view(shape)) * invstd.view(shape)
    of_weight, of_bias = (grad * normal).sum(others), grad.sum(others)
    count = x.numel() / x.shape[1]
    rest = grad - (of_bias.view(shape) + normal * of_weight.view(shape)) / count
    out = normal * weight.view(shape) + bias.view(shape)
    return [out, mean, invstd, rest * (weight * invstd).view(shape), of_weight, of_bias]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_training_follows_the_definition(
    shape: tuple[int, ...], dtype: torch.dtype, threads: int
) -> None:
    torch.manual_seed(0)
    x, grad = (torch.randn(shape).mul(2).add(1).to(dtype) for _ in range(2))
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    weight, bias = torch.randn(shape[1], dtype=wide), torch.randn(shape[1], dtype=wide)
    wanted = expected(x, grad, weight, bias)
    forward = torch.native_batch_norm(x, weight, bias, None, None, True, 0.1, EPS)
    backward = torch.ops.aten.native_batch_norm_backward(
        grad, x, weight, None, None, *forward[1:], True, EPS, [True] * 3
    )
    for found, value in zip((*forward, *backward), wanted, strict=True):
        # Sums of many elements are rounded relative to the sum of their sizes.
        tolerance = 1e-2 if found.dtype == torch.bfloat16 else 1e-4
        torch.testing.assert_close(found.double(), value, rtol=tolerance, atol=100 * EPS)


@pytest.mark.parametrize("mask", [[True, False, False], [False, True, True], [False] * 3])
def test_backward_computes_only_the_requested_gradients(mask: list[bool], threads: int) -> None:
    x, grad, weight = torch.randn(4, 7, 64, 65), torch.randn(4, 7, 64, 65), torch.randn(7)
    _, mean, invstd = torch.native_batch_norm(x, weight, weight, None, None, True, 0.1, EPS)

    def backward(mask: list[bool]) -> tuple[torch.Tensor, ...]:
        return torch.ops.aten.native_batch_norm_backward(
            grad, x, weight, None, None, mean, invstd, True, EPS, mask
        )

    for wanted, found, value in zip(mask, backward(mask), backward([True] * 3), strict=True):
        assert found is None or not wanted or torch.equal(found, value)
        assert wanted == (found is not None)


@pytest.mark.parametrize("shape", [(0, 3, 4, 4), (2, 3, 0, 4), (2, 0, 3), (0, 3), (2, 0)], ids=str)
def test_backward_of_an_empty_batch_is_empty(shape: tuple[int, ...]) -> None:
    x, statistics = torch.randn(shape), torch.ones(shape[1])
    grads = torch.ops.aten.native_batch_norm_backward(
        x, x, None, statistics, statistics, None, None, False, EPS, [True] * 3
    )
    assert grads[0].shape == x.shape
    assert torch.equal(grads[1], torch.zeros(shape[1]))
