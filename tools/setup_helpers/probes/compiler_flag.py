"""Does the C++ compiler take a flag and find a header?"""

from __future__ import annotations

from ..process import ask
from . import ProbeContext, ProbeResult
from .compiler import find_compiler


def probe(context: ProbeContext, flag: str, header: str) -> ProbeResult:
    """Preprocesses a file that includes the header, with the flag."""
    command = find_compiler(context, "CXX", "c++,g++,clang++")
    if not command:
        return ProbeResult(False, "there is no C++ compiler")
    arguments = [*command, flag, "-x", "c++", "-E", "-o", "/dev/null", "-"]
    if ask(arguments, f"#include <{header}>\n").code:
        return ProbeResult(
            False, f"{command[0]} does not find <{header}> with {flag}", (command[0],)
        )
    return ProbeResult(True, f"{command[0]} takes {flag} and finds <{header}>")
