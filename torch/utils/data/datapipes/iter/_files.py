"""Pipes of files: their paths, and open files."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator
from typing import Any

from torch.utils.data.datapipes.datapipe import IterDataPipe, functional_datapipe


def _paths(root: str, masks: str | list[str], recursive: bool, absolute: bool) -> Iterator[str]:
    patterns = [masks] if isinstance(masks, str) else masks
    for folder, folders, files in os.walk(root):
        folders.sort()
        for name in sorted(files):
            if not masks or any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
                path = os.path.join(folder, name)
                yield os.path.abspath(path) if absolute else path
        if not recursive:
            return


@functional_datapipe("list_files")
class FileLister(IterDataPipe):
    """The paths of the files in folders.

    Args:
        root: A folder, several, or a pipe of folders.
        masks: Patterns of the names; all files if empty.
        recursive: Whether to list the folders inside too.
        abspath: Whether the paths are absolute.
        non_deterministic: Accepted for compatibility; the order is that of the names.
        length: What `len` returns, if not negative.

    Example:
        >>> from pathlib import Path
        >>> from torch.utils.data.datapipes.iter import FileLister
        >>> _ = Path("a.txt").write_text("x")
        >>> list(FileLister(".", "*.txt"))
        ['./a.txt']
    """

    def __init__(
        self,
        root: Any = ".",
        masks: str | list[str] = "",
        *,
        recursive: bool = False,
        abspath: bool = False,
        non_deterministic: bool = False,
        length: int = -1,
    ) -> None:
        self.roots: Iterable[str] = [root] if isinstance(root, str) else root
        self.masks, self.recursive = masks, recursive
        self.abspath, self.length = abspath, length

    def __iter__(self) -> Iterator[str]:
        for root in self.roots:
            yield from _paths(root, self.masks, self.recursive, self.abspath)

    def __len__(self) -> int:
        if self.length < 0:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length


@functional_datapipe("open_files")
class FileOpener(IterDataPipe):
    """Pairs of a path and the open file.

    Args:
        datapipe: The paths.
        mode: The mode of `open`.
        encoding: The encoding of text.
        length: What `len` returns, if not negative.

    Example:
        >>> from pathlib import Path
        >>> from torch.utils.data.datapipes.iter import FileOpener, IterableWrapper
        >>> _ = Path("a.txt").write_text("x")
        >>> for path, file in FileOpener(IterableWrapper(["a.txt"])):
        ...     print(path, file.read())
        ...     file.close()
        a.txt x
    """

    def __init__(
        self,
        datapipe: Iterable[str],
        mode: str = "r",
        encoding: str | None = None,
        length: int = -1,
    ) -> None:
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"Invalid mode {mode}")
        self.datapipe, self.encoding, self.length = datapipe, encoding, length
        self.mode = mode if "r" in mode else "r" + mode

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for path in self.datapipe:
            yield path, open(path, self.mode, encoding=self.encoding)  # noqa: SIM115 (the user closes)

    def __len__(self) -> int:
        if self.length < 0:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length
