"""Probe whether the C++ compiler links programs with a flag, including the libraries that it needs."""

from __future__ import annotations

import shlex

from . import ProbeContext, ProbeResult
from .compiler import complaint, find_linker


def probe(context: ProbeContext, flag: str) -> ProbeResult:
    """Compile and link an empty program."""
    command = find_linker(context)
    if not command:
        return ProbeResult(False, "there is no C++ compiler")
    arguments = [*command, flag, "-x", "c++", "-"]
    answer = context.programs.ask(arguments, "int main() { return 0; }\n", output=True)
    tried = shlex.join([*command, flag])
    if answer.code:
        return ProbeResult(False, f"{tried} cannot build a program: {complaint(answer)}", (tried,))
    return ProbeResult(True, f"{tried} can build programs")
