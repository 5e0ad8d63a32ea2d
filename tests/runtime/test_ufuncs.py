"""Operators whose loops are generated from a formula: vectors, tails, strides and special values.

NumPy computes the expected values, in double precision where that is exact enough.
"""

from __future__ import annotations

import numpy as np
import pytest

import torch

FLOATS = [torch.float, torch.double, torch.half, torch.bfloat16]
INTEGERS = [torch.uint8, torch.int8, torch.short, torch.int, torch.long]
NAMES = ["hypot", "copysign", "logaddexp", "logaddexp2", "maximum", "minimum", "add"]
SIZES = [1, 7, 16, 67, 1003]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -17.0, float("inf"), float("-inf"), 6e-8, 3e4, float("nan")]


def numbers(dtype: torch.dtype, size: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(size, generator=generator, dtype=torch.double).mul(5).to(dtype)
    return torch.randint(-100, 100, (size,), generator=generator).to(dtype)


def expected(name: str, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    with np.errstate(all="ignore"):
        result = getattr(np, name)(left.double().numpy(), right.double().numpy())
    return torch.from_numpy(np.asarray(result)).to(left.dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", NAMES)
def test_values_agree_with_numpy(name: str, dtype: torch.dtype) -> None:
    for size in SIZES:
        left, right = numbers(dtype, size), numbers(dtype, size, 1)
        found = getattr(torch, name)(left, right)
        torch.testing.assert_close(found, expected(name, left, right))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", NAMES)
def test_special_values_agree_with_numpy(name: str, dtype: torch.dtype) -> None:
    values = torch.tensor(SPECIAL, dtype=dtype)
    left, right = values.repeat_interleave(len(SPECIAL)), values.repeat(len(SPECIAL))
    if name == "copysign":  # the sign of NaN is not kept by all conversions
        left, right = left[~right.isnan()], right[~right.isnan()]
    found = getattr(torch, name)(left, right)
    torch.testing.assert_close(found, expected(name, left, right), equal_nan=True)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", [*NAMES, "nextafter"])
def test_every_layout_gives_the_same_bits(name: str, dtype: torch.dtype) -> None:
    function = getattr(torch, name)
    left, right = numbers(dtype, 300), numbers(dtype, 300, 1)
    whole = function(left, right)
    for step in (2, 3):
        strided = function(left[::step], right[::step])
        assert torch.equal(strided, whole[::step])
    turned = function(left.view(20, 15).t(), right.view(20, 15).t())
    assert torch.equal(turned, whole.view(20, 15).t())
    assert torch.equal(function(left, right[3]), function(left, right[3].expand(300).clone()))
    out = torch.empty(300, dtype=torch.double)
    assert torch.equal(function(left, right, out=out), whole.double())


@pytest.mark.parametrize("dtype", [torch.float, torch.double])
def test_hypot_neither_overflows_nor_underflows(dtype: torch.dtype) -> None:
    limits = torch.finfo(dtype)
    large, small = limits.max / 4, limits.tiny * 4
    x = torch.tensor([3 * large / 4, 3 * small, 0.0, limits.max], dtype=dtype)
    y = torch.tensor([large, 4 * small, -small, 0.0], dtype=dtype)
    found = torch.hypot(x, y)
    torch.testing.assert_close(
        found / x.maximum(y.abs()), torch.tensor([1.25, 1.25, 1, 1]).to(dtype)
    )
    infinite = torch.hypot(
        torch.tensor([float("inf"), float("nan")]), torch.tensor([float("nan"), float("-inf")])
    )
    assert infinite.isposinf().all()


@pytest.mark.parametrize("dtype", [torch.float, torch.double])
def test_hypot_is_precise(dtype: torch.dtype) -> None:
    x, y = numbers(dtype, 100_000), numbers(dtype, 100_000, 1)
    exact = np.hypot(x.numpy().astype(np.longdouble), y.numpy().astype(np.longdouble))
    found = torch.hypot(x, y).numpy()
    ulps = np.abs(found.astype(np.longdouble) - exact) / np.spacing(found).astype(np.longdouble)
    assert ulps.max() <= 2


@pytest.mark.parametrize("dtype", [torch.float, torch.double])
def test_nextafter_is_numpys(dtype: torch.dtype) -> None:
    values = torch.tensor([*SPECIAL, torch.finfo(dtype).max, -torch.finfo(dtype).tiny], dtype=dtype)
    left, right = values.repeat_interleave(len(values)), values.repeat(len(values))
    with np.errstate(all="ignore"):
        wanted = torch.from_numpy(np.nextafter(left.numpy(), right.numpy()))
    found = torch.nextafter(left, right)
    torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)
    numbered = ~wanted.isnan()
    assert torch.equal(found.signbit()[numbered], wanted.signbit()[numbered])


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16])
def test_neighbors_of_16_bit_floats_differ_in_one_bit_pattern(dtype: torch.dtype) -> None:
    every = torch.arange(-(2**15), 2**15).to(torch.int16).view(dtype)
    finite = every[every.isfinite() & (every > 0)]
    up = torch.nextafter(finite, torch.full_like(finite, float("inf")))
    assert torch.equal(up.view(torch.int16), finite.view(torch.int16) + 1)
    down = torch.nextafter(finite, torch.zeros_like(finite))
    assert torch.equal(down.view(torch.int16), finite.view(torch.int16) - 1)
    assert (
        torch.nextafter(torch.zeros(1, dtype=dtype), -torch.ones(1, dtype=dtype)).view(torch.int16)
        == -(2**15) + 1
    )


