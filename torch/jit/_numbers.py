"""The numbers that programs and archives have for dtypes, layouts and memory formats."""

from __future__ import annotations

from typing import Any

import torch

_NAMES = {
    0: "uint8",
    1: "int8",
    2: "int16",
    3: "int32",
    4: "int64",
    5: "float16",
    6: "float32",
    7: "float64",
    8: "complex32",
    9: "complex64",
    10: "complex128",
    11: "bool",
    15: "bfloat16",
    23: "float8_e5m2",
    24: "float8_e4m3fn",
    25: "float8_e5m2fnuz",
    26: "float8_e4m3fnuz",
    27: "uint16",
    28: "uint32",
    29: "uint64",
}
SCALAR_TYPES: dict[int, torch.dtype] = {
    number: dtype
    for number, name in _NAMES.items()
    if isinstance(dtype := getattr(torch, name), torch.dtype)
}
"""This build's dtypes by their numbers."""
LAYOUTS = (torch.strided, torch.sparse_coo, torch.sparse_csr)
"""The number of a layout is its place here."""
MEMORY_FORMATS = (
    torch.contiguous_format,
    torch.preserve_format,
    torch.channels_last,
    torch.channels_last_3d,
)
"""The number of a memory format is its place here."""
_NUMBERS: dict[type, dict[Any, int]] = {
    torch.dtype: {dtype: number for number, dtype in SCALAR_TYPES.items()},
    torch.layout: {layout: number for number, layout in enumerate(LAYOUTS)},
    torch.memory_format: {kind: number for number, kind in enumerate(MEMORY_FORMATS)},
}


def number_of(value: Any) -> int | None:
    """Return the number of a dtype, a layout or a memory format; None for any other value."""
    return _NUMBERS.get(type(value), {}).get(value)
