"""Probes of compilers: a language standard, a flag with a header, and what a flag links."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tools.base.process import Answer

from ..table.languages import Language, linking_language, version_check
from . import ProbeContext, ProbeResult
from .python import find_file

_WRONG = re.compile(r"error|cannot find|undefined reference")
# Compilers may print a very long type in a message.
_LONGEST = 240
LISTS_HEADERS = ("-MD", "-MF", "-")
# Compile without a file; -fsyntax-only would be faster, but zig fails with it.
_DISCARDS = ("-S", "-o", "/dev/null")
# A program for each argument of `-x` that shows whether the compiler has the standard library.
_PROGRAMS = {
    "c": "int main(void) { return 0; }\n",
    "c++": "#include <concepts>\n#include <span>\nint main() { return 0; }\n",
}


def find_compiler(context: ProbeContext, language: Language | None) -> list[str]:
    """Return the compiler's command: the option's value, or the first candidate there is; else empty."""
    if language is None:
        return []
    find = context.programs.find
    if chosen := chosen_compiler(context, language):
        command = shlex.split(chosen)
        return command if command and find(command[0]) else []
    for place in compiler_places(context, language):
        if found := find(place):
            return [found]
    return _packaged(language)


def _packaged(language: Language) -> list[str]:
    """Return the compiler that a Python distribution has; empty if that is not installed."""
    if not language.distribution:
        return []
    paths = (find_file(language.distribution, f"bin/{name}") for name in language.candidates)
    return next(([str(path)] for path in paths if path), [])


def find_linker(context: ProbeContext) -> list[str]:
    """Return the command of the compiler that links everything; empty if there is none."""
    return find_compiler(context, linking_language(context.languages))


def chosen_compiler(context: ProbeContext, language: Language) -> str:
    """Return the value of the option that names the compiler; empty if it is not set."""
    return _value(context, language.compiler)


def compiler_places(context: ProbeContext, language: Language) -> list[str]:
    """Return the programs to look for if no option names one, in order."""
    home, names = _value(context, language.home), language.candidates
    in_home = [str(Path(home, "bin", name)) for name in names if home and "/" not in name]
    return [*in_home, *names]


def _value(context: ProbeContext, option: str) -> str:
    return str(context.values.get(option) or context.environ.get(option, "")) if option else ""


def compiler(context: ProbeContext, name: str) -> ProbeResult:
    """Compile a small program in a language of the table."""
    language = context.language(name)
    assert language is not None
    command = find_compiler(context, language)
    if not command:
        return absent_compiler(context, language)
    arguments = [*command, f"-x{language.dialect}", f"-std={language.standard}"]
    text = version_check(language) + _PROGRAMS[language.dialect]
    arguments += [*_DISCARDS, *LISTS_HEADERS, "-"]
    answer = context.programs.ask(arguments, text, reads=headers)
    if answer.code:
        named = shlex.join(command)
        return ProbeResult(
            False, f"{named} does not compile {language.standard}: {complaint(answer)}"
        )
    return ProbeResult(
        True, _first(context.programs.ask([*command, "--version"]).out) or command[0]
    )


def absent_compiler(context: ProbeContext, language: Language) -> ProbeResult:
    """Return the result for a language whose compiler was not found."""
    if chosen := chosen_compiler(context, language):
        variable = language.compiler
        remedy = f"set {variable} to an existing compiler, or unset it"
        return ProbeResult(False, f"{variable}={chosen}: no such program", remedy=remedy)
    looked = (f"PATH={context.environ.get('PATH', '')}",)
    places = compiler_places(context, language)
    return ProbeResult(False, f"there is no {' or '.join(places)}", looked)


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


def compiler_flag(context: ProbeContext, flag: str, header: str) -> ProbeResult:
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


def compiler_links(context: ProbeContext, flag: str) -> ProbeResult:
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
