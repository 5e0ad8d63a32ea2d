"""Find CMake and Ninja and their versions, and probe for one that is new enough.

Only this module uses scikit-build-core, which finds tools installed as Python packages.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tools.base.errors import environment_error
from tools.base.programs import Programs

from . import ProbeContext, ProbeResult


def build_tool(context: ProbeContext, name: str, minimum: str) -> ProbeResult:
    """Look for the tool and ask it for its version."""
    tool = find_tool(name, minimum, context.programs)
    if tool is not None:
        return ProbeResult(True, f"{tool.version} ({tool.path})")
    looked = ("PATH", f"packages of {context.python}")
    old = [
        f"{t.path} is {t.version}" if t.version else f"`{t.path} --version` fails"
        for t in installed_tools(name, context.programs)
    ]
    if old:
        found = ", ".join(dict.fromkeys(old))  # PATH may lead to the package's tool as well
        return ProbeResult(False, f"{name} >= {minimum} is needed; {found}", looked)
    return ProbeResult(False, f"{name} >= {minimum} was not found", looked)


@dataclass(frozen=True)
class Tool:
    """A program and the version that it reports."""

    name: str
    path: str
    version: str


def requirement(name: str, minimum: str) -> str:
    """Return the requirement for pip that provides a tool."""
    return f"{name}>={minimum}" if minimum else name


def version_tuple(text: str) -> tuple[int, ...]:
    """Return the first three numbers of a version, for comparisons."""
    return tuple(int(x) for x in re.findall(r"\d+", text)[:3])


def find_tool(name: str, minimum: str, programs: Programs) -> Tool | None:
    """Return the first tool, on PATH or among the running Python's packages, that is new enough."""
    for tool in installed_tools(name, programs):
        if tool.version and version_tuple(tool.version) >= version_tuple(minimum):
            return tool
    return None


def installed_tools(name: str, programs: Programs) -> Iterator[Tool]:
    """Yield all installed copies of a tool, old ones too. A version is empty if it cannot be read."""
    for path in _candidate_paths(name, programs):
        yield Tool(name, path, version_of(path, programs))


def require_tool(name: str, minimum: str, programs: Programs) -> Tool:
    """Return the result of find_tool.

    Raises:
        BuildError: If no copy is new enough.
    """
    tool = find_tool(name, minimum, programs)
    if tool is None:
        raise environment_error(
            f"{name} >= {minimum} is not found",
            cause="looked on PATH and among the running Python's packages",
            hint=f"pip install {name}",
        )
    return tool


def _candidate_paths(name: str, programs: Programs) -> Iterator[str]:
    if found := programs.find(name):
        yield found
    # A folder such as the checkout's cmake/ may have been imported as a namespace package. Forget it,
    # because the real package may have been installed since.
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
    """Return the version that `--version` prints; empty if the program fails."""
    try:
        answer = programs.ask([path, "--version"])
    except OSError:
        return ""
    match = re.search(r"\d+\.\d+(?:\.\d+)*", answer.out)
    return match[0] if match and answer.code == 0 else ""
