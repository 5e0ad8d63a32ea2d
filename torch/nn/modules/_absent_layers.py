"""Layers whose operators do not exist yet: programs can name them, but not create them.

Libraries compare modules with these classes, which is False for every module that exists.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from torch.nn.modules.module import Module

NEEDED_OPERATORS = {
    "SyncBatchNorm": "torch.distributed",
}
"""What each layer waits for."""


@cache
def layer(name: str) -> type[Module]:
    """Return the class of a layer that cannot be created yet."""
    needed = NEEDED_OPERATORS[name]
    message = f"nn.{name} does not exist in this build yet: it needs {needed}"

    def __init__(self: Module, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(message)

    text = f"The class nn.{name}, of which no module can be created yet: it needs {needed}."
    values = {"__init__": __init__, "__doc__": text, "__module__": "torch.nn", "_absent": True}
    return type(name, (Module,), values)
