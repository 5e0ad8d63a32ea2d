"""CMake, Ninja and the compilers: where they are and what they are.

The only module that knows scikit-build-core, which finds tools installed as Python packages.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from ..errors import environment_error
from ..programs import Programs


@dataclass(frozen=True)
class Tool:
    """A program and the version it names."""

    name: str
    path: str
    version: str


def version_tuple(text: str) -> tuple[int, ...]:
    return tuple(int(x) for x in re.findall(r"\d+", text)[:3])


def find_tool(name: str, minimum: str, programs: Programs) -> Tool | None:
    """The first of PATH and the running Python's packages that is new enough."""
    for tool in tools_of(name, programs):
        if tool.version and version_tuple(tool.version) >= version_tuple(minimum):
            return tool
    return None


def tools_of(name: str, programs: Programs) -> Iterator[Tool]:
    """All that are there, old ones too; a version is empty when the program does not answer."""
    for path in _places(name, programs):
        yield Tool(name, path, version_of(path, programs))


def require_tool(name: str, minimum: str, programs: Programs) -> Tool:
    """As find_tool; absence is a BuildError."""
    tool = find_tool(name, minimum, programs)
    if tool is None:
        raise environment_error(
            f"{name} >= {minimum} is not found",
            cause="looked on PATH and among the running Python's packages",
            hint=f"pip install {name}",
        )
    return tool


def _places(name: str, programs: Programs) -> Iterator[str]:
    if found := programs.find(name):
        yield found
    # A folder of that name, such as a checkout's cmake/, stands for a package that came after it was seen.
    if getattr(sys.modules.get(name), "__file__", "") is None:
        del sys.modules[name]
    try:
        search = import_module("scikit_build_core.program_search")
        finder = getattr(search, f"get_{name}_programs")
    except (ImportError, AttributeError):
        return
    for program in finder(module=True):
        if Path(program.path).is_file():
            yield str(program.path)


def version_of(path: str, programs: Programs) -> str:
    """What a tool answers to `--version`; empty when it does not answer."""
    try:
        answer = programs.ask([path, "--version"])
    except OSError:
        return ""
    match = re.search(r"\d+\.\d+(?:\.\d+)*", answer.out)
    return match[0] if match and answer.code == 0 else ""
