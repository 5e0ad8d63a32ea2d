"""Write a package: objects, the source code that they need, and other files, in one archive."""

from __future__ import annotations

import io
import os
import platform
import random
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from torch._hook_handles import RemovableHandle, add_hook
from torch.package import _mock
from torch.package._answers import Answers
from torch.package._decisions import (
    Action,
    EmptyMatchError,
    ModuleState,
    PackagingError,
    Rule,
    source_of,
    why_no_source,
)
from torch.package._dependencies import DependencyGraph
from torch.package._mangling import demangle
from torch.package._pickling import PackagePickler, storage_of
from torch.package.find_file_dependencies import find_files_source_depends_on
from torch.package.glob_group import GlobGroup, GlobPattern
from torch.package.importer import Importer, OrderedImporter, sys_importer
from torch.serialization import _Archive, location_tag

__all__ = ["EmptyMatchError", "PackageExporter", "PackagingError"]

_FORMAT_VERSION = b"6\n"  # the newest format of PyTorch's archives
_MOCKED = 'from _mock import MockedObject\n\n\ndef __getattr__(name):\n    return MockedObject(f"{__name__}.{name}")\n'

_MOCKED_IN_USE = (
    "Module was mocked out, but is still being used in the package. Please intern or extern the mocked "
    "modules if objects are supposed to be in the package."
)
Hook = Callable[["PackageExporter", str], None]


