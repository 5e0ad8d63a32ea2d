"""Whether programs are compiled: never in this build. Libraries read the setting."""

from __future__ import annotations

import os


class EnabledProxy:
    """The setting that PYTORCH_JIT gives PyTorch; a true value compiles nothing here.

    Example:
        >>> from torch.jit._state import EnabledProxy, _enabled
        >>> isinstance(_enabled, EnabledProxy)
        True
    """

    def __init__(self) -> None:
        self.enabled = False

    def parse_env(self, name: str, default: bool, true_message: str, false_message: str) -> bool:
        """Return the setting of an environment variable, and print what it means."""
        value = os.environ.get(name)
        if value in ("0", "1"):
            print(true_message if value == "1" else false_message)
        return default if value is None else value in ("1", "1v")

    def __bool__(self) -> bool:
        return self.enabled


_enabled = EnabledProxy()


def disable() -> None:
    """Set that nothing is compiled."""
    _enabled.enabled = False


def enable() -> None:
    """Set that programs would be compiled; this build has no compiler for them."""
    _enabled.enabled = True
