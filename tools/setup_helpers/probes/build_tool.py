"""Is a build tool here, on PATH or as a package of the running Python, and new enough?"""

from __future__ import annotations

from ..toolchain import find_tool
from . import ProbeContext, ProbeResult


def probe(context: ProbeContext, name: str, minimum: str) -> ProbeResult:
    """Asks the tool for its version."""
    tool = find_tool(name, minimum, context.environ)
    if tool is None:
        return ProbeResult(
            False, f"{name} >= {minimum} is not found", ("PATH", "the running Python")
        )
    return ProbeResult(True, f"{tool.version} ({tool.path})")
