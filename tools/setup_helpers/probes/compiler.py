"""Probe for a compiler that supports a language standard."""

from __future__ import annotations

import re
import shlex

from tools.base.process import Answer

from . import ProbeContext, ProbeResult

_WRONG = re.compile(r"error|cannot find|undefined reference")
# Compilers may print a very long type in a message.
_LONGEST = 240
LISTS_HEADERS = ("-MD", "-MF", "-")
_PROGRAMS = {
    "c": ("-xc", "-std=c11", "int main(void) { return 0; }\n"),
    "c++20": (
        "-xc++",
        "-std=c++20",
        "#include <concepts>\n#include <span>\nint main() { return 0; }\n",
    ),
}


def find_compiler(context: ProbeContext, variable: str, candidates: str) -> list[str]:
    """Return the compiler's command: the option's value, or the first candidate on PATH; else empty."""
    find = context.programs.find
    if chosen := _chosen(context, variable):
        command = shlex.split(chosen)
        return command if command and find(command[0]) else []
    return next(([found] for name in candidates.split(",") if (found := find(name))), [])


def _chosen(context: ProbeContext, variable: str) -> str:
    return str(context.values.get(variable) or context.environ.get(variable, ""))


def probe(context: ProbeContext, variable: str, candidates: str, language: str) -> ProbeResult:
    """Compile a small program."""
    command = find_compiler(context, variable, candidates)
    if not command:
        if chosen := _chosen(context, variable):
            remedy = f"set {variable} to an existing compiler, or unset it"
            return ProbeResult(False, f"{variable}={chosen}: no such program", remedy=remedy)
        looked = (f"PATH={context.environ.get('PATH', '')}",)
        return ProbeResult(False, f"there is no {' or '.join(candidates.split(','))}", looked)
    *flags, text = _PROGRAMS[language]
    arguments = [*command, *flags, "-fsyntax-only", *LISTS_HEADERS, "-"]
    answer = context.programs.ask(arguments, text, reads=headers)
    if answer.code:
        named = shlex.join(command)
        return ProbeResult(False, f"{named} does not compile {language}: {complaint(answer)}")
    return ProbeResult(
        True, _first(context.programs.ask([*command, "--version"]).out) or command[0]
    )


def headers(answer: Answer) -> list[str]:
    """Return the included headers from the make rule that LISTS_HEADERS requests."""
    prerequisites = answer.out.partition(":")[2].replace("\\\n", " ")
    words: list[str] = re.findall(r"(?:\\.|\S)+", prerequisites)
    return [re.sub(r"\\([ #])|\$(\$)", r"\1\2", word) for word in words]


def complaint(answer: Answer) -> str:
    """Return the first line with an error, or the exit status.

    A linker's errors precede the message of the compiler driver.
    """
    lines = answer.err.strip().splitlines()
    error = next((line for line in lines if _WRONG.search(line)), lines[0] if lines else "").strip()
    if error:
        return error if len(error) <= _LONGEST else f"{error[:_LONGEST]}..."
    return f"killed by signal {-answer.code}" if answer.code < 0 else f"exit code {answer.code}"


def _first(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""
