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


class HeaderFunction(Protocol):
    """A kernel that the header declares."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> tuple[HeaderArgument, ...]: ...


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
    except ValueError as error:
        raise InputError([Problem(path.name, 1, 1, str(error))], {}) from None
    finally:
        del sys.modules[spec.name]
