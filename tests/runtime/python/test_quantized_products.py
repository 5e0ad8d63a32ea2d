"""The native products of quantized layers are exact with every kind of processor and number of threads."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from pathlib import Path

import pytest

import torch

PROGRAM = Path(__file__).parent / "quantized_products.py"
pytestmark = pytest.mark.filterwarnings("ignore")
ops = torch.ops.quantized


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize(
    ("capability", "tiles"),
    [("default", "0"), ("avx2", "0"), ("avx512", "0"), ("avx512", "1")],
)
def test_products_are_exact(capability: str, tiles: str, threads: str) -> None:
    environment = {**os.environ, "ATEN_CPU_CAPABILITY": capability}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(PROGRAM), threads, tiles],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def weight(*shape: int) -> torch.Tensor:
    return torch.quantize_per_tensor(torch.ones(shape), 0.1, 0, torch.qint8)


def test_weights_are_packed_once() -> None:
    packed = ops.linear_prepack(weight(3, 4), None)
    assert packed.product is packed.product
    again = copy.deepcopy(packed)
    x = torch.randn(2, 4)
    assert torch.equal(ops.linear_dynamic(x, again), ops.linear_dynamic(x, packed))


def test_transposed_convolutions_have_no_native_product() -> None:
    packed = ops.conv_transpose1d_prepack(weight(3, 4, 2), None, [1], [0], [0], [1], 1)
    assert packed.product is None


def test_gradients_end_at_quantized_layers() -> None:
    bias, x = torch.ones(3, requires_grad=True), torch.ones(2, 4, requires_grad=True)
    assert not ops.linear_dynamic(x, ops.linear_prepack(weight(3, 4), bias)).requires_grad


def test_inputs_of_other_sizes_are_refused() -> None:
    x = torch.quantize_per_tensor(torch.ones(2, 5), 0.1, 0, torch.quint8)
    linear = ops.linear_prepack(weight(3, 4), None)
    with pytest.raises(RuntimeError, match="expected an input with 4 elements"):
        ops.linear(x, linear, 0.1, 0)
    with pytest.raises(RuntimeError, match="expected an input with 4 elements"):
        ops.linear_dynamic(torch.ones(2, 5), linear)
    with pytest.raises(RuntimeError, match="larger than or equal to 2"):
        ops.linear_dynamic(torch.ones(4), linear)
    conv = ops.conv2d_prepack(weight(3, 4, 1, 1), None, [1, 1], [0, 0], [1, 1], 1)
    with pytest.raises(RuntimeError, match="have 4 dimensions, got 2"):
        ops.conv2d(x, conv, 0.1, 0)
    with pytest.raises(RuntimeError, match="expected an input with 4 channels, got 5"):
        ops.conv2d(x.reshape(1, 5, 2, 1), conv, 0.1, 0)
    conv = ops.conv2d_prepack(weight(3, 3, 1, 1), None, [1, 1], [0, 0], [1, 1], 1)
    with pytest.raises(RuntimeError, match="expected an input with 3 channels, got 1"):
        ops.conv2d(x[:, :1, None, None], conv, 0.1, 0)


def test_zero_points_have_16_bits() -> None:
    x = torch.quantize_per_tensor(torch.ones(2, 4), 0.1, 0, torch.quint8)
    linear = ops.linear_prepack(weight(3, 4), None)
    assert ops.linear(x, linear, 1.0, -300).int_repr().tolist() == [[0] * 3] * 2
    with pytest.raises(RuntimeError, match="expected a zero point of 16 bits, got 40000"):
        ops.linear(x, linear, 0.1, 40000)


def test_products_without_numbers_have_the_values_of_the_bias() -> None:
    packed = ops.linear_prepack(weight(3, 4), torch.arange(3.0))
    assert ops.linear_dynamic(torch.zeros(0, 4), packed).shape == (0, 3)
    assert torch.equal(
        ops.linear_dynamic(torch.zeros(2, 4), packed), torch.arange(3.0).expand(2, 3)
    )
    with pytest.raises(RuntimeError, match="min should be less than or equal to max"):
        ops.linear_dynamic(torch.full((2, 4), torch.nan), packed)
