"""The files of packages: archives that were unpacked to a folder, and importlib's view of resources."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any


class DirectoryReader:
    """Read the records of an archive that was unpacked to a folder.

    Args:
        directory: The folder.
    """

    def __init__(self, directory: str) -> None:
        self.directory = Path(directory)

    def get_all_records(self) -> list[str]:
        """Return the names of all records."""
        files = (path for path in self.directory.rglob("*") if path.is_file())
        return [path.relative_to(self.directory).as_posix() for path in files]

    def has_record(self, path: str) -> bool:
        """Return whether a record exists."""
        return (self.directory / path).is_file()

    def get_record(self, name: str) -> bytes:
        """Return the bytes of a record.

        Raises:
            FileNotFoundError: If there is none.
        """
        return (self.directory / name).read_bytes()


class ResourceReader:
    """The files of one package of an importer, as importlib.resources asks for them.

    Args:
        importer: The importer.
        package: The name of the package.
    """

    def __init__(self, importer: Any, package: str) -> None:
        self._importer, self._package = importer, package
        self._folder = package.replace(".", "/") + "/"

    def open_resource(self, resource: str) -> IO[bytes]:
        """Open a file.

        Raises:
            FileNotFoundError: If there is none.
        """
        if not self.is_resource(resource):
            raise FileNotFoundError(f"{self._folder}{resource}")
        return io.BytesIO(self._importer.load_binary(self._package, resource))

    def resource_path(self, resource: str) -> str:
        """Return the path of a file in a package that was unpacked to a folder.

        Raises:
            FileNotFoundError: If the package is an archive, or has no such file.
        """
        reader = self._importer.zip_reader
        if isinstance(reader, DirectoryReader) and self.is_resource(resource):
            return str(reader.directory / self._folder / resource)
        raise FileNotFoundError(f"{self._folder}{resource}")

    def is_resource(self, name: str) -> bool:
        """Return whether there is such a file."""
        return bool(self._importer.zip_reader.has_record(f"{self._folder}{name}"))

    def contents(self) -> Iterator[str]:
        """Yield the names of the files and folders in the package."""
        inside = (
            path.removeprefix(self._folder).partition("/")[0]
            for path in self._importer.zip_reader.get_all_records()
            if path.startswith(self._folder)
        )
        yield from dict.fromkeys(inside)
