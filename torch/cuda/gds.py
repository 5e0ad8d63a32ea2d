"""Files that storages on CUDA devices are written to and read from, with the interface of GPUDirect Storage.

The bytes pass through host memory, as in cuFile's compatibility mode; cuFile itself is not used.
"""

from __future__ import annotations

import os

import torch
from torch import Tensor
from torch.cuda import _lazy

__all__ = ["GdsFile", "gds_deregister_buffer", "gds_register_buffer"]


def _require_cuda(storage: torch.UntypedStorage, name: str) -> None:
    if not _lazy.is_compiled():
        msg = f"torch._C._{name} is not supported on this platform"
        raise RuntimeError(msg)
    if storage.device.type != "cuda":
        msg = f"{name} expects a storage on a CUDA device, but this one is on {storage.device}"
        raise RuntimeError(msg)


def gds_register_buffer(s: torch.UntypedStorage) -> None:
    """Check that a storage is on a CUDA device; there is nothing to register without cuFile.

    Args:
        s: The storage.

    Raises:
        RuntimeError: If the storage is not on a CUDA device, or this build has no CUDA.

    Example:
        >>> torch.cuda.gds.gds_register_buffer(x.untyped_storage())  # doctest: +SKIP
    """
    _require_cuda(s, "gds_register_buffer")


def gds_deregister_buffer(s: torch.UntypedStorage) -> None:
    """Check that a storage is on a CUDA device, the opposite of `gds_register_buffer`.

    Args:
        s: The storage.

    Raises:
        RuntimeError: If the storage is not on a CUDA device, or this build has no CUDA.

    Example:
        >>> torch.cuda.gds.gds_deregister_buffer(x.untyped_storage())  # doctest: +SKIP
    """
    _require_cuda(s, "gds_deregister_buffer")


def _bytes_of(storage: torch.UntypedStorage) -> Tensor:
    return torch.empty(0, dtype=torch.uint8, device=storage.device).set_(storage)


class GdsFile:
    """A file whose contents are storages on CUDA devices.

    Args:
        filename: The file to open.
        flags: As of `os.open`, such as `os.O_CREAT | os.O_RDWR`.

    Raises:
        RuntimeError: If this build has no CUDA.

    Example:
        >>> file = torch.cuda.gds.GdsFile("x.bin", os.O_CREAT | os.O_RDWR)  # doctest: +SKIP
        >>> file.save_storage(x.untyped_storage(), offset=0)  # doctest: +SKIP
        >>> file.load_storage(y.untyped_storage(), offset=0)  # doctest: +SKIP
    """

    def __init__(self, filename: str, flags: int) -> None:
        if not _lazy.is_compiled():
            msg = "torch._C._gds_register_handle is not supported on this platform"
            raise RuntimeError(msg)
        self.filename = filename
        self.flags = flags
        self.fd = os.open(filename, flags, 0o664)
        self.handle: int | None = self.fd

    def __del__(self) -> None:
        if hasattr(self, "fd"):
            os.close(self.fd)

    def register_handle(self) -> None:
        """Allow reads and writes again after `deregister_handle`.

        Raises:
            RuntimeError: If they are allowed.
        """
        if self.handle is not None:
            msg = "Cannot register a handle that is already registered."
            raise RuntimeError(msg)
        self.handle = self.fd

    def deregister_handle(self) -> None:
        """Refuse reads and writes until `register_handle`.

        Raises:
            RuntimeError: If they are refused already.
        """
        if self.handle is None:
            msg = "Cannot deregister a handle that is not registered."
            raise RuntimeError(msg)
        self.handle = None

    def load_storage(self, storage: torch.UntypedStorage, offset: int = 0) -> None:
        """Read the bytes of a storage.

        Args:
            storage: What is filled.
            offset: Where its bytes begin in the file.

        Raises:
            RuntimeError: If the file ends before the storage is full.
        """
        self._check(storage, "load_storage")
        data = bytearray(storage.nbytes())
        view = memoryview(data)
        done = 0
        while done < len(data):
            count = os.preadv(self.fd, [view[done:]], offset + done)
            if count == 0:
                msg = f"{self.filename} has only {done} of {len(data)} bytes at offset {offset}"
                raise RuntimeError(msg)
            done += count
        if data:
            _bytes_of(storage).copy_(torch.frombuffer(data, dtype=torch.uint8))

    def save_storage(self, storage: torch.UntypedStorage, offset: int = 0) -> None:
        """Write the bytes of a storage.

        Args:
            storage: What is written.
            offset: Where its bytes begin in the file.
        """
        self._check(storage, "save_storage")
        view = memoryview(_bytes_of(storage).cpu().numpy())
        done = 0
        while done < len(view):
            done += os.pwrite(self.fd, view[done:], offset + done)

    def _check(self, storage: torch.UntypedStorage, name: str) -> None:
        _require_cuda(storage, name)
        if self.handle is None:
            msg = f"Cannot {name.replace('_', ' ')} when handle is not registered."
            raise RuntimeError(msg)
