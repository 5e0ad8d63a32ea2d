"""Picklers that replace storages by references to where a file of torch.save has their bytes."""

from __future__ import annotations

from typing import IO, Any

import torch
from torch.storage import LEGACY_STORAGES, TypedStorage, UntypedStorage


class StorageReferences:
    """The part of a pickler that replaces storages by references, and collects the storages."""

    def __init__(self, file: IO[bytes], protocol: int) -> None:
        super().__init__(file, protocol)  # type: ignore[call-arg]
        self.storages: list[UntypedStorage] = []
        self._keys: dict[int, str] = {}
        self._dtypes: dict[int, torch.dtype] = {}

    def persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        """Return the reference that replaces a storage; None for other objects."""
        if isinstance(obj, TypedStorage):
            untyped, kind, count = obj.untyped(), LEGACY_STORAGES.get(obj.dtype), len(obj)
            if kind is None:
                kind, count = UntypedStorage, untyped.nbytes()
        elif isinstance(obj, UntypedStorage):
            untyped, kind, count = obj, UntypedStorage, obj.nbytes()
        else:
            return None
        dtype = torch.uint8 if kind is UntypedStorage else kind._dtype
        if untyped.nbytes() and self._dtypes.setdefault(untyped._cdata, dtype) != dtype:
            raise RuntimeError(DIFFERENT_TYPES)
        key = self._keys.setdefault(untyped._cdata, str(len(self.storages)))
        if int(key) == len(self.storages):
            self.storages.append(untyped)
        return ("storage", kind, key, torch.serialization.location_tag(untyped), count)


DIFFERENT_TYPES = (
    "Cannot save multiple tensors or storages that view the same data as different types"
)


def pickler(references: type, module: Any, file: IO[bytes], protocol: int) -> Any:
    """Return a pickler of a module such as `pickle` or `dill` that replaces storages.

    Args:
        references: The class that has `persistent_id`.
        module: The module, which has a class `Pickler`.
        file: Where to write.
        protocol: The version of the pickle format.
    """
    return type("StoragePickler", (references, module.Pickler), {})(file, protocol)


class StreamedFile:
    """A file that zipfile writes from start to end, over an object with `write` and `flush`."""

    def __init__(self, file: Any) -> None:
        self._write, self.flush = file.write, file.flush

    def write(self, data: Any) -> int:
        """Write all bytes, and return how many they are, which some programs' `write` does not."""
        self._write(data)
        return memoryview(data).nbytes


class SeekableFile:
    """A file as zipfile reads it, over an object that has only `read`, `seek` and `tell`."""

    def __init__(self, file: Any) -> None:
        self.read, self.seek, self.tell = file.read, file.seek, file.tell

    @staticmethod
    def seekable() -> bool:
        """Return True."""
        return True
