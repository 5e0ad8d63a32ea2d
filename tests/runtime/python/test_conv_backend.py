"""The backend that a convolution's arguments select, with PyTorch's names and numbers."""

from __future__ import annotations

import pytest

import torch

Backend = torch._C._ConvBackend


def select(shape: tuple[int, ...], kernel: tuple[int, ...], dilation: int = 1, transposed=False):
    dims = len(shape) - 2
    return torch._C._select_conv_backend(
        torch.ones(shape, dtype=torch.float64),
        torch.ones(kernel, dtype=torch.float64),
        None,
        [1] * dims,
        [0] * dims,
        [dilation] * dims,
        transposed,
        [0] * dims,
        1,
    )


@pytest.mark.parametrize(
    ("backend", "arguments"),
    [
        ("Slow2d", {"shape": (2, 3, 8, 8), "kernel": (4, 3, 3, 3)}),
        ("Slow2d", {"shape": (2, 3, 8), "kernel": (4, 3, 3)}),
        ("Slow3d", {"shape": (2, 3, 8, 8, 8), "kernel": (4, 3, 3, 3, 3)}),
        ("SlowDilated2d", {"shape": (2, 3, 8, 8), "kernel": (4, 3, 3, 3), "dilation": 2}),
        ("SlowTranspose2d", {"shape": (2, 3, 8, 8), "kernel": (3, 4, 3, 3), "transposed": True}),
        ("Empty", {"shape": (0, 3, 8, 8), "kernel": (4, 3, 3, 3)}),
    ],
)
def test_selects_by_shape(backend: str, arguments: dict) -> None:
    assert select(**arguments) is Backend[backend]


def test_names_and_numbers_equal_those_of_pytorch() -> None:
    assert Backend.CudaDepthwise2d.value == 0
    assert Backend.Slow2d.value == 13
    assert str(Backend.Slow2d) == "_ConvBackend.Slow2d"


def test_invalid_arguments_of_convolution_are_refused() -> None:
    with pytest.raises(RuntimeError, match="channels"):
        select((2, 5, 8, 8), (4, 3, 3, 3))
