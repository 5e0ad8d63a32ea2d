"""Facts about the machine that conditions in the table may name."""

from __future__ import annotations

import os
import sys


def platform_facts() -> dict[str, bool]:
    """Return the facts; their names are lower-case so that none collides with an option."""
    machine = os.uname().machine if hasattr(os, "uname") else ""
    return {
        "linux": sys.platform == "linux",
        "macos": sys.platform == "darwin",
        "windows": sys.platform == "win32",
        "unix": os.name == "posix",
        "x86_64": machine in ("x86_64", "AMD64"),
        "aarch64": machine in ("aarch64", "arm64"),
    }
