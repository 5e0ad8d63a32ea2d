"""Functions that the table names as `package.module:function`: found and called."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import BuildError, environment_error, usage_error


def call(what: str, entry: str, *arguments: object) -> Any:
    """What the function returns; `what` says in messages for whom it is called."""
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
    try:
        return target(*arguments)
    except BuildError:
        raise
    except Exception as error:
        # Generators know nothing of this package; a mistake in their inputs is theirs to describe.
        if type(error).__name__ == "InputError":
            raise usage_error(f"{what} failed", cause=str(error)) from error
        raise
