"""The 8-bit floats and the dtypes that are storage alone."""

from __future__ import annotations

import copy
import io
import json
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import torch

PEER = os.environ.get("TORCH_PEER")
SCRIPT = Path(__file__).with_name("float8_outcomes.py")
FORMATS = [
    torch.float8_e4m3fn,
    torch.float8_e5m2,
    torch.float8_e4m3fnuz,
    torch.float8_e5m2fnuz,
    torch.float8_e8m0fnu,
]
SECTIONS = ("conversions", "properties", "tensors")
# The bits of the mantissa, the exponent's bias, and the codes that are not finite numbers.
DEFINITIONS = {
    torch.float8_e4m3fn: (3, 7, {0x7F, 0xFF}),
    torch.float8_e5m2: (2, 15, set(range(0x7C, 0x80)) | set(range(0xFC, 0x100))),
    torch.float8_e4m3fnuz: (3, 8, {0x80}),
    torch.float8_e5m2fnuz: (2, 16, {0x80}),
}

each_format = pytest.mark.parametrize("dtype", FORMATS, ids=str)


def all_codes(dtype: torch.dtype) -> torch.Tensor:
    return torch.arange(256, dtype=torch.uint8).view(dtype)


def finite(dtype: torch.dtype) -> torch.Tensor:
    """The finite numbers of a format as float64, in order."""
    values = all_codes(dtype).double()
    return values[values.isfinite()].sort().values


@pytest.mark.parametrize("dtype", DEFINITIONS, ids=str)
def test_every_code_has_the_value_of_the_format(dtype: torch.dtype) -> None:
    mantissa_bits, bias, specials = DEFINITIONS[dtype]
    for code, value in enumerate(all_codes(dtype).tolist()):
        exponent = code >> mantissa_bits & (2 ** (7 - mantissa_bits) - 1)
        mantissa = (code & (2**mantissa_bits - 1)) / 2**mantissa_bits
        sign = -1 if code & 0x80 else 1
        if code in specials:
            assert not math.isfinite(value)
        elif exponent == 0:
            assert value == sign * mantissa * 2.0 ** (1 - bias)
        else:
            assert value == sign * (1 + mantissa) * 2.0 ** (exponent - bias)


def test_the_codes_of_e8m0_are_powers_of_two() -> None:
    values = all_codes(torch.float8_e8m0fnu).tolist()
    assert values[:-1] == [2.0 ** (code - 127) for code in range(255)]
    assert math.isnan(values[-1])


@each_format
def test_every_number_survives_a_round_trip(dtype: torch.dtype) -> None:
    numbers = all_codes(dtype)
    again = numbers.float().to(dtype)
    known = ~numbers.isnan()
    assert torch.equal(again.view(torch.uint8)[known], numbers.view(torch.uint8)[known])
    assert again[~known].isnan().all()


@pytest.mark.parametrize("dtype", DEFINITIONS, ids=str)
def test_ties_round_to_the_even_code(dtype: torch.dtype) -> None:
    numbers = finite(dtype)
    numbers = numbers[numbers >= 0].unique()
    middles = ((numbers[1:] + numbers[:-1]) / 2).float().to(dtype).view(torch.uint8)
    below = numbers[:-1].float().to(dtype).view(torch.uint8)
    assert torch.equal(middles, below + below % 2)


def test_numbers_beyond_the_largest() -> None:
    large = torch.tensor([1e6, -1e6, float("inf")])
    assert large.to(torch.float8_e4m3fn).tolist() == [448.0, -448.0, 448.0]
    assert large.to(torch.float8_e5m2).tolist() == [math.inf, -math.inf, math.inf]
    assert large.to(torch.float8_e4m3fnuz).isnan().all()
    assert large.to(torch.float8_e5m2fnuz).isnan().all()
    assert large.to(torch.float8_e8m0fnu)[-1].isnan()
    with pytest.raises(RuntimeError, match="c10::Float8_e4m3fn without overflow"):
        torch.full((2,), 1e6, dtype=torch.float8_e4m3fn)


@each_format
def test_long_and_strided_copies_convert_every_element(dtype: torch.dtype) -> None:
    values = torch.linspace(0.1, 4, 5003).to(dtype)
    wide = values.float()
    assert torch.equal(wide[::3].to(dtype), values[::3])
    assert torch.equal(values[::3].double(), wide[::3].double())
    grid = values[:5000].reshape(50, 100)
    assert torch.equal(grid.t().float(), wide[:5000].reshape(50, 100).t())
    target = torch.zeros(100, 50, dtype=dtype)
    target.t().copy_(grid.to(torch.float16))
    assert torch.equal(target.t(), grid)


