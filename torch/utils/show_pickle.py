"""Print what a pickle contains without importing or running anything that it names.

python -m torch.utils.show_pickle FILE
python -m torch.utils.show_pickle ARCHIVE@*/data.pkl
"""

from __future__ import annotations

import fnmatch
import pickle
import pprint
import sys
import zipfile
from collections.abc import Iterable
from typing import IO, Any

__all__ = ["DumpUnpickler", "FakeClass", "FakeObject", "main"]

_Base: Any = pickle._Unpickler  # type: ignore[attr-defined]  # whose classes need not be types


class FakeObject:
    """Stands for an object that a call of a class or a function makes.

    Args:
        module: The module of the class or function.
        name: Its name.
        args: The arguments of the call.

    Example:
        >>> from torch.utils.show_pickle import FakeObject
        >>> FakeObject("math", "sqrt", (2,))
        math.sqrt(2,)
    """

    def __init__(self, module: str, name: str, args: tuple[Any, ...]) -> None:
        self.module, self.name, self.args = module, name, args
        self.state: Any = None
        self.items: list[Any] = []

    def __repr__(self) -> str:
        state = "" if self.state is None else f"(state={self.state!r})"
        items = f"(items={self.items!r})" if self.items else ""
        return f"{self.module}.{self.name}{self.args!r}{state}{items}"

    def __setstate__(self, state: Any) -> None:
        self.state = state

    def __setitem__(self, key: Any, value: Any) -> None:
        self.items.append((key, value))

    def append(self, item: Any) -> None:
        """Add an item of a list."""
        self.items.append(item)

    def extend(self, items: Iterable[Any]) -> None:
        """Add items of a list."""
        self.items.extend(items)

    add = append


class FakeClass:
    """Stands for a class or a function; calls of it return a FakeObject.

    Args:
        module: Its module.
        name: Its name.

    Example:
        >>> from torch.utils.show_pickle import FakeClass
        >>> FakeClass("math", "sqrt")(2)
        math.sqrt(2,)
    """

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name
        self.__new__ = lambda cls, *args, **options: self(*args)  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return f"{self.module}.{self.name}"

    def __call__(self, *args: Any) -> FakeObject:
        """Return what stands for the result."""
        return FakeObject(self.module, self.name, args)


class DumpUnpickler(_Base):  # type: ignore[misc]
    """An unpickler that imports nothing.

    Args:
        file: The binary file.

    Example:
        >>> import io, pickle
        >>> from torch.utils.show_pickle import DumpUnpickler
        >>> DumpUnpickler(io.BytesIO(pickle.dumps({"device": torch.device("cpu")}))).load()
        {'device': torch.device('cpu',)}
    """

    def find_class(self, module: str, name: str) -> FakeClass:
        """Return what stands for a class or function."""
        return FakeClass(module, name)

    def persistent_load(self, saved_id: Any) -> FakeObject:
        """Return what stands for an object outside of the pickle, such as a storage."""
        return FakeObject("pers", "obj", (saved_id,))

    @classmethod
    def dump(cls, in_stream: IO[bytes], out_stream: IO[str]) -> Any:
        """Print and return what a pickle contains."""
        value = cls(in_stream).load()
        pprint.pprint(value, stream=out_stream)
        return value


def main(argv: list[str], output_stream: IO[str] | None = None) -> int | None:
    """Print the pickle that the command line names.

    Args:
        argv: The name of the program and of the file, which may be a member of an archive: the path,
            "@" and a pattern.
        output_stream: Where to print; by default the standard output.

    Raises:
        FileNotFoundError: If there is no such file or member.

    Example:
        >>> from torch.utils.show_pickle import main
        >>> torch.save([1, "a"], "shown.pt")
        >>> main(["show_pickle", "shown.pt@*/data.pkl"])
        [1, 'a']
    """
    stream = sys.stdout if output_stream is None else output_stream
    if len(argv) != 2:
        print(f"usage: {argv[0]} FILE, or ARCHIVE@MEMBER such as model.pt@*/data.pkl", file=stream)
        return 2
    path, at, pattern = argv[1].partition("@")
    if not at:
        with open(path, "rb") as file:
            DumpUnpickler.dump(file, stream)
        return None
    with zipfile.ZipFile(path) as archive:
        found = next((n for n in archive.namelist() if fnmatch.fnmatch(n, pattern)), None)
        if found is None:
            raise FileNotFoundError(f"Could not find member matching {pattern} in {path}")
        with archive.open(found) as member:
            DumpUnpickler.dump(member, stream)
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv))
