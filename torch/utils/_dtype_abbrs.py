"""Short names of dtypes, such as f32 and i64, which libraries print."""

from __future__ import annotations

import torch

__all__ = ["dtype_abbrs"]

_PREFIXES = {"uint": "u", "int": "i", "bfloat": "bf", "float": "f", "complex": "c"}
_NAMES = """uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128
    bfloat16 float8_e5m2 float8_e4m3fn float8_e5m2fnuz float8_e4m3fnuz uint16 uint32 uint64
    float8_e8m0fnu float4_e2m1fn_x2"""


def _short(name: str) -> str:
    letters = name.partition("_")[0].rstrip("0123456789")
    return _PREFIXES[letters] + name[len(letters) :].replace("_", "")


dtype_abbrs = {
    torch.bool: "b8",
    **{getattr(torch, name): _short(name) for name in _NAMES.split() if hasattr(torch, name)},
}
