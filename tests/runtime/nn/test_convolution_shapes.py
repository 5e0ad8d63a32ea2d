"""Convolutions and their gradients agree with products over unfolded images, in every kernel's range of shapes."""

from __future__ import annotations

import pytest

import torch

aten = torch.ops.aten
fold, unfold = torch.nn.functional.fold, torch.nn.functional.unfold

# batch, input channels, output channels, size, kernel, stride, padding, groups, dilation
SHAPES = {
    "1x1": (2, 64, 64, 14, 1, 1, 0, 1, 1),
    "1x1 with a stride": (3, 64, 48, 19, 1, 2, 0, 1, 1),
    "1x1, odd channels": (1, 17, 33, 9, 1, 1, 0, 1, 1),
    "1x1 in groups": (2, 32, 32, 9, 1, 1, 0, 2, 1),
    "1x1 of few positions": (2, 24, 40, 3, 1, 1, 0, 1, 1),
    "3x3": (2, 64, 64, 13, 3, 1, 1, 1, 1),
    "3x3 on short rows": (2, 32, 40, 7, 3, 1, 1, 1, 1),
    "3x3 on the shortest rows": (1, 16, 64, 3, 3, 1, 1, 1, 1),
    "3x3 on many small images": (23, 32, 40, 7, 3, 1, 1, 1, 1),
    "3x3 with a stride on many small images": (9, 32, 48, 13, 3, 2, 1, 1, 1),
    "3x3 of many channels": (3, 160, 48, 7, 3, 1, 1, 1, 1),
    "3x3 with a stride": (2, 48, 64, 9, 3, 2, 1, 1, 1),
    "3x3 of many channels with a stride": (2, 128, 48, 7, 3, 2, 1, 1, 1),
    "3x3 of many channels with a dilation": (2, 128, 48, 8, 3, 1, 2, 1, 2),
    "3x3 of many channels, padded by 3": (1, 128, 32, 6, 3, 1, 3, 1, 1),
    "3x3 of many channels on one position": (2, 128, 48, 1, 3, 1, 1, 1, 1),
    "3x3 of many channels in groups": (1, 256, 64, 5, 3, 1, 1, 2, 1),
    "5x5 of many channels": (1, 96, 40, 6, 5, 1, 2, 1, 1),
    "3x3 with a dilation": (2, 32, 64, 10, 3, 1, 2, 2, 2),
    "planes of whole cache lines": (1, 32, 32, 14, 3, 1, 1, 1, 1),
    "2x2": (2, 18, 34, 12, 2, 1, 0, 1, 1),
    "5x5": (2, 20, 36, 11, 5, 1, 2, 1, 1),
    "7x7": (1, 16, 20, 17, 7, 1, 3, 1, 1),
    "15x15": (1, 8, 24, 20, 15, 1, 7, 1, 1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", SHAPES)
def test_convolution_agrees_with_products(name: str, dtype: torch.dtype) -> None:
    n, inputs, outputs, size, kernel, stride, padding, groups, dilation = SHAPES[name]
    torch.manual_seed(0)
    x = torch.randn(n, inputs, size, size, dtype=dtype)
    w = torch.randn(outputs, inputs // groups, kernel, kernel, dtype=dtype)
    b = torch.randn(outputs, dtype=dtype)
    y = torch.conv2d(x, w, b, stride, padding, dilation, groups)
    g = torch.randn_like(y)
    dx, dw, db = aten.convolution_backward(
        g, x, w, [outputs], [stride] * 2, [padding] * 2, [dilation] * 2, False, [0, 0], groups,
        [True, True, True],
    )  # fmt: skip

    rows = unfold(x.double(), kernel, dilation, padding, stride)
    rows = rows.view(n, groups, inputs // groups * kernel**2, -1)
    factors = w.double().view(1, groups, outputs // groups, -1)
    grads = g.double().view(n, groups, outputs // groups, -1)
    expected_dx = fold(
        (factors.mT @ grads).reshape(n, inputs * kernel**2, -1),
        (size, size), kernel, dilation, padding, stride,
    )  # fmt: skip
    expected = {
        "output": (y, (factors @ rows).reshape(y.shape) + b.double().view(1, -1, 1, 1)),
        "gradient of the input": (dx, expected_dx),
        "gradient of the weight": (dw, (grads @ rows.mT).sum(0).reshape(w.shape)),
        "gradient of the bias": (db, g.double().sum((0, 2, 3))),
    }
    tolerance = 1e-5 if dtype == torch.float32 else 1e-13
    for what, (actual, reference) in expected.items():
        scale = float(reference.abs().max())
        error = float((actual.double() - reference).abs().max())
        assert error <= tolerance * scale, (what, error / scale)


def test_libraries_derive_convolutions() -> None:
    class Own(torch.nn.modules.conv._ConvNd):
        def __init__(self, transposed: bool) -> None:
            super().__init__(
                2, 4, (3, 3), (1, 1), (1, 1), (1, 1), transposed, (0, 0), 1, False, "zeros"
            )

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.conv2d(x, self.weight, self.bias, self.stride, self.padding)

    own = Own(False)
    assert repr(own) == ("Own(2, 4, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), bias=False)")
    assert own(torch.ones(1, 2, 4, 4)).shape == (1, 4, 4, 4)
    assert (Own(True).weight.shape, Own(True).transposed) == ((2, 4, 3, 3), True)


@pytest.mark.parametrize(
    ("dtype", "outputs"), [(torch.float32, 16), (torch.float32, 20), (torch.float64, 8)], ids=str
)
def test_rows_of_any_length_with_few_output_channels(dtype: torch.dtype, outputs: int) -> None:
    for width in range(1, 34):
        height = width % 5 + 1  # a few rows are computed together
        x = torch.rand(1, 5, height + 4, width + 4, dtype=dtype)
        w = torch.rand(outputs, 5, 5, 5, dtype=dtype)
        want = (w.double().view(outputs, -1) @ unfold(x.double(), 5)).view(1, outputs, height, -1)
        torch.testing.assert_close(torch.conv2d(x, w), want.to(dtype))
