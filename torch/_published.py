"""Let public functions and classes report the module that users know them by, where pickles look for them."""

TYPE_CHECKING = False  # the packages that import this do not pay for typing
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def publish(value: "Any", module: str, name: str) -> "Any":
    """Set the module of a function or class of this name that a private module defines; return it."""
    is_python = hasattr(value, "__code__") or isinstance(value, type)
    if is_python and value.__qualname__ == name and "._" in value.__module__:
        value.__module__ = module
    return value


def publish_all(namespace: "dict[str, Any]", names: "Iterable[str]") -> None:
    """Publish names of a module's namespace."""
    for name in names:
        publish(namespace[name], namespace["__name__"], name)
