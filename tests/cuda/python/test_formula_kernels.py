"""Kernels on CUDA whose formula the CPU's loops share, and numbers beside 16-bit floats."""

from __future__ import annotations

import pytest

import torch

FLOATS = [torch.float, torch.double, torch.half, torch.bfloat16]
INTEGERS = [torch.uint8, torch.int8, torch.short, torch.int, torch.long]
NAMES = [
    "hypot",
    "copysign",
    "nextafter",
    "logaddexp",
    "logaddexp2",
    "maximum",
    "minimum",
    "add",
    "sub",
]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, float("inf"), float("-inf"), float("nan"), 6e-8, -3e4]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", NAMES)
def test_devices_agree_on_special_values(name: str, dtype: torch.dtype) -> None:
    values = torch.tensor(SPECIAL, dtype=dtype)
    left, right = values.repeat_interleave(len(SPECIAL)), values.repeat(len(SPECIAL))
    function = getattr(torch, name)
    found = function(left.cuda(), right.cuda())
    torch.testing.assert_close(found.cpu(), function(left, right), equal_nan=True)
    strided = function(left.cuda()[::3], right.cuda()[::3])
    torch.testing.assert_close(strided.cpu(), found.cpu()[::3], rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_sums_and_products_of_integers_wrap(dtype: torch.dtype) -> None:
    limits = torch.iinfo(dtype)
    left = torch.tensor([limits.max, limits.min, 3, limits.max], dtype=dtype)
    right = torch.tensor([limits.max, limits.min, 5, 1], dtype=dtype)
    for alpha in (1, -1, 3, 100):
        expected = torch.add(left, right, alpha=alpha)
        assert torch.equal(torch.add(left.cuda(), right.cuda(), alpha=alpha).cpu(), expected)
    assert torch.equal(torch.maximum(left.cuda(), right.cuda()).cpu(), torch.maximum(left, right))


def test_bools_and_complex_numbers() -> None:
    left, right = torch.tensor([True, True, False]), torch.tensor([True, False, False])
    for alpha in (True, False):
        expected = torch.add(left, right, alpha=alpha)
        assert torch.equal(torch.add(left.cuda(), right.cuda(), alpha=alpha).cpu(), expected)
    for dtype in (torch.cfloat, torch.cdouble):
        z, w = (torch.randn(40, dtype=dtype) for _ in range(2))
        torch.testing.assert_close(torch.add(z.cuda(), w.cuda(), alpha=2j).cpu(), z + 2j * w)
        torch.testing.assert_close(torch.logaddexp(z.cuda(), w.cuda()).cpu(), torch.logaddexp(z, w))


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16])
def test_numbers_are_not_rounded_to_16_bits(dtype: torch.dtype) -> None:
    x = torch.randn(100, dtype=dtype).cuda()
    number = torch.tensor(0.1, dtype=torch.double)  # in host memory
    expected = (x.float() + 0.1).to(dtype)
    assert torch.equal(x + 0.1, expected)
    assert torch.equal(x + number, expected)
    assert torch.equal(number + x, expected)
    assert torch.equal(torch.add(number, x, alpha=3), (0.1 + 3 * x.float()).to(dtype))
    assert torch.equal(
        torch.add(x, number, alpha=3), (x.float() + torch.tensor(0.1).cuda() * 3).to(dtype)
    )
    on_device = torch.tensor(0.1, dtype=torch.float).cuda()  # rounded by the kernel's loads
    assert torch.equal(x + on_device, x + on_device.to(dtype))
