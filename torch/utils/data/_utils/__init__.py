"""The parts of a DataLoader: fetching, collation, and worker processes.

Libraries with worker processes of their own use the constants.
"""

from __future__ import annotations

import atexit
from importlib.util import find_spec
from typing import Any

IS_WINDOWS = False
# How long the workers of libraries wait for a message before they check their parent, in seconds.
MP_STATUS_CHECK_INTERVAL = 5.0
# True once the interpreter is exiting, when joining worker processes is no longer safe.
python_exit_status: bool | None = False
HAS_NUMPY = find_spec("numpy") is not None


def _set_python_exit_flag() -> None:
    global python_exit_status
    python_exit_status = True


atexit.register(_set_python_exit_flag)


def __getattr__(name: str) -> Any:
    if name in ("collate", "fetch", "pin_memory", "signal_handling", "worker"):
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