class PackageExporter(Answers):
    """Write objects with the source code that they need, for `PackageImporter`.

    Modules that the objects and their code import are interned (copied into the package), externed
    (imported from the Python that loads the package) or mocked (imported, but of no use). The first
    pattern that matches a module decides. Modules of torch and of the standard library are externed.

    Args:
        f: The path of the file, or a binary file open for writing.
        importer: Where the modules of the objects come from: an importer, or a list that is asked in
            order.
        debug: Whether errors show how the broken modules are reached.

    Example:
        >>> from torch.package import PackageExporter, PackageImporter
        >>> with PackageExporter("demo.pt") as exporter:
        ...     exporter.save_source_string("numbers_demo", "ANSWER = 42")
        ...     exporter.save_pickle("weights", "w.pkl", torch.ones(2))
        >>> package = PackageImporter("demo.pt")
        >>> package.import_module("numbers_demo").ANSWER
        42
        >>> package.load_pickle("weights", "w.pkl")
        tensor([1., 1.])
    """

    importer: Importer

    def __init__(
        self,
        f: str | os.PathLike[str] | IO[bytes],
        importer: Importer | Sequence[Importer] = sys_importer,
        debug: bool = False,
    ) -> None:
        is_path = isinstance(f, (str, os.PathLike))
        self._zip = zipfile.ZipFile(f, "w", zipfile.ZIP_STORED)
        self._archive = _Archive(self._zip, Path(f).stem if is_path else "archive")  # type: ignore[arg-type]
        self._written: set[str] = set()
        self.importer = importer if isinstance(importer, Importer) else OrderedImporter(*importer)
        self.debug = debug
        self.dependency_graph = DependencyGraph()
        self._modules: dict[str, ModuleState] = {}
        self._rules: list[Rule] = []
        self._hooks: dict[Action, OrderedDict[int, Hook]] = {
            action: OrderedDict() for action in Action
        }
        self._storages: dict[int, str] = {}
        self._reductions: dict[int, tuple[Any, ...]] = {}
        self._kept: list[Any] = []  # what was saved by address, so that nothing else gets that
        self._unique = 0

    # ---- which modules ---------------------------------------------------------------------------
    def intern(
        self, include: GlobPattern, *, exclude: GlobPattern = (), allow_empty: bool = True
    ) -> None:
        """Copy modules that match a pattern into the package.

        Args:
            include: The pattern or patterns; see `GlobGroup`.
            exclude: Patterns of modules that are not meant.
            allow_empty: Whether it is fine if no module matches.
        """
        self._rules.append(Rule(GlobGroup(include, exclude=exclude), Action.INTERN, allow_empty))

    def extern(
        self, include: GlobPattern, *, exclude: GlobPattern = (), allow_empty: bool = True
    ) -> None:
        """Leave modules that match a pattern to the Python that loads the package; see `intern`."""
        self._rules.append(Rule(GlobGroup(include, exclude=exclude), Action.EXTERN, allow_empty))

    def mock(
        self, include: GlobPattern, *, exclude: GlobPattern = (), allow_empty: bool = True
    ) -> None:
        """Replace modules that match a pattern by ones whose objects cannot be used; see `intern`."""
        self._rules.append(Rule(GlobGroup(include, exclude=exclude), Action.MOCK, allow_empty))

    def deny(self, include: GlobPattern, *, exclude: GlobPattern = ()) -> None:
        """Make it an error that the package needs modules that match a pattern; see `intern`."""
        self._rules.append(Rule(GlobGroup(include, exclude=exclude), Action.DENY, True))

    def register_intern_hook(self, hook: Hook) -> RemovableHandle:
        """Call a function with the exporter and the name of each module that is interned."""
        return add_hook(self._hooks[Action.INTERN], hook)

    def register_extern_hook(self, hook: Hook) -> RemovableHandle:
        """Call a function with the exporter and the name of each module that is externed."""
        return add_hook(self._hooks[Action.EXTERN], hook)

    def register_mock_hook(self, hook: Hook) -> RemovableHandle:
        """Call a function with the exporter and the name of each module that is mocked."""
        return add_hook(self._hooks[Action.MOCK], hook)

    def add_dependency(self, module_name: str, dependencies: bool = True) -> None:
        """Decide by the patterns what to do with a module that the package needs.

        Args:
            module_name: The module.
            dependencies: Whether to do so with the modules that it imports, too.
        """
        if module_name in self._modules:
            return
        self._modules[module_name] = module = ModuleState()
        self.dependency_graph.add(module_name)
        module.action = self._action_for(module_name)
        match module.action:
            case None:
                module.problem = (
                    "Module did not match against any action pattern. Extern, mock, or intern it."
                )
            case Action.DENY:
                module.problem = "Module was denied by a pattern."
            case Action.INTERN:
                self._intern(module_name, module, dependencies)

    def _action_for(self, module_name: str) -> Action | None:
        top = module_name.partition(".")[0]
        if top in ("torch", "torch_package_importer") or top in sys.stdlib_module_names:
            return Action.EXTERN
        for rule in self._rules:
            if rule.group.matches(module_name):
                rule.was_matched = True
                return rule.action
        return None

    def save_module(self, module_name: str, dependencies: bool = True) -> None:
        """Copy a module into the package, whatever the patterns say.

        Args:
            module_name: The module.
            dependencies: Whether to add the modules that it imports.

        Raises:
            ModuleNotFoundError: If there is no such module.
            TypeError: If the name is not a string.
        """
        if not isinstance(module_name, str):
            raise TypeError(
                "save_module() expects a string input, did you perhaps mean to pass `__name__`?"
            )
        module_name = demangle(module_name)
        self.importer.import_module(module_name)
        self._modules[module_name] = module = ModuleState(Action.INTERN)
        self.dependency_graph.add(module_name)
        self._intern(module_name, module, dependencies)

    def _intern(self, module_name: str, module: ModuleState, dependencies: bool) -> None:
        try:
            found = self.importer.import_module(module_name)
        except ImportError as error:
            module.problem, module.detail = "Module could not be imported.", str(error)
            return
        source = source_of(found)
        if source is None:
            module.problem = why_no_source(found)
            return
        parents = module_name.split(".")[:-1]
        for end in range(len(parents)):
            parent = ".".join(parents[: end + 1])
            if self._action_for(parent) is not None:  # others become empty packages
                self.add_dependency(parent)
        self._write_source(module_name, source, is_package=hasattr(found, "__path__"))
        if dependencies:
            self._add_imports(module_name, module, source, is_package=hasattr(found, "__path__"))

    def _import(self, module_name: str) -> ModuleType | None:
        if module_name == "torch_package_importer":  # the package, for the modules inside
            return sys.modules[__name__]
        try:
            return self.importer.import_module(module_name)
        except Exception:  # whatever the module's code raises
            return None

    def _exists(self, module_name: str) -> bool:
        return module_name in self._modules or self._import(module_name) is not None

    def _add_imports(
        self, module_name: str, module: ModuleState, source: str, is_package: bool
    ) -> None:
        package = module_name if is_package else module_name.rpartition(".")[0]
        try:
            pairs = find_files_source_depends_on(source, package)
        except (SyntaxError, ImportError) as error:
            module.problem, module.detail = "Dependency resolution failed.", str(error)
            return
        for base, name in pairs:
            # Modules that do not exist are left out, as a program may import what it can do without.
            candidates = [base] if name is None else [f"{base}.{name}", base]
            imported = next((each for each in candidates if self._exists(each)), None)
            if imported is not None:
                self.dependency_graph.add_edge(module_name, imported)
                self.add_dependency(imported)

    # ---- contents --------------------------------------------------------------------------------
    def save_source_string(
        self, module_name: str, src: str, is_package: bool = False, dependencies: bool = True
    ) -> None:
        """Add a module with given source code.

        Args:
            module_name: The name of the module.
            src: The code.
            is_package: Whether the module is a package.
            dependencies: Whether to add the modules that it imports.
        """
        self._modules[module_name] = module = ModuleState(Action.INTERN)
        self.dependency_graph.add(module_name)
        self._write_source(module_name, src, is_package)
        if dependencies:
            self._add_imports(module_name, module, src, is_package)

    def save_source_file(
        self, module_name: str, file_or_directory: str, dependencies: bool = True
    ) -> None:
        """Add a module from a file, or a package with all its modules from a folder.

        Args:
            module_name: The name of the module or package.
            file_or_directory: The path.
            dependencies: Whether to add the modules that they import.
        """
        path = Path(file_or_directory)
        if not path.is_dir():
            text = path.read_text(encoding="utf-8")
            self.save_source_string(module_name, text, dependencies=dependencies)
            return
        for file in sorted(path.rglob("*.py")):
            parts = [module_name, *file.relative_to(path).with_suffix("").parts]
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            self.save_source_string(
                name, file.read_text(encoding="utf-8"), is_package, dependencies
            )

    def save_text(self, package: str, resource: str, text: str) -> None:
        """Add a file with text, which is stored as UTF-8.

        Args:
            package: The package that the file belongs to.
            resource: Its name.
            text: The text.
        """
        self.save_binary(package, resource, text.encode())

    def save_binary(self, package: str, resource: str, binary: bytes) -> None:
        """Add a file with bytes; see `save_text`."""
        self._write(_path_of(package, resource), binary)

    def save_pickle(
        self,
        package: str,
        resource: str,
        obj: Any,
        dependencies: bool = True,
        pickle_protocol: int = 3,
    ) -> None:
        """Add an object, and the modules of its classes and functions.

        Args:
            package: The package that the file belongs to.
            resource: Its name.
            obj: The object.
            dependencies: Whether to add those modules.
            pickle_protocol: The protocol of pickle.
        """
        buffer = io.BytesIO()
        pickler = PackagePickler(buffer, self.importer, pickle_protocol, self._persistent_id)
        pickler.dump(obj)
        if dependencies:
            node = f"<{package}.{resource}>"
            self.dependency_graph.add(node)
            for name in pickler.modules:
                self.dependency_graph.add_edge(node, name)
                self.add_dependency(name)
                if self._modules[name].action is Action.MOCK:
                    self._modules[name].problem = _MOCKED_IN_USE
        self._write(_path_of(package, resource), buffer.getvalue())

    def _persistent_id(self, obj: Any) -> tuple[Any, ...] | None:
        found = storage_of(obj)
        if found is None:
            return self._reduced(obj) if hasattr(type(obj), "__reduce_package__") else None
        storage, kind, count = found
        key = self._storages.get(storage._cdata)
        if key is None:
            key = self._storages[storage._cdata] = str(len(self._storages))
            self._kept.append(storage)
            self._write(f".data/{key}.storage", storage.cpu())
        return ("storage", kind, key, location_tag(storage), count)

    def _reduced(self, obj: Any) -> tuple[Any, ...]:
        """Return the reference for an object that packages itself: a function and its arguments."""
        if id(obj) not in self._reductions:
            self._kept.append(obj)
            self._reductions[id(obj)] = ("reduce_package", id(obj), *obj.__reduce_package__(self))
        return self._reductions[id(obj)]

    def get_unique_id(self) -> str:
        """Return a number that no other call for this package returns, as text."""
        self._unique += 1
        return str(self._unique - 1)

    def _write_source(self, module_name: str, source: str, is_package: bool) -> None:
        suffix = "/__init__.py" if is_package else ".py"
        self._write(module_name.replace(".", "/") + suffix, source.encode())

    def _write(self, name: str, data: Any) -> None:
        if name in self._written:
            raise ValueError(f"the package already has a file {name}")
        self._written.add(name)
        self._archive.write(name, data)

    # ---- the end ---------------------------------------------------------------------------------
    def close(self) -> None:
        """Write the list of modules and finish the file; a `with` block does so at its end.

        Raises:
            PackagingError: If modules cannot be packaged.
            EmptyMatchError: If no module matched a pattern with `allow_empty=False`.
        """
        if any(module.problem for module in self._modules.values()):
            raise PackagingError(self._modules, self.dependency_graph, self.debug)
        for rule in self._rules:
            if not rule.allow_empty and not rule.was_matched:
                raise EmptyMatchError(
                    f"Exporter did not match any modules to {rule.group}, which was marked as "
                    "allow_empty=False"
                )
        for action, hooks in self._hooks.items():
            for hook in hooks.values():
                for name in self._names(action):
                    hook(self, name)
        self._write_mocks()
        externed = "".join(f"{name}\n" for name in self.externed_modules())
        self._write(".data/extern_modules", externed.encode())
        self._write(".data/python_version", platform.python_version().encode())
        self._write(".data/version", _FORMAT_VERSION)
        self._write("byteorder", sys.byteorder.encode())
        self._write(".data/serialization_id", str(random.getrandbits(128)).zfill(40).encode())
        self._zip.close()

    def _write_mocks(self) -> None:
        mocked = self.mocked_modules()
        # A package that is packaged again has it already.
        if mocked and "_mock.py" not in self._written:
            self._write("_mock.py", Path(str(_mock.__file__)).read_bytes())
        for name in mocked:
            if name == "_mock":
                continue
            found = self._import(name)
            is_package = found is not None and hasattr(found, "__path__")
            self._write_source(name, _MOCKED, is_package)

    def __enter__(self) -> PackageExporter:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        try:
            if error is None:
                self.close()
        finally:
            self._zip.close()


def _path_of(package: str, resource: str) -> str:
    if "/" in resource or not resource:
        raise ValueError(f"a resource is a file's name without folders, not {resource!r}")
    return f"{package.replace('.', '/')}/{resource}"
