"""The gradients of grid_sample agree between images of many channels and single channels."""

from __future__ import annotations

import pytest

import torch

aten = torch.ops.aten
MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("channels", [16, 19])
@pytest.mark.parametrize("dims", [2, 3])
def test_channels_are_independent(
    dims: int, channels: int, mode: str, padding: str, dtype: torch.dtype
) -> None:
    if dims == 3 and mode == "bicubic":
        return  # defined for two dimensions only
    torch.manual_seed(0)
    sizes = (5, 6, 3)[:dims]
    backward = aten.grid_sampler_2d_backward if dims == 2 else aten.grid_sampler_3d_backward
    x = torch.randn(3, channels, *sizes, dtype=dtype)
    grid = torch.rand(3, 5, 7, *(1,) * (dims - 2), dims, dtype=dtype) * 3 - 1.5
    g = torch.randn(3, channels, *grid.shape[1:-1], dtype=dtype)
    rest = grid, MODES[mode], PADDINGS[padding], False

    parts = [
        backward(g[:, c : c + 1].contiguous(), x[:, c : c + 1].contiguous(), *rest, [True, True])
        for c in range(channels)
    ]
    expected = torch.cat([of_x for of_x, _ in parts], 1), sum(of_grid for _, of_grid in parts)

    tolerance = 1e-4 if dtype == torch.float32 else 1e-12
    for wanted in ([True, True], [True, False], [False, True]):
        results = backward(g, x, *rest, wanted)
        for result, reference, is_wanted in zip(results, expected, wanted, strict=True):
            if is_wanted:
                torch.testing.assert_close(result, reference, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dims", [2, 3])
def test_second_derivatives(dims: int, mode: str, padding: str, align_corners: bool) -> None:
    if dims == 3 and mode == "bicubic":
        return
    torch.manual_seed(0)
    x = torch.randn(2, 2, *(3, 4, 2)[:dims], dtype=torch.float64, requires_grad=True)
    grid = torch.rand(2, *(2, 1, 1)[:dims], dims, dtype=torch.float64) * 2.6 - 1.3

    def sampled(x: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.grid_sample(x, grid, mode, padding, align_corners)

    assert torch.autograd.gradgradcheck(sampled, (x, grid.requires_grad_()))
