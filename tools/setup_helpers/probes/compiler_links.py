"""Does the C++ compiler make programs with a flag, the libraries that the flag needs included?"""

from __future__ import annotations

import shlex

from . import ProbeContext, ProbeResult
from .compiler import complaint, find_compiler


def probe(context: ProbeContext, flag: str) -> ProbeResult:
    """Compiles and links an empty program."""
    command = find_compiler(context, "CXX", "c++,g++,clang++")
    if not command:
        return ProbeResult(False, "there is no C++ compiler", ("c++", "g++", "clang++"))
    arguments = [*command, flag, "-x", "c++", "-"]
    answer = context.programs.ask(arguments, "int main() { return 0; }\n", output=True)
    tried = shlex.join([*command, flag])
    if answer.code:
        return ProbeResult(False, f"{tried} makes no program: {complaint(answer)}", (tried,))
    return ProbeResult(True, f"{tried} makes programs")
