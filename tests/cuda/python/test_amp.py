"""Autocast and gradient scaling on CUDA devices."""

from __future__ import annotations

import pytest

import torch


def test_regions_cast_by_the_lists_of_cuda() -> None:
    x = torch.ones(4, 4, device="cuda")
    with torch.autocast("cuda"):
        assert torch.is_autocast_enabled("cuda") and torch.is_autocast_enabled()
        half = x.half()
        assert torch.exp(half).dtype == torch.float32
        assert half.pow(2).dtype == torch.float32
        assert (half + half).dtype == torch.float16
        assert torch.addcmul(x, half, half).dtype == torch.float32
        with pytest.raises(RuntimeError, match="unsafe to autocast"):
            torch.nn.functional.binary_cross_entropy(x, x)
        # A region for CUDA does not concern the CPU.
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.float32
    assert torch.exp(x.half()).dtype == torch.float16


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_products_run_in_the_lower_precision(dtype: torch.dtype) -> None:
    x = torch.ones(4, 4, device="cuda")
    with torch.autocast("cuda", dtype=dtype):
        assert torch.mm(x, x).dtype == dtype
        with torch.autocast("cpu"):
            assert torch.mm(x, x).dtype == dtype
            assert torch.mm(x.cpu(), x.cpu()).dtype == torch.bfloat16


def test_scaled_gradients_and_overflows() -> None:
    weight = torch.ones(3, device="cuda", requires_grad=True)
    scaler = torch.amp.GradScaler("cuda", init_scale=8.0)
    scaled = scaler.scale(weight.detach())
    assert scaled.tolist() == [8.0] * 3
    optimizer = torch.optim.SGD([weight], lr=1.0)
    weight.grad = torch.full((3,), 16.0, device="cuda")
    scaler.unscale_(optimizer)
    assert weight.grad.tolist() == [2.0] * 3
    scaler.update()
    assert scaler.get_scale() == 8.0
    weight.grad = torch.tensor([1.0, float("inf"), 1.0], device="cuda")
    assert scaler.step(optimizer) is None
    scaler.update()
    assert weight.tolist() == [1.0] * 3
    assert scaler.get_scale() == 4.0
