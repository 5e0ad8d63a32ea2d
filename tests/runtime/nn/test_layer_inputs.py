"""Layers that learn their sizes from the first input can be converted before it; inputs that do not fit are refused."""

from __future__ import annotations

import pytest

import torch
from torch import nn


@pytest.mark.parametrize("layer", [nn.LazyBatchNorm1d, nn.LazyInstanceNorm1d, nn.LazyLinear])
def test_a_converted_layer_takes_its_first_input(layer: type[nn.Module]) -> None:
    options = (
        {"out_features": 3}
        if layer is nn.LazyLinear
        else {"affine": True, "track_running_stats": True}
    )
    made = layer(**options).double()
    result = made(torch.randn(2, 4, 6, dtype=torch.float64))
    assert result.dtype == torch.float64
    assert all(value.dtype == torch.float64 for value in made.state_dict().values() if value.dim())
    assert "Lazy" not in type(made).__name__


def test_buffers_without_a_size_stay_so_when_they_move() -> None:
    buffer = nn.LazyBatchNorm2d().to("meta").running_mean
    assert isinstance(buffer, nn.UninitializedBuffer) and buffer.is_meta


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_circular_padding_refuses_inputs_of_other_ranks(dims: int) -> None:
    layer = getattr(nn, f"CircularPad{dims}d")(1)
    with pytest.raises(ValueError, match=f"expected {dims + 1}D or {dims + 2}D input"):
        layer(torch.ones(3))
    assert layer(torch.ones(1, *(2,) * dims)).shape == (1, *(4,) * dims)


def test_bilinear_refuses_sizes_that_do_not_fit() -> None:
    layer = nn.Bilinear(4, 3, 2)
    with pytest.raises(RuntimeError, match="input1 size does not match weight size"):
        layer(torch.ones(2, 1), torch.ones(2, 1))
    one, two = torch.randn(5, 4), torch.randn(5, 3)
    expected = torch.einsum("bi,oij,bj->bo", one, layer.weight, two) + layer.bias
    torch.testing.assert_close(layer(one, two), expected)