@pytest.mark.parametrize("alpha", [1, -1, 0, 3, -7, 100])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_sums_of_integers_wrap(dtype: torch.dtype, alpha: int) -> None:
    limits = torch.iinfo(dtype)
    left = torch.cat([torch.tensor([limits.max, limits.min]).to(dtype), numbers(dtype, 70)])
    right = torch.cat([torch.tensor([limits.max, limits.min]).to(dtype), numbers(dtype, 70, 1)])
    with np.errstate(over="ignore"):
        product = right.numpy() * np.array(alpha % 2**64, np.uint64).astype(right.numpy().dtype)
        total = left.numpy() + product
        difference = left.numpy() - product
    assert torch.equal(torch.add(left, right, alpha=alpha), torch.from_numpy(total))
    assert torch.equal(torch.sub(left, right, alpha=alpha), torch.from_numpy(difference))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_extremes_of_integers_respect_the_sign(dtype: torch.dtype) -> None:
    left, right = numbers(dtype, 77), numbers(dtype, 77, 1)
    wanted = np.maximum(left.numpy(), right.numpy()), np.minimum(left.numpy(), right.numpy())
    assert torch.equal(torch.maximum(left, right), torch.from_numpy(wanted[0]))
    assert torch.equal(torch.minimum(left, right), torch.from_numpy(wanted[1]))


def test_sums_of_bools_are_disjunctions() -> None:
    left, right = numbers(torch.int, 70) > 0, numbers(torch.int, 70, 1) > 0
    assert torch.equal(torch.add(left, right), left | right)
    assert torch.equal(torch.add(left, right, alpha=False), left)
    assert torch.equal(torch.maximum(left, right), left | right)


@pytest.mark.parametrize("dtype", [torch.cfloat, torch.cdouble])
def test_complex_numbers(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(0)
    z, w = (torch.randn(67, dtype=dtype, generator=generator) for _ in range(2))
    torch.testing.assert_close(torch.add(z, w, alpha=2 - 1j), z + (2 - 1j) * w)
    torch.testing.assert_close(torch.logaddexp(z, w), (z.exp() + w.exp()).log())


@pytest.mark.parametrize("name", ["hypot", "nextafter", "logaddexp", "logaddexp2"])
def test_other_dtypes_are_errors(name: str) -> None:
    with pytest.raises(NotImplementedError, match=f"\"{name}_cpu\" not implemented for 'Int'"):
        getattr(torch, name)(torch.ones(2, dtype=torch.int), torch.ones(2, dtype=torch.int))
    with pytest.raises(NotImplementedError, match="\"add_stub\" not implemented for 'UInt16'"):
        torch.ones(2, dtype=torch.uint16) + torch.ones(2, dtype=torch.uint16)