@each_format
def test_files_and_copies_keep_the_dtype(dtype: torch.dtype) -> None:
    x = torch.tensor([1.0, 2.0, 4.0]).to(dtype)
    file = io.BytesIO()
    torch.save({"x": x, "dtype": dtype}, file)
    file.seek(0)
    loaded = torch.load(file)
    again = (loaded["x"], pickle.loads(pickle.dumps(x)), copy.deepcopy(x), torch.from_dlpack(x))
    assert all(other.dtype is dtype and torch.equal(other, x) for other in again)
    assert loaded["dtype"] is dtype
    assert x.type(x.type()).dtype is dtype


@pytest.mark.parametrize("dtype", FORMATS[:2], ids=str)  # those that safetensors knows
def test_safetensors_round_trip(dtype: torch.dtype) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    x = {"x": torch.tensor([1.0, 2.0, 4.0]).to(dtype)}
    loaded = safetensors.load(safetensors.save(x))
    assert loaded["x"].dtype is dtype and torch.equal(loaded["x"], x["x"])


@each_format
def test_assert_close_compares_exactly(dtype: torch.dtype) -> None:
    x = torch.tensor([1.0, 2.0, 4.0]).to(dtype)
    torch.testing.assert_close(x, x.clone())
    with pytest.raises(AssertionError, match="Mismatched elements: 1 / 3"):
        torch.testing.assert_close(x, torch.tensor([1.0, 2.0, 8.0]).to(dtype))


@each_format
@pytest.mark.parametrize(
    "call",
    [
        torch.neg,
        torch.exp,
        torch.sort,
        lambda x: x + x,
        lambda x: x / x,
        lambda x: x < x,
        lambda x: x & x,
        lambda x: x.sum(),
        lambda x: x.tril(),
        lambda x: x.flip(0),
        lambda x: x.nonzero(),
    ],
)
def test_arithmetic_is_refused(dtype: torch.dtype, call: Callable[[Any], Any]) -> None:
    name = str(dtype).removeprefix("torch.").capitalize()
    with pytest.raises(NotImplementedError, match=f"not implemented for '{name}'"):
        call(torch.ones(2, 2, dtype=dtype))


def test_opaque_dtypes_move_but_do_not_convert() -> None:
    x = torch.arange(6, dtype=torch.uint8).view(torch.uint4)
    assert x.dtype is torch.uint4 and x.type() == "torch.UInt4Tensor"
    moved = torch.cat([x[::2], x.clone()]).view(torch.uint8)
    assert moved.tolist() == [0, 2, 4, 0, 1, 2, 3, 4, 5]
    assert torch.empty(4, dtype=torch.bits16).view(torch.uint8).shape == (8,)
    with pytest.raises(NotImplementedError, match="not implemented for 'UInt4'"):
        x.to(torch.float32)
    with pytest.raises(NotImplementedError, match="not implemented for 'UInt4'"):
        x[0].item()
    with pytest.raises(TypeError, match=r"torch.finfo\(\) requires"):
        torch.finfo(torch.float4_e2m1fn_x2)


def test_the_stub_declares_every_dtype() -> None:
    stub = Path(torch.__file__).parent.joinpath("_C", "__init__.pyi").read_text()
    declared = {line.split(":")[0] for line in stub.splitlines() if line.endswith(": dtype")}
    known = {name for name, value in vars(torch._C).items() if isinstance(value, torch.dtype)}
    assert known == declared


def _outcomes(python: str) -> dict[str, Any]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-W", "ignore", str(SCRIPT)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=SCRIPT.parent,
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def outcomes(once: Callable[..., Path]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Our outcomes and PyTorch's."""

    def record(file: Path) -> None:
        file.write_text(json.dumps([_outcomes(sys.executable), _outcomes(str(PEER))]))

    ours, theirs = json.loads(once("float8.json", record).read_text())
    return ours, theirs


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
@pytest.mark.parametrize("section", [*SECTIONS, "opaque"])
def test_outcomes_are_those_of_pytorch(section: str, outcomes: Any) -> None:
    ours, theirs = outcomes
    differing = [
        f"{title}, {key}:\n  ours   {ours[title][key]}\n  theirs {expected}"
        for title, group in theirs.items()
        if title.startswith(section)
        for key, expected in group.items()
        if ours[title][key] != expected
    ]
    assert not differing, "\n".join(differing)
