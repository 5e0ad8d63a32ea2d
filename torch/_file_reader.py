"""The records of a saved file, one by one."""

from __future__ import annotations

import zipfile
from typing import IO, Any

import torch
from torch.serialization import _damaged_archive


class PyTorchFileReader:
    """Read the records of a file that torch.save wrote.

    Args:
        file: The path, or an open binary file.

    Raises:
        RuntimeError: If the file is not such an archive.

    Example:
        >>> torch.save({"x": 1}, "records.pt")
        >>> torch._C.PyTorchFileReader("records.pt").has_record("data.pkl")
        True
    """

    def __init__(self, file: str | IO[bytes]) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except zipfile.BadZipFile:
            raise _damaged_archive(
                "reading zip archive: failed finding central directory"
            ) from None
        names = self._zip.namelist()
        self._folder = names[0].split("/", 1)[0] + "/" if names else ""

    def get_all_records(self) -> list[str]:
        """Return the names of all records."""
        return [name.removeprefix(self._folder) for name in self._zip.namelist()]

    def has_record(self, name: str) -> bool:
        """Return whether a record exists."""
        return self._folder + name in self._zip.NameToInfo

    def get_record(self, name: str) -> bytes:
        """Return the bytes of a record.

        Raises:
            RuntimeError: If there is none.
        """
        if not self.has_record(name):
            raise _damaged_archive(f"locating file {name}: file not found")
        return self._zip.read(self._folder + name)

    def get_storage_from_record(self, name: str, numel: int, dtype: torch.dtype) -> torch.Tensor:
        """Return the first elements of a record as a tensor of one dimension."""
        data = bytearray(self.get_record(name))
        return torch.frombuffer(data, dtype=dtype, count=numel)

    def version(self) -> int:
        """Return the version of the format."""
        return int(self.get_record("version"))

    def serialization_id(self) -> str:
        """Return the identifier that the writer gave the file; empty if there is none."""
        own: Any = ".data/serialization_id"
        return self.get_record(own).decode() if self.has_record(own) else ""
