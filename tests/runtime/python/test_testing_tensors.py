"""torch.testing: what assert_close compares first, and the ranges of make_tensor."""

from __future__ import annotations

from typing import Any

import pytest

import torch
from torch.testing import assert_close, make_tensor

ONES, MATRIX = torch.ones(2), torch.ones(3, 2)


def quantized(values: torch.Tensor, scale: float = 1.0) -> Any:
    """Return a quantized tensor."""
    return torch.quantize_per_tensor(values, scale, 0, torch.qint32)


CASES = {
    "attribute 'is_quantized' do not match: False": lambda: (ONES, quantized(ONES)),
    "attribute 'qscheme": lambda: (
        quantized(ONES),
        torch.quantize_per_channel(ONES, ONES, torch.zeros(2), 0, torch.qint32),
    ),
    "Quantized tensor-likes are not close": lambda: (quantized(ONES), quantized(2 * ONES)),
    "sparse dimensions in sparse COO tensors does not match: 1 != 2": lambda: (
        MATRIX.to_sparse(1),
        MATRIX.to_sparse(2),
    ),
    "attribute 'layout'": lambda: (ONES.to_sparse(), torch.ones(2, device="meta")),
    "attribute 'stride": lambda: (torch.ones(2, 2), torch.ones(2, 2).t().double()),
    "attribute 'device'": lambda: (ONES, torch.ones(2, device="meta", dtype=torch.float64)),
}


@pytest.mark.filterwarnings("ignore:.*quantized tensor creation functions:UserWarning")
@pytest.mark.parametrize("message", CASES)
def test_the_first_difference_is_reported(message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        assert_close(*CASES[message](), check_stride=True)


@pytest.mark.filterwarnings("ignore:.*quantized tensor creation functions:UserWarning")
def test_quantized_tensors_are_close_if_their_numbers_are() -> None:
    assert_close(quantized(ONES), quantized(ONES, 0.5))


@pytest.mark.parametrize(
    ("dtype", "low", "high", "supported"),
    [
        (torch.uint8, -5, -3, "0, 256"),
        (torch.uint8, 300, 400, "0, 256"),
        (torch.bool, 5, 9, "0, 2"),
        (torch.float32, 1e39, 1e40, "-3.40"),
        (torch.float64, 10**400, 10**401, "-1.79"),
    ],
)
def test_ranges_outside_of_the_dtype_are_refused(
    dtype: torch.dtype, low: float, high: float, supported: str
) -> None:
    with pytest.raises(ValueError, match=rf"but {dtype} only supports \[{supported}"):
        make_tensor(2, dtype=dtype, device="cpu", low=low, high=high)


def test_ranges_reach_the_greatest_integer() -> None:
    assert make_tensor(2, dtype=torch.uint8, device="cpu", low=255, high=256).tolist() == [255] * 2


def test_empty_ranges_of_floats_are_deprecated() -> None:
    with pytest.warns(FutureWarning, match=r"Passing `low==high`.* is deprecated"):
        assert make_tensor(1, dtype=torch.float32, device="cpu", low=3, high=3).item() == 3
    with pytest.raises(ValueError, match="must be less than"):
        make_tensor(1, dtype=torch.int32, device="cpu", low=3, high=3)


@pytest.mark.parametrize(
    "name", ["uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2", "complex32"]
)
def test_rare_dtypes_are_drawn(name: str) -> None:
    dtype = getattr(torch, name)
    made = make_tensor((2, 3), dtype=dtype, device="cpu", low=1, high=5)
    assert made.dtype is dtype and made.shape == (2, 3)


def test_quantized_dtypes_are_refused() -> None:
    with pytest.raises(TypeError, match=r"'torch\.qint8' is not supported"):
        make_tensor(2, dtype=torch.qint8, device="cpu")
