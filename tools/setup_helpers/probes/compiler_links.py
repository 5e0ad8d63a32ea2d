"""Does the C++ compiler make programs with a flag, the libraries that the flag needs included?"""

from __future__ import annotations

import shlex
import subprocess
import tempfile
from pathlib import Path

from . import ProbeContext, ProbeResult
from .compiler import find_compiler


def probe(context: ProbeContext, flag: str) -> ProbeResult:
    """Compiles and links an empty program."""
    command = find_compiler(context, "CXX", "c++,g++,clang++")
    if not command:
        return ProbeResult(False, "there is no C++ compiler", ("c++", "g++", "clang++"))
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            [*command, flag, "-x", "c++", "-", "-o", str(Path(folder, "program"))],
            input="int main() { return 0; }\n",
            capture_output=True,
            text=True,
            check=False,
        )
    tried = shlex.join([*command, flag])
    if result.returncode:
        said = (result.stderr.strip().splitlines() or ["it fails"])[0]
        return ProbeResult(False, f"{tried} makes no program: {said}", (tried,))
    return ProbeResult(True, f"{tried} makes programs")
