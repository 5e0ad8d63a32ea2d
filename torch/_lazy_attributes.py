"""Attributes of a package that are imported when a program first uses them."""

from importlib import import_module

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any


def import_at_use(
    package: "str",
    modules: "Iterable[str] | None" = None,
    homes: "Mapping[str, str] | None" = None,
) -> "Callable[[str], Any]":
    """Return the `__getattr__` of a package.

    Args:
        package: The package's name.
        modules: Its modules that are imported at their first use as an attribute; None means all.
        homes: The names of functions and classes, each with the module below the package that has it.

    A module that cannot be imported is an AttributeError, which `hasattr` and `getattr` with a default
    expect.
    """
    places = {**dict.fromkeys(modules or (), ""), **(homes or {})}

    def find(name: "str") -> "Any":
        home = places.get(name)
        if home is None and modules is None and name[:2] != "__":
            from importlib.util import find_spec

            home = None if find_spec(f"{package}.{name}") is None else ""
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            module = import_module(f"{package}.{home or name}")
        except ImportError as error:
            raise AttributeError(f"{package}.{name} cannot be imported: {error}") from error
        return getattr(module, name) if home else module

    return find
