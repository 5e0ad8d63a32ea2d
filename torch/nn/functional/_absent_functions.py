"""Functions whose operators do not exist yet: programs can import them, but not call them."""

from __future__ import annotations

from typing import Any

from torch._absent import refusing

NAMES = ("scaled_grouped_mm", "scaled_mm")


def find(name: str) -> Any:
    """Return a function that raises NotImplementedError.

    Raises:
        AttributeError: If the name is not one of the list.
    """
    if name not in NAMES:
        raise AttributeError(f"module 'torch.nn.functional' has no attribute '{name}'")
    message = "nn.functional.{name} does not exist in this build yet: its operator is missing"
    return refusing("torch.nn.functional", (name,), NotImplementedError, message)[name]
