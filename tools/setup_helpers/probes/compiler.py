"""Is there a compiler that accepts the language?"""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from pathlib import Path

from ..process import Answer, ask
from . import ProbeContext, ProbeResult

_WRONG = re.compile(r"error|cannot find|undefined reference")
# A compiler may repeat a whole type in its message.
_LONGEST = 240
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
    chosen = _chosen(context, variable)
    path = context.environ.get("PATH")
    if chosen:
        command = shlex.split(chosen)
        return command if command and shutil.which(command[0], path=path) else []
    return next(
        ([found] for name in candidates.split(",") if (found := shutil.which(name, path=path))), []
    )


def _chosen(context: ProbeContext, variable: str) -> str:
    return str(context.values.get(variable) or context.environ.get(variable, ""))


def probe(context: ProbeContext, variable: str, candidates: str, language: str) -> ProbeResult:
    """Compiles a small program."""
    command = find_compiler(context, variable, candidates)
    if not command:
        if chosen := _chosen(context, variable):
            remedy = f"set {variable} to a compiler that is there, or unset it"
            return ProbeResult(False, f"{variable}={chosen}: no such program", remedy=remedy)
        looked = (f"PATH={context.environ.get('PATH', '')}",)
        return ProbeResult(False, f"there is no {' or '.join(candidates.split(','))}", looked)
    suffix, flags, text = _PROGRAMS[language]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, f"probe.{suffix}")
        source.write_text(text)
        arguments = [*command, *flags, "-fsyntax-only", str(source)]
        answer = ask(arguments)
    if answer.code:
        named = shlex.join(command)
        return ProbeResult(False, f"{named} does not compile {language}: {complaint(answer)}")
    return ProbeResult(True, _first(ask([*command, "--version"]).out) or command[0])


def complaint(answer: Answer) -> str:
    """The first line that says what is wrong (the linker's come before the compiler's), or how it ended."""
    lines = answer.err.strip().splitlines()
    said = next((line for line in lines if _WRONG.search(line)), lines[0] if lines else "").strip()
    if said:
        return said if len(said) <= _LONGEST else f"{said[:_LONGEST]}..."
    return f"signal {-answer.code} ended it" if answer.code < 0 else f"exit code {answer.code}"


def _first(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""
