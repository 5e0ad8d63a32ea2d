"""Files as items of pipes: open streams, names that match patterns, and checks of items."""

from __future__ import annotations

import contextlib
import fnmatch
import functools
import inspect
import io
import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def match_masks(name: str, masks: str | list[str]) -> bool:
    """Return whether a name matches one of the patterns, or there are none.

    Example:
        >>> from torch.utils.data.datapipes.utils.common import match_masks
        >>> match_masks("a.txt", ["*.csv", "*.txt"])
        True
    """
    patterns = [masks] if isinstance(masks, str) else masks
    return not masks or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def get_file_pathnames_from_root(
    root: str,
    masks: str | list[str],
    recursive: bool = False,
    abspath: bool = False,
    non_deterministic: bool = False,
) -> Iterator[str]:
    """Yield the paths of the files in a folder whose names match, in the order of the names.

    Args:
        root: The folder, or one file.
        masks: Patterns of the names; all files if empty.
        recursive: Whether to list the folders inside too.
        abspath: Whether the paths are absolute.
        non_deterministic: Whether the order is that of the file system.

    Raises:
        OSError: If a folder cannot be read.
    """

    def refuse(error: OSError) -> None:
        warnings.warn(f"{error.filename} : {error.strerror}", stacklevel=2)
        raise error

    if os.path.isfile(root):
        path = os.path.abspath(root) if abspath else root
        if match_masks(os.path.basename(path), masks):
            yield path
        return
    for folder, folders, files in os.walk(root, onerror=refuse):
        if not non_deterministic:
            folders.sort()
            files.sort()
        for name in files:
            if match_masks(name, masks):
                path = os.path.join(folder, name)
                yield os.path.abspath(path) if abspath else path
        if not recursive:
            return


def get_file_binaries_from_pathnames(
    pathnames: Iterable[str], mode: str, encoding: str | None = None
) -> Iterator[tuple[str, StreamWrapper]]:
    """Yield each path with its open file."""
    if mode in ("b", "t"):
        mode = "r" + mode
    single = isinstance(pathnames, str) or not isinstance(pathnames, Iterable)
    for path in [pathnames] if single else pathnames:
        if not isinstance(path, str):
            raise TypeError(f"Expected string type for pathname, but got {type(path)}")
        yield path, StreamWrapper(open(path, mode, encoding=encoding), name=path)  # noqa: SIM115


def validate_pathname_binary_tuple(data: Any) -> None:
    """Raise a TypeError if an item is not a pair of a path and an open file."""
    if not isinstance(data, tuple):
        raise TypeError(f"pathname binary data should be tuple type, but it is type {type(data)}")
    if len(data) != 2:
        raise TypeError(f"pathname binary stream tuple length should be 2, but got {len(data)}")
    if not isinstance(data[0], str):
        raise TypeError(
            "pathname within the tuple should have string type pathname, but it is type "
            f"{type(data[0])}"
        )
    if not isinstance(data[1], (io.IOBase, StreamWrapper)):
        raise TypeError(
            "binary stream within the tuple should have IOBase orits subclasses as type, but it is "
            f"type {type(data[1])}"
        )


def validate_input_col(fn: Callable[..., Any], input_col: int | tuple | list | None) -> None:  # type: ignore[type-arg]
    """Raise a ValueError if a function does not take as many arguments as columns are given.

    Example:
        >>> from torch.utils.data.datapipes.utils.common import validate_input_col
        >>> validate_input_col(lambda a, b: a + b, [0, 1])
    """
    try:
        signature = inspect.signature(fn)
    except ValueError:  # functions in C without a signature
        return
    count = len(input_col) if isinstance(input_col, (list, tuple)) else 1
    name = str(fn.func if isinstance(fn, functools.partial) else getattr(fn, "__name__", fn))
    parameters = signature.parameters.values()
    positional = [p for p in parameters if p.kind in _POSITIONAL]
    required = sum(p.default is p.empty for p in positional)
    named = sum(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    if named:
        raise ValueError(
            f"The function {name} takes {named} non-default keyword-only parameters, which is not "
            "allowed."
        )
    if required > count:
        raise ValueError(
            f"The function {name} takes {required} positional parameters, but {count} are required."
        )
    if len(positional) < count and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        raise ValueError(
            f"The function {name} takes {len(positional)} parameters, but {count} are required."
        )


class StreamWrapper:
    """A file whose parent stays open as long as it is in use, such as the archive that it is in.

    Args:
        file_obj: The file.
        parent_stream: The wrapper of the file that holds it.
        name: The name that is shown.

    Example:
        >>> import io
        >>> from torch.utils.data.datapipes.utils.common import StreamWrapper
        >>> list(StreamWrapper(io.StringIO("x"), name="text"))
        ['x']
    """

    session_streams: dict[Any, int] = {}  # noqa: RUF012 (PyTorch's name, shared by all)
    debug_unclosed_streams = False

    def __init__(
        self, file_obj: Any, parent_stream: StreamWrapper | None = None, name: str | None = None
    ) -> None:
        if parent_stream is not None and not isinstance(parent_stream, StreamWrapper):
            raise RuntimeError(
                f"Parent stream should be StreamWrapper, {type(parent_stream)} was given"
            )
        self.file_obj, self.parent_stream, self.name = file_obj, parent_stream, name
        self.child_counter = 0
        self.close_on_last_child = self.closed = False
        if parent_stream is not None:
            parent_stream.child_counter += 1
        if StreamWrapper.debug_unclosed_streams:
            StreamWrapper.session_streams[self] = 1

    @classmethod
    def close_streams(cls, v: Any, depth: int = 0) -> None:
        """Close the streams in a value, in lists, tuples and mappings, too."""
        if depth > 10:
            return
        if isinstance(v, StreamWrapper):
            v.close()
        elif isinstance(v, dict):
            for item in v.values():
                cls.close_streams(item, depth + 1)
        elif isinstance(v, (list, tuple)):
            for item in v:
                cls.close_streams(item, depth + 1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["file_obj"], name)

    def close(self) -> None:
        """Close the file, and its parent if that has no other file in use."""
        if self.closed:
            return
        StreamWrapper.session_streams.pop(self, None)
        parent = self.parent_stream
        if parent is not None:
            parent.child_counter -= 1
            if not parent.child_counter and parent.close_on_last_child:
                parent.close()
        with contextlib.suppress(AttributeError):
            self.file_obj.close()
        self.closed = True

    def autoclose(self) -> None:
        """Close the file, now or when no other file of it is in use."""
        self.close_on_last_child = True
        if self.child_counter == 0:
            self.close()

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *vars(StreamWrapper), *dir(self.file_obj)})

    def __del__(self) -> None:
        if not self.__dict__.get("closed", True):
            self.close()

    def __iter__(self) -> Iterator[Any]:
        yield from self.file_obj

    def __next__(self) -> Any:
        return next(self.file_obj)

    def __enter__(self) -> StreamWrapper:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        shown = repr(self.file_obj) if self.name is None else f"{self.name},{self.file_obj!r}"
        return f"StreamWrapper<{shown}>"

    def __getstate__(self) -> Any:
        return self.file_obj

    def __setstate__(self, state: Any) -> None:
        self.__init__(state)  # type: ignore[misc]
