"""Print outcomes with the 8-bit floats as JSON: `python float8_outcomes.py`, in either interpreter.

The script runs with the Python that TORCH_PEER names; it must not import anything of this project.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from typing import Any

import torch

FORMATS = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
OPAQUE = (
    *("float4_e2m1fn_x2", "bits1x8", "bits2x4", "bits4x2", "bits8", "bits16"),
    *(f"{kind}{bits}" for kind in ("uint", "int") for bits in range(1, 8)),
)
OTHERS = (
    *("bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128"),
)
NUMBERS = (0, 1, -1, 3, True, 10**6, 0.0, 1.5, -0.1, 1e6, 1e39, float("inf"), float("nan"), 1 + 2j)


def outcome(call: Callable[[], Any]) -> str:
    """Return the representation of the result, or the exception's type and first line."""
    try:
        return repr(call())
    except Exception as error:
        return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def all_codes(dtype: torch.dtype) -> torch.Tensor:
    """Return the 256 numbers of a format."""
    return torch.arange(256, dtype=torch.uint8).view(dtype)


def words(values: torch.Tensor) -> list[int]:
    """Return the bits of float32 numbers, all NaNs as the same."""
    bits = values.view(torch.int32).clone()
    bits[values.isnan()] = 0x7FC00000
    return bits.tolist()


def codes(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the codes that values convert to."""
    return values.to(dtype).view(torch.uint8)


def ties(dtype: torch.dtype) -> torch.Tensor:
    """Return the middle of each two neighbours of a format, and the floats before and after it."""
    numbers = all_codes(dtype).double()
    numbers = numbers[numbers.isfinite()].sort().values
    middles = ((numbers[1:] + numbers[:-1]) / 2).float().view(torch.int32)
    return torch.cat([middles - 1, middles, middles + 1]).view(torch.float32)


def sweep() -> torch.Tensor:
    """Return floats of every sign, exponent and leading mantissa bit, and many between them."""
    tails = torch.tensor([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF])
    leading = torch.arange(2**16)[:, None] * 2**16 + tails
    dense = torch.arange(0, 2**32, 3989)
    return torch.cat([leading.flatten(), dense]).to(torch.uint32).view(torch.float32)


def digest(found: torch.Tensor) -> str:
    """Return a hash of bytes: the sweep is too long to print."""
    return hashlib.sha256(bytes(found.tolist())).hexdigest()


def conversions(dtype: torch.dtype) -> dict[str, Any]:
    """Return how every code, and numbers of every other dtype, convert."""
    found: dict[str, Any] = {
        "decoded": words(all_codes(dtype).float()),
        "ties": codes(ties(dtype), dtype).tolist(),
        "sweep": digest(codes(sweep(), dtype)),
    }
    finite = all_codes(dtype).float().nan_to_num(0.5, 2.0, -2.0).clamp(-200, 200)
    for name in OTHERS:
        other = getattr(torch, name)
        source = torch.arange(-4, 60).to(other) if name != "complex32" else None
        if source is not None:
            found[f"from {name}"] = codes(source, dtype).tolist()
        target = finite.abs() if name.startswith("u") else finite
        converted = target.to(dtype).to(other)
        found[f"to {name}"] = outcome(lambda: converted.to(torch.complex128).tolist())  # noqa: B023
    for name in FORMATS:
        found[f"to {name}"] = codes(all_codes(dtype), getattr(torch, name)).tolist()
    strided = torch.linspace(-3, 3, 60).reshape(6, 10)[::2, 1::3]
    found["strided"] = codes(strided, dtype).tolist()
    found["transposed"] = strided.to(dtype).t().contiguous().float().tolist()
    return found


def properties(dtype: torch.dtype) -> dict[str, Any]:
    """Return the facts about a dtype, promotion included."""
    found: dict[str, Any] = {
        "dtype": [repr(dtype), dtype.itemsize, dtype.is_floating_point, dtype.is_complex],
        "finfo": outcome(lambda: torch.finfo(dtype)),
        "to_real": outcome(dtype.to_real),
        "to_complex": outcome(dtype.to_complex),
    }
    for name in (*FORMATS, *OTHERS):
        other = getattr(torch, name)
        found[f"promote {name}"] = outcome(lambda: torch.promote_types(dtype, other))  # noqa: B023
        found[f"promoted {name}"] = outcome(lambda: torch.promote_types(other, dtype))  # noqa: B023
        found[f"cast {name}"] = [torch.can_cast(dtype, other), torch.can_cast(other, dtype)]
    return found


def tensors(dtype: torch.dtype) -> dict[str, Any]:
    """Return what creating, filling, printing and reading tensors gives."""
    x = torch.tensor([1.5, -2.0, 0.25]).to(dtype)
    found: dict[str, Any] = {
        "zeros": outcome(lambda: torch.zeros(2, dtype=dtype)),
        "eye": outcome(lambda: torch.eye(2, dtype=dtype)),
        "repr": outcome(lambda: torch.tensor([[1.5, -0.25], [-3.0, 0.0]]).to(dtype)),
        "repr of integers": outcome(lambda: torch.tensor([[2.0, -4.0], [1.0, 0.0]]).to(dtype)),
        "leaf": outcome(lambda: torch.zeros(2, dtype=dtype, requires_grad=True)),
        "type": x.type(),
        "item": [x[0].item(), x.tolist(), float(x[0]), int(x[0]), bool(x[0])],
        "signed": x.is_signed(),
        "numpy": outcome(x.numpy),
        "dlpack": outcome(lambda: torch.from_dlpack(x)),
        "wider view": outcome(lambda: torch.zeros(4, dtype=dtype).view(torch.int16)),
        "result_type": outcome(lambda: torch.result_type(x, 1.0)),
        "add": outcome(lambda: x + x),
        "setitem": outcome(lambda: [x.__setitem__(0, 4.0), x]),
        "scalar eq": outcome(lambda: x == 4),
        "gradient": outcome(lambda: torch.ones(2, requires_grad=True).to(dtype)),
    }
    for number in NUMBERS:
        found[f"full {number}"] = outcome(lambda: torch.full((2,), number, dtype=dtype))  # noqa: B023
        if not isinstance(number, complex):
            found[f"tensor {number}"] = outcome(lambda: torch.tensor([number], dtype=dtype))  # noqa: B023
    return found


def opaque(dtype: torch.dtype) -> dict[str, Any]:
    """Return what a dtype without conversions allows."""
    x = torch.arange(8, dtype=torch.uint8).view(dtype)

    def kind(call: Callable[[], Any]) -> str:
        return outcome(call).split(":")[0]

    return {
        "dtype": [repr(dtype), dtype.itemsize, dtype.is_floating_point],
        "view": x.view(torch.uint8).tolist(),
        "cat": torch.cat([x, x]).view(torch.uint8).tolist(),
        "type": x.type(),
        "add": kind(lambda: x + x),
        "to": kind(lambda: x.to(torch.float32)),
        "fill": kind(lambda: x.fill_(1)),
        "item": kind(lambda: x[0].item()),
        "index": kind(lambda: x[torch.tensor([0])]),
    }


def record() -> dict[str, Any]:
    """Return all outcomes by section and dtype."""
    found = {f"opaque {name}": opaque(getattr(torch, name)) for name in OPAQUE}
    for section in (conversions, properties, tensors):
        for name in FORMATS:
            found[f"{section.__name__} {name}"] = section(getattr(torch, name))
    return found


if __name__ == "__main__":
    json.dump(record(), sys.stdout)
