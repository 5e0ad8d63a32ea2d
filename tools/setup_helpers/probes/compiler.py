"""Is there a compiler that accepts the language?"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import ProbeContext, ProbeResult

_WRONG = re.compile(r"error|cannot find|undefined reference")
_PROGRAMS = {
    "c": ("c", ["-std=c11"], "int main(void) { return 0; }\n"),
    "c++20": (
        "cpp",
        ["-std=c++20"],
        "#include <concepts>\n#include <span>\nint main() { return 0; }\n",
    ),
}


def find_compiler(context: ProbeContext, variable: str, candidates: str) -> list[str]:
    """The compiler's command: the option's value, or the first candidate on PATH; empty when none."""
    chosen = str(context.values.get(variable) or context.environ.get(variable, ""))
    path = context.environ.get("PATH")
    if chosen:
        command = shlex.split(chosen)
        return command if command and shutil.which(command[0], path=path) else []
    return next(
        ([found] for name in candidates.split(",") if (found := shutil.which(name, path=path))), []
    )


def probe(context: ProbeContext, variable: str, candidates: str, language: str) -> ProbeResult:
    """Compiles a small program."""
    command = find_compiler(context, variable, candidates)
    looked = tuple(candidates.split(","))
    if not command:
        chosen = str(context.values.get(variable) or "")
        what = (
            f"{variable}={chosen} is no program" if chosen else f"none of {candidates} is on PATH"
        )
        return ProbeResult(False, what, looked)
    suffix, flags, text = _PROGRAMS[language]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, f"probe.{suffix}")
        source.write_text(text)
        arguments = [*command, *flags, "-fsyntax-only", str(source)]
        result = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if result.returncode:
        return ProbeResult(
            False, f"{command[0]} does not compile {language}: {first_error(result.stderr)}", looked
        )
    version = subprocess.run(
        [*command, "--version"], capture_output=True, text=True, check=False
    ).stdout
    return ProbeResult(True, _first(version) or command[0])


def first_error(text: str) -> str:
    """The first line that says what is wrong (the linker's come before the compiler's), or the first."""
    lines = text.strip().splitlines()
    return next((line for line in lines if _WRONG.search(line)), lines[0] if lines else "").strip()


def _first(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""
