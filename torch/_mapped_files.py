"""torch.from_file: files as tensors."""

from __future__ import annotations

import mmap
from typing import Any

import torch
from torch import Tensor


class MappedFile(mmap.mmap):
    """A file in memory, which knows its path if writes to the memory change the file."""

    filename: str | None = None


def from_file(
    filename: str,
    shared: bool | None = None,
    size: int = 0,
    *,
    dtype: torch.dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    **options: Any,
) -> Tensor:
    """Map a file into memory as a vector.

    Args:
        filename: The path of the file.
        shared: Whether writes to the tensor change the file, which is then created in the
            requested size if necessary.
        size: The number of elements.
        dtype: The type of the elements; by default the default dtype.
        device: Only the CPU.
        requires_grad: Whether the tensor needs a gradient.
        **options: Accepted for compatibility: the layout and the pinning of memory.

    Raises:
        OSError: If the file cannot be opened.
        ValueError: If the file is too short and not `shared`.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("data.bin").write_bytes(bytes(range(4)))
        >>> torch.from_file("data.bin", size=4, dtype=torch.uint8)
        tensor([0, 1, 2, 3], dtype=torch.uint8)
    """
    empty = torch.empty(0, dtype=dtype, device=device)
    if not empty.is_cpu:
        raise RuntimeError(f"torch.from_file maps files on the CPU only, not on {empty.device}")
    length = size * empty.element_size()
    storage = torch.UntypedStorage.from_file(filename, bool(shared), length)
    return empty.set_(storage, 0, (size,), (1,)).requires_grad_(requires_grad)
