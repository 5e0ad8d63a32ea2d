"""Methods of storages, run on both libraries; see both.py."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import both

import torch

CASES: dict[str, Callable[[], Any]] = {}
CONVERSIONS = (
    "bool",
    "byte",
    "char",
    "short",
    "int",
    "long",
    "half",
    "bfloat16",
    "float",
    "double",
)
CONVERSIONS += ("complex_float", "complex_double")


def typed(*items: float) -> Any:
    """Return a storage of floats."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.FloatStorage(list(items))


def untyped(*items: int) -> torch.UntypedStorage:
    """Return a storage of bytes."""
    return torch.tensor(items, dtype=torch.uint8).untyped_storage()


def shown(storage: Any) -> list[str]:
    """Return what a storage looks like, for a comparison as text."""
    return [type(storage).__name__, str(storage)]


for _name in CONVERSIONS:
    CASES[f"{_name}()"] = lambda name=_name: [
        shown(getattr(typed(0, 1.5, 3), name)()),
        shown(getattr(untyped(0, 1, 200), name)()),
    ]
CASES["byteswap"] = lambda: [
    [untyped(*range(16)).__class__.__name__, _swapped(dtype)]
    for dtype in (torch.uint8, torch.int16, torch.float32, torch.float64, torch.complex64)
]


def _swapped(dtype: torch.dtype) -> list[int]:
    storage = untyped(*range(16))
    storage.byteswap(dtype)
    return storage.tolist()


CASES["facts"] = lambda: [
    [s.is_pinned(), s.is_sparse, s.is_cuda, s.is_hpu, s.filename, s.get_device(), s.type()]
    for s in (typed(1), untyped(1))
]
CASES["changes"] = lambda: [
    shown(typed(1, 2).fill_(7)),
    shown(typed(1, 2).copy_(typed(3, 4))),
    shown(typed(1, 2).to(device="cpu")),
    shown(typed(1, 2).cpu()),
    typed(1).resizable(),
    typed(1).pickle_storage_type(),
    untyped(1, 2).new().nbytes(),
]
CASES["legacy classes"] = lambda: [
    issubclass(torch.FloatStorage, torch.TypedStorage),
    isinstance(typed(1), torch.FloatStorage),
    isinstance(typed(1), torch.IntStorage),
    isinstance(typed(1).int(), torch.IntStorage),
    str(torch.FloatStorage.dtype),
    len(torch.DoubleStorage(3)),
    len(torch.ShortStorage()),
    shown(torch.LongStorage([1, 2])),
    shown(torch.IntStorage(wrap_storage=untyped(1, 0, 0, 0))),
    shown(torch.IntStorage.from_buffer(b"\1\0\0\0\2\0\0\0", "little", 2)),
    shown(torch.ShortStorage.from_buffer(b"\1\0\2\0", "big", 1, 2)),
    shown(torch.TypedStorage.from_buffer(b"\1\0\2\0", "big", dtype=torch.int16)),
    shown(torch.UntypedStorage.from_buffer(b"\1\0\2\0", "big", 1, 2, dtype=torch.int16)),
]


def mapped() -> Any:
    """Return what storages over a file say, and that they change it."""
    path = Path("mapped.bin").absolute()
    path.write_bytes(bytes(range(8)))
    shared = torch.UntypedStorage.from_file(str(path), True, 8)
    private = torch.UntypedStorage.from_file(str(path), False, 4)
    shared[0], private[1] = 9, 9
    known = shared.filename == str(path)
    del shared
    typed_shared = torch.ShortStorage.from_file(str(path), True, 2)
    return [known, private.filename, list(path.read_bytes()), shown(typed_shared), private.tolist()]


CASES["files"] = mapped
CASES["error: slice"] = lambda: typed(1, 2)[0:1]
CASES["error: a length that does not fit"] = lambda: untyped(1, 2, 3).byteswap(torch.int16)
CASES["error: another size"] = lambda: untyped(1, 2, 3).copy_(untyped(1))
CASES["error: hpu"] = lambda: untyped(1).hpu()
CASES["error: mps"] = lambda: untyped(1).mps()
CASES["error: typed file"] = lambda: torch.TypedStorage.from_file("x", True, 2)

if __name__ == "__main__":
    both.record(CASES)
