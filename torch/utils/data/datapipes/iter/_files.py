"""Pipes of files: their paths, and open files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torch.utils.data.datapipes._streams import (
    StreamWrapper,
    get_file_binaries_from_pathnames,
    get_file_pathnames_from_root,
)
from torch.utils.data.datapipes.datapipe import IterDataPipe, functional_datapipe


@functional_datapipe("list_files")
class FileLister(IterDataPipe):
    """The paths of the files in folders.

    Args:
        root: A folder, several, or a pipe of folders.
        masks: Patterns of the names; all files if empty.
        recursive: Whether to list the folders inside too.
        abspath: Whether the paths are absolute.
        non_deterministic: Whether the order is that of the file system, not of the names.
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
        self.non_deterministic = non_deterministic

    def __iter__(self) -> Iterator[str]:
        for root in self.roots:
            yield from get_file_pathnames_from_root(
                root, self.masks, self.recursive, self.abspath, self.non_deterministic
            )

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
            yield from get_file_binaries_from_pathnames(path, self.mode, self.encoding)

    def __len__(self) -> int:
        if self.length < 0:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length


@functional_datapipe("read_from_stream")
class StreamReader(IterDataPipe):
    """Pairs of a path and a part of the file, which is closed at its end.

    Args:
        datapipe: Pairs of a path and an open file.
        chunk: The size of a part; the whole file is one if None.

    Example:
        >>> import io
        >>> from torch.utils.data.datapipes.iter import IterableWrapper, StreamReader
        >>> list(StreamReader(IterableWrapper([("a", io.StringIO("xyz"))]), chunk=2))
        [('a', 'xy'), ('a', 'z')]
    """

    def __init__(self, datapipe: Any, chunk: int | None = None) -> None:
        self.datapipe, self.chunk = datapipe, chunk

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for path, stream in self.datapipe:
            while True:
                part = stream.read(self.chunk)
                if not part:
                    StreamWrapper.close_streams(stream)
                    break
                yield path, part
                if self.chunk is None:
                    break
