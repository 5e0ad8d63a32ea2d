"""Import and call functions that the table names as `package.module:function`."""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import Any

from tools.base.errors import BuildError, environment_error, usage_error


def call(what: str, entry: str, *arguments: object) -> Any:
    """Call the function and return its result; `what` names the caller in messages."""
    module, _, function = entry.partition(":")
    try:
        target = getattr(importlib.import_module(module), function)
    except ModuleNotFoundError as error:
        if error.name is None or module.startswith(error.name):
            raise usage_error(f"{what}: no {entry}", cause=str(error)) from error
        raise environment_error(
            f"{what} needs the Python package {error.name!r}",
            hint="pip install the build requirements of pyproject.toml",
        ) from error
    except (ImportError, AttributeError) as error:
        raise usage_error(f"{what}: no {entry}", cause=str(error)) from error
    except Exception as error:
        raise _failure(what, module, error) from error
    try:
        return target(*arguments)
    except (BuildError, OSError, MemoryError):
        raise
    except Exception as error:
        # Generators do not import this package; their InputError describes a mistake in their inputs.
        if type(error).__name__ == "InputError":
            raise usage_error(f"{what} failed", cause=str(error)) from error
        raise _failure(what, module, error) from error


def _failure(what: str, module: str, error: Exception) -> BuildError:
    """Describe an error of the project's own code with its file and line, like a compiler."""
    return BuildError(
        f"{what} failed",
        cause=f"{_place(module, error)}{type(error).__name__}: {error}",
        hint="fix it there; --traceback shows the call stack",
    )


def _place(module: str, error: Exception) -> str:
    """Return `file:line: ` of the innermost frame in the project, or an empty text."""
    import traceback

    spec = importlib.util.find_spec(module.partition(".")[0])
    root = os.path.dirname(spec.origin) if spec and spec.origin else ""
    if spec and spec.submodule_search_locations:
        root = os.path.dirname(next(iter(spec.submodule_search_locations)))
    frames = [(f.filename, f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno))
    inside = [frame for frame in frames if root and frame[0].startswith(f"{root}{os.sep}")]
    ours = [frame for frame in inside if "site-packages" not in frame[0]]
    return f"{os.path.relpath(ours[-1][0], root)}:{ours[-1][1]}: " if ours else ""
