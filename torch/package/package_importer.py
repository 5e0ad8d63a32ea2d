"""Import modules and load objects from a package, apart from the running Python's modules."""

from __future__ import annotations

import builtins
import importlib
import importlib.machinery
import importlib.util
import io
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import IO, Any

from torch._file_reader import PyTorchFileReader
from torch._storage_locations import restorer
from torch._typed_storage import TypedStorage
from torch.package import _mangling
from torch.package._pickling import PackageUnpickler
from torch.package._resources import DirectoryReader, ResourceReader
from torch.package.directory import Directory, tree_of
from torch.package.glob_group import GlobPattern
from torch.package.importer import Importer
from torch.storage import UntypedStorage

__all__ = ["PackageImporter"]


class PackageImporter(Importer):
    """A package that `PackageExporter` wrote.

    Its modules are executed from the source in the package, under names of their own: loading a
    package runs its code, so load only what you trust.

    Args:
        file_or_buffer: The path of the file, or of a folder to which it was unpacked; or an open
            binary file.
        module_allowed: Is asked for each module that the package needs from the running Python.

    Raises:
        ImportError: If `module_allowed` returns false.
        RuntimeError: If the file is not a package.

    Attributes:
        modules: The imported modules by their names in the package.

    Example:
        >>> from torch.package import PackageExporter, PackageImporter
        >>> with PackageExporter("importer_demo.pt") as exporter:
        ...     exporter.save_text("notes", "a.txt", "hello")
        >>> PackageImporter("importer_demo.pt").load_text("notes", "a.txt")
        'hello'
    """

    def __init__(
        self,
        file_or_buffer: str | os.PathLike[str] | IO[bytes] | PyTorchFileReader,
        module_allowed: Callable[[str], bool] = lambda name: True,
    ) -> None:
        self.filename = "<binary>"
        if isinstance(file_or_buffer, (str, os.PathLike)):
            self.filename = file_or_buffer = os.fspath(file_or_buffer)
        if self.filename is file_or_buffer and os.path.isdir(file_or_buffer):
            self.zip_reader: Any = DirectoryReader(file_or_buffer)
        elif isinstance(file_or_buffer, PyTorchFileReader):
            self.zip_reader = file_or_buffer
        else:
            self.zip_reader = PyTorchFileReader(file_or_buffer)
        self._parent = _mangling.new_parent()
        self._paths = frozenset(self.zip_reader.get_all_records())
        self.modules: dict[str, ModuleType] = {}
        self.last_map_location: Any = None
        text = self.zip_reader.get_record(".data/extern_modules").decode()
        self.extern_modules = text.splitlines()
        for name in self.extern_modules:
            if not module_allowed(name):
                raise ImportError(
                    f"package '{self.filename}' needs the external module '{name}' but that module "
                    "has been disallowed"
                )
        self._builtins = {**vars(builtins), "__import__": self.__import__}

    # ---- modules ---------------------------------------------------------------------------------
    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """Import a module of the package.

        Args:
            name: Its name; relative if it starts with a dot.
            package: The package for relative names.

        Raises:
            ModuleNotFoundError: If the package has no such module, and does not extern it.
        """
        return self._load(importlib.util.resolve_name(name, package))

    def _load(self, name: str) -> ModuleType:
        name = _mangling.demangle(name)
        if name in self.modules:
            return self.modules[name]
        if name == "torch_package_importer":
            return self  # type: ignore[return-value]
        parent, _, last = name.rpartition(".")
        if self._is_extern(name):
            found = importlib.import_module(name)
            if parent and not self._is_extern(parent):
                setattr(self._load(parent), last, found)
            return found
        if parent:
            self._load(parent)
            if name in self.modules:  # the parent imported it
                return self.modules[name]
        module = self._execute(name)
        if parent:
            setattr(self._load(parent), last, module)
        return module

    def _is_extern(self, name: str) -> bool:
        parts = name.split(".")
        if any(".".join(parts[: i + 1]) in self.extern_modules for i in range(len(parts))):
            return True
        # Standard packages are extern with each of their modules; others have what the archive has.
        standard = parts[0] in sys.stdlib_module_names or parts[0] == "torch"
        return standard and any(module.startswith(f"{name}.") for module in self.extern_modules)

    def _execute(self, name: str) -> ModuleType:
        """Make a module from its source; a folder without `__init__.py` is an empty package."""
        path, is_package = self._locate(name)
        module = ModuleType(f"{self._parent}.{name}")
        module.__file__ = f"{self._parent}.{path or name.replace('.', '/')}"
        module.__loader__ = self
        module.__spec__ = importlib.machinery.ModuleSpec(
            module.__name__,
            self,  # type: ignore[arg-type]
            is_package=is_package,
        )
        module.__package__ = module.__name__ if is_package else module.__name__.rpartition(".")[0]
        if is_package:
            module.__path__ = []
        vars(module)["__builtins__"] = self._builtins
        vars(module)["__torch_package__"] = True
        self.modules[name] = module
        _mangling.register(module)
        try:
            if path is not None:
                exec(compile(self.get_source(name), module.__file__, "exec"), vars(module))
        except BaseException:
            del self.modules[name]
            raise
        return self.modules[name]

    def _locate(self, name: str) -> tuple[str | None, bool]:
        """Return the path of a module's source, if it has one, and whether it is a package."""
        base = name.replace(".", "/")
        is_package = any(path.startswith(f"{base}/") for path in self._paths)
        for path in (f"{base}/__init__.py", f"{base}.py"):
            if path in self._paths:
                return path, is_package
        if is_package or any(each.startswith(f"{name}.") for each in self.extern_modules):
            return None, True
        raise ModuleNotFoundError(
            f'No module named "{name}" in self-contained archive "{self.filename}" and the module is '
            f"also not in the list of allowed external modules: {self.extern_modules}",
            name=name,
        )

    def __import__(
        self,
        name: str,
        globals: dict[str, Any] | None = None,
        locals: dict[str, Any] | None = None,
        fromlist: tuple[str, ...] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Import for the `import` statements of the package's modules."""
        if level:
            package = str((globals or {})["__package__"])
            name = importlib.util.resolve_name("." * level + name, package)
        module = self._load(name)
        if not fromlist:
            return self._load(_mangling.demangle(name).partition(".")[0])
        if hasattr(module, "__path__"):
            self._load_submodules(module, fromlist)
        return module

    def _load_submodules(self, package: ModuleType, names: tuple[str, ...]) -> None:
        """Import what `from package import names` names and is not an attribute yet."""
        for each in names:
            if each == "*":
                self._load_submodules(package, tuple(getattr(package, "__all__", ())))
            elif not hasattr(package, each):
                full_name = f"{_mangling.demangle(package.__name__)}.{each}"
                try:
                    self._load(full_name)
                except ModuleNotFoundError as error:
                    if error.name != full_name:
                        raise

    def get_source(self, module_name: str) -> str:
        """Return the source code of a module.

        Raises:
            ModuleNotFoundError: If the package has no such module.
        """
        path, _ = self._locate(_mangling.demangle(module_name))
        return "" if path is None else self.zip_reader.get_record(path).decode()

    # ---- files -----------------------------------------------------------------------------------
    def load_binary(self, package: str, resource: str) -> bytes:
        """Return the bytes of a file.

        Args:
            package: The package that the file belongs to.
            resource: Its name.

        Raises:
            ModuleNotFoundError: If there is no such package.
            RuntimeError: If it has no such file.
        """
        self._locate(package)
        return self.zip_reader.get_record(f"{package.replace('.', '/')}/{resource}")

    def load_text(
        self, package: str, resource: str, encoding: str = "utf-8", errors: str = "strict"
    ) -> str:
        """Return the text of a file; see `load_binary`."""
        return self.load_binary(package, resource).decode(encoding, errors)

    def load_pickle(self, package: str, resource: str, map_location: Any = None) -> Any:
        """Return an object; see `load_binary`.

        Args:
            package: The package that the file belongs to.
            resource: Its name.
            map_location: Where tensors go, as for `torch.load`.
        """
        self.last_map_location = map_location
        restore = restorer(map_location)
        storages: dict[str, UntypedStorage] = {}
        reductions: dict[int, Any] = {}

        def persistent_load(saved_id: Any) -> Any:
            if saved_id[0] == "reduce_package":
                *key, function, arguments = saved_id[1:]
                if not key:  # old packages do not number them
                    return function(self, *arguments)
                if key[0] not in reductions:
                    reductions[key[0]] = function(self, *arguments)
                return reductions[key[0]]
            _, kind, key, location, _count = saved_id
            dtype = getattr(kind, "dtype", None)
            if key not in storages:
                data = bytearray(self.zip_reader.get_record(f".data/{key}.storage"))
                storages[key] = restore(_storage_with(data), location)
            if kind is UntypedStorage:
                return storages[key]
            return TypedStorage(wrap_storage=storages[key], dtype=dtype, _internal=True)

        file = io.BytesIO(self.load_binary(package, resource))
        return PackageUnpickler(file, self, persistent_load).load()

    def get_resource_reader(self, fullname: str) -> ResourceReader | None:
        """Return the files of a package for importlib.resources; None if there is no such package."""
        name = _mangling.demangle(fullname)
        try:
            _, is_package = self._locate(name)
        except ModuleNotFoundError:
            return None
        return ResourceReader(self, name) if is_package else None

    def file_structure(
        self, *, include: GlobPattern = "**", exclude: GlobPattern = ()
    ) -> Directory:
        """Return the files of the package as a tree.

        Args:
            include: Patterns of paths, whose parts are between slashes; see `GlobGroup`.
            exclude: Patterns of paths to leave out.
        """
        return tree_of(os.path.basename(self.filename), sorted(self._paths), include, exclude)

    def id(self) -> str:
        """Return the first part of the names of the package's modules, which no other one has."""
        return self._parent

    def python_version(self) -> str | None:
        """Return the version of the Python that wrote the package; None if that is not known."""
        name = ".data/python_version"
        return self.zip_reader.get_record(name).decode() if name in self._paths else None

    def __repr__(self) -> str:
        return f"PackageImporter({self.filename})"


def _storage_with(data: bytearray) -> UntypedStorage:
    import torch

    if not data:
        return UntypedStorage(0)
    return torch.frombuffer(data, dtype=torch.uint8).untyped_storage()
