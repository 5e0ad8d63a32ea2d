"""Probe for a build tool that is new enough, on PATH or as a package of the running Python."""

from __future__ import annotations

from ..graph.toolchain import find_tool, installed_tools
from . import ProbeContext, ProbeResult


def probe(context: ProbeContext, name: str, minimum: str) -> ProbeResult:
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
