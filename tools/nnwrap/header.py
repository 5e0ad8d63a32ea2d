"""Reads the header of the legacy kernels with the parser that the Python package uses at run time."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Protocol, cast

from tools.codegen.errors import InputError, Problem

PARSER = "torch/_thnn/utils.py"
_ROOT = Path(__file__).parents[2]


class HeaderArgument(Protocol):
    """One argument of a kernel."""

    @property
    def type(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def is_optional(self) -> bool: ...
    @property
    def is_output(self) -> bool: ...
    @property
    def line(self) -> int: ...


class HeaderFunction(Protocol):
    """A kernel that the header declares."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> tuple[HeaderArgument, ...]: ...


def shown_path(path: Path) -> str:
    """Return the path of an input for messages: relative to the checkout if it is inside."""
    whole = path.resolve()
    return str(whole.relative_to(_ROOT) if whole.is_relative_to(_ROOT) else path)


def header_error(path: Path, line: int, message: str) -> InputError:
    """Return the error for a mistake in a line of a header, which it shows."""
    name, text = shown_path(path), path.read_text(encoding="utf-8")
    rows = text.split("\n")
    row = rows[line - 1] if line <= len(rows) else ""
    column = len(row) - len(row.lstrip()) + 1
    return InputError([Problem(name, line, column, message, len(row.strip()))], {name: text})


def read_header(path: Path) -> list[HeaderFunction]:
    """Return the kernels that a header declares.

    Raises:
        InputError: If a declaration cannot be read.
    """
    spec = importlib.util.spec_from_file_location("_thnn_utils", _ROOT / PARSER)
    assert spec is not None and spec.loader is not None
    parser = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = parser  # dataclasses look their module up
    spec.loader.exec_module(parser)
    try:
        return cast("list[HeaderFunction]", parser.parse_header(path))
    except parser.HeaderError as error:
        raise header_error(path, error.line, str(error)) from None
    finally:
        del sys.modules[spec.name]
