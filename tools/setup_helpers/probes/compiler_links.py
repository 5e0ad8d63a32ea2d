"""Does the C++ compiler make programs with a flag, the libraries that the flag needs included?"""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

from ..process import ask
from . import ProbeContext, ProbeResult
from .compiler import complaint, find_compiler


def probe(context: ProbeContext, flag: str) -> ProbeResult:
    """Compiles and links an empty program."""
    command = find_compiler(context, "CXX", "c++,g++,clang++")
    if not command:
        return ProbeResult(False, "there is no C++ compiler", ("c++", "g++", "clang++"))
    with tempfile.TemporaryDirectory() as folder:
        arguments = [*command, flag, "-x", "c++", "-", "-o", str(Path(folder, "program"))]
        answer = ask(arguments, "int main() { return 0; }\n")
    tried = shlex.join([*command, flag])
    if answer.code:
        return ProbeResult(False, f"{tried} makes no program: {complaint(answer)}", (tried,))
    return ProbeResult(True, f"{tried} makes programs")
