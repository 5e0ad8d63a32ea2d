"""Probe whether the C++ compiler accepts a flag, finds a header, and links a program with them."""

from __future__ import annotations

import shlex

from . import ProbeContext, ProbeResult
from .compiler import LISTS_HEADERS, complaint, find_linker, headers


def probe(context: ProbeContext, flag: str, header: str) -> ProbeResult:
    """Compile and link a program that includes the header, with the flag."""
    command = find_linker(context)
    if not command:
        return ProbeResult(False, "there is no C++ compiler")
    arguments = [*command, flag, *LISTS_HEADERS, "-xc++", "-"]
    text = f"#include <{header}>\nint main() {{ return 0; }}\n"
    answer = context.programs.ask(arguments, text, output=True, reads=headers)
    named = shlex.join(command)
    if answer.code:
        reason = f"{named} cannot build a program with <{header}> and {flag}: {complaint(answer)}"
        return ProbeResult(False, reason, (named,))
    return ProbeResult(True, f"{named} accepts {flag} and finds <{header}>")
