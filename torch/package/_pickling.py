"""Pickle objects by the names that importers give them, with storages as records of the package."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from types import FunctionType
from typing import IO, Any

from torch._typed_storage import LEGACY_STORAGES, TypedStorage
from torch.package.importer import Importer, ObjMismatchError, ObjNotFoundError
from torch.storage import UntypedStorage

_Base: Any = pickle._Pickler  # type: ignore[attr-defined]  # the one whose save_global can be replaced


class PackagePickler(_Base):  # type: ignore[misc]
    """Pickle into a package.

    Args:
        file: Where to write.
        importer: Gives classes and functions their names.
        protocol: The protocol of pickle.
        persistent_id: Returns the reference that replaces an object, None for most objects.

    Attributes:
        modules: The names of the modules that the pickle needs, in order.
    """

    dispatch = _Base.dispatch.copy()

    def __init__(
        self,
        file: IO[bytes],
        importer: Importer,
        protocol: int,
        persistent_id: Callable[[Any], Any],
    ) -> None:
        super().__init__(file, protocol)
        self._importer = importer
        self.persistent_id = persistent_id
        self.modules: dict[str, None] = {}

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Write a class or a function as its module and its name."""
        try:
            module_name, name = self._importer.get_name(obj, name)
        except (ObjNotFoundError, ObjMismatchError) as error:
            raise pickle.PicklingError(f"Can't pickle {obj}: {error}") from None
        self.modules[module_name] = None
        owner, _, last = name.rpartition(".")
        if self.proto >= 4:
            self.save(module_name)
            self.save(name)
            self.write(pickle.STACK_GLOBAL)
        elif owner:
            parent: Any = self._importer.import_module(module_name)
            for part in owner.split("."):
                parent = getattr(parent, part)
            self.save_reduce(getattr, (parent, last), obj=obj)
            return
        else:
            self.write(pickle.GLOBAL + f"{module_name}\n{name}\n".encode())
        self.memoize(obj)

    dispatch[FunctionType] = save_global


class PackageUnpickler(pickle.Unpickler):
    """Unpickle from a package.

    Args:
        file: What to read.
        importer: Has the modules.
        persistent_load: Returns the object for a reference.
    """

    def __init__(
        self, file: IO[bytes], importer: Importer, persistent_load: Callable[[Any], Any]
    ) -> None:
        super().__init__(file)
        self._importer = importer
        self._load = persistent_load

    def persistent_load(self, saved_id: Any) -> Any:
        """Return the object for a reference."""
        return self._load(saved_id)

    def find_class(self, module_name: str, name: str) -> Any:
        """Return a class or a function of a module."""
        found: Any = self._importer.import_module(module_name)
        for part in name.split("."):
            found = getattr(found, part)
        return found


def storage_of(obj: Any) -> tuple[UntypedStorage, Any, int] | None:
    """Return the memory of a storage, its class and its number of elements; None for other objects."""
    if isinstance(obj, TypedStorage):
        kind = LEGACY_STORAGES.get(obj.dtype)
        if kind is not None:
            return obj.untyped(), kind, len(obj)
        obj = obj.untyped()
    return (obj, UntypedStorage, obj.nbytes()) if isinstance(obj, UntypedStorage) else None
