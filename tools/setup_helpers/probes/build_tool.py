"""Is a build tool here, on PATH or as a package of the running Python, and new enough?"""

from __future__ import annotations

from ..graph.toolchain import find_tool, tools_of
from . import ProbeContext, ProbeResult


def probe(context: ProbeContext, name: str, minimum: str) -> ProbeResult:
    """Asks the tool for its version."""
    tool = find_tool(name, minimum, context.programs)
    if tool is not None:
        return ProbeResult(True, f"{tool.version} ({tool.path})")
    looked = ("PATH", f"packages of {context.python}")
    old = [
        f"{t.path} is {t.version}" if t.version else f"`{t.path} --version` fails"
        for t in tools_of(name, context.programs)
    ]
    if old:
        said = ", ".join(dict.fromkeys(old))  # PATH may lead to a package's own
        return ProbeResult(False, f"{name} >= {minimum} is needed; {said}", looked)
    return ProbeResult(False, f"{name} >= {minimum} is not found", looked)
