"""Python numbers with 16-bit floats: which operators round the number first, and which do not.

PyTorch multiplies and divides a tensor by a number in single precision, and rounds exponents and
`alpha` to the tensor's dtype before it computes.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

import torch

DTYPES = [torch.float16, torch.bfloat16]
NUMBERS = [0.1, 3.3, 70000.0, 1e-9]
Operation = Callable[..., torch.Tensor]

UNROUNDED: dict[str, Operation] = {
    "mul": torch.mul,
    "div": torch.div,
    "floor": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "addcmul": lambda x, y: torch.addcmul(x, x, x, value=y),
    "addcdiv": lambda x, y: torch.addcdiv(x, x, x, value=y),
}


def numbers(dtype: torch.dtype, size: int = 257) -> torch.Tensor:
    return (torch.arange(1.0, 1.0 + size) / 7).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", UNROUNDED)
def test_a_number_on_the_right_is_not_rounded(name: str, number: float, dtype: torch.dtype) -> None:
    operation, x = UNROUNDED[name], numbers(dtype)
    assert torch.equal(operation(x, number), operation(x.float(), number).to(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["mul", "div", "floor", "trunc"])
def test_a_zero_dimensional_tensor_on_the_right_is_not_rounded(
    name: str, dtype: torch.dtype
) -> None:
    operation, number = UNROUNDED[name], torch.tensor(0.1, dtype=torch.float64)
    for x in (numbers(dtype), numbers(dtype)[::2], numbers(dtype)[:, None].expand(-1, 3)):
        assert torch.equal(operation(x, number), operation(x.float(), 0.1).to(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_in_place_and_into_another_dtype(dtype: torch.dtype) -> None:
    x = numbers(dtype)
    expected = (x.float() * 0.1).to(dtype)
    assert torch.equal(x.clone().mul_(0.1), expected)
    assert torch.equal(torch.mul(x, 0.1, out=torch.empty(x.shape)), expected.float())


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_number_on_the_left_is_rounded(dtype: torch.dtype) -> None:
    x, number = numbers(dtype), torch.tensor(0.1)
    rounded = number.to(dtype).float()
    assert torch.equal(number * x, (rounded * x.float()).to(dtype))
    assert torch.equal(number / x, (rounded / x.float()).to(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_exponents_and_alpha_are_rounded(dtype: torch.dtype) -> None:
    x = numbers(dtype)
    rounded = torch.tensor(3.3, dtype=dtype).item()
    assert torch.equal(x**3.3, x**rounded)
    assert torch.equal(torch.add(x, x, alpha=3.3), torch.add(x, x, alpha=rounded))


def test_an_exponent_beyond_the_dtype_is_refused() -> None:
    with pytest.raises(RuntimeError, match="cannot be converted to type c10::Half"):
        torch.ones(2, dtype=torch.float16) ** 70000


@pytest.mark.parametrize("dtype", [*DTYPES, torch.float32, torch.complex64])
def test_data_beyond_the_dtype_becomes_infinite(dtype: torch.dtype) -> None:
    assert torch.tensor([1e300, -1e300], dtype=dtype).real.tolist() == [torch.inf, -torch.inf]


@pytest.mark.parametrize("dtype", [*DTYPES, torch.float64, torch.complex128])
def test_a_large_int_is_rounded_to_the_dtype(dtype: torch.dtype) -> None:
    expected = torch.inf if dtype is torch.float16 else 2.0**70
    assert torch.tensor([2**70], dtype=dtype).real.item() == expected


def test_integers_must_fit_into_the_dtype() -> None:
    for data in ([300], [float("nan")]):
        with pytest.raises(RuntimeError, match="without overflow"):
            torch.tensor(data, dtype=torch.uint8)


@pytest.mark.parametrize("dtype", DTYPES)
def test_scalar_tensor_becomes_infinite_where_full_refuses(dtype: torch.dtype) -> None:
    assert torch.scalar_tensor(1e300, dtype=dtype).item() == torch.inf
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.full((2,), 1e300, dtype=dtype)
