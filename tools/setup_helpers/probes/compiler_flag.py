"""Does the C++ compiler take a flag, find a header, and make a program of them?"""

from __future__ import annotations

import shlex

from . import ProbeContext, ProbeResult
from .compiler import LISTS_HEADERS, complaint, find_compiler, headers


def probe(context: ProbeContext, flag: str, header: str) -> ProbeResult:
    """Compiles and links a program that includes the header, with the flag."""
    command = find_compiler(context, "CXX", "c++,g++,clang++")
    if not command:
        return ProbeResult(False, "there is no C++ compiler")
    arguments = [*command, flag, *LISTS_HEADERS, "-xc++", "-"]
    text = f"#include <{header}>\nint main() {{ return 0; }}\n"
    answer = context.programs.ask(arguments, text, output=True, reads=headers)
    named = shlex.join(command)
    if answer.code:
        said = f"{named} makes no program with <{header}> and {flag}: {complaint(answer)}"
        return ProbeResult(False, said, (named,))
    return ProbeResult(True, f"{named} takes {flag} and finds <{header}>")
