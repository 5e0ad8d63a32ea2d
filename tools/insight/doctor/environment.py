"""Check what the user's environment adds to a build or a package: flags, paths, and variables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.base.programs import Programs
from tools.setup_helpers.probes.compilers import complaint
from tools.setup_helpers.state.source_names import MISREAD, MISREAD_BY_NINJA
from tools.setup_helpers.table.languages import Language, linking_language

from .check import Check, Finding, Machine, either, ok, problem, skipped, warning

# With a tab, the package lacks its libraries. Python strips the line of the editable install that names the
# checkout, so it finds none whose path ends in a space.
_STOPS = re.compile(rf"{MISREAD.pattern}|\s\Z")
_STALE = "Ninja does not see which headers were included, so it recompiles too little after an edit"


def _shown(text: str) -> str:
    """Return the text as it is, or quoted if that would not be visible or could not be printed."""
    return text if text.isprintable() and text.strip() else ascii(text)


@dataclass(frozen=True)
class FlagSet:
    """Flags for one kind of file, and where they come from."""

    source: str
    language: Language
    flags: tuple[str, ...]
    remedy: str


class CompilerFlags(Check):
    """Check the flags of the options and of the table's CPU capabilities."""

    id = "compiler-flags"
    looks_at = "the compiler flags from the options and from the CPU capabilities"
    consequence = "every file that is compiled with the flag fails"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        known = machine.compilers
        sets = [s for s in _flag_sets(machine) if s.flags and s.language.name in known]
        for each in _refused(machine, sets):
            command, dialect = known[each.language.name], each.language.dialect
            if refusal := _refusal(machine.programs, command, dialect, each.flags):
                bad = [f for f in each.flags if _refusal(machine.programs, command, dialect, (f,))]
                named = " ".join(bad or each.flags)
                return problem(
                    f"{shlex.join(command)} does not accept {named} ({each.source}): {refusal}",
                    each.remedy,
                )
        return ok(", ".join(s.source for s in sets)) if sets else skipped("there are none")


def _flag_sets(machine: Machine) -> Iterator[FlagSet]:
    languages = [language for language in machine.languages if language.dialect]
    for language in languages:
        if option := language.flags:
            flags = machine.compile_flags(language)
            yield FlagSet(option, language, flags, f"remove it from {option}")
    main = linking_language(languages)
    for row in machine.config.capabilities if main else ():
        if machine.meets(row.when):
            assert main is not None
            setting = f", or set {main.compiler} to one" if main.compiler else ""
            remedy = f"install a newer compiler{setting}"
            yield FlagSet(f"capability {row.name}", main, row.flags, remedy)


def _refused(machine: Machine, sets: Sequence[FlagSet]) -> Iterator[FlagSet]:
    """Yield the flag sets of each compiler that does not accept all of them together."""
    for language in {s.language.name: s.language for s in sets}.values():
        own = [s for s in sets if s.language is language]
        flags = tuple(flag for s in own for flag in s.flags)
        command = machine.compilers[language.name]
        if _refusal(machine.programs, command, language.dialect, flags):
            yield from own


def _refusal(
    programs: Programs, command: Sequence[str], dialect: str, flags: tuple[str, ...]
) -> str:
    """Return the compiler's first error for an empty file; empty when it accepts the flags."""
    arguments = [*command, *flags, "-x", dialect, "-S", "-o", "/dev/null", "-"]
    answer = programs.ask(arguments)
    return complaint(answer) if answer.code else ""


class Paths(Check):
    """Look for characters with a meaning in CMake's lists, in Ninja's files or in dependency files."""

    id = "paths"
    looks_at = "the characters in the paths of the checkout and the build directory"
    consequence = "CMake or Ninja stops with an error that does not mention the path"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        places = {str(machine.root): "", str(machine.build_dir): self._elsewhere(machine)}
        for place, elsewhere in places.items():
            remedy = either("move the checkout to a folder without that character", elsewhere)
            if match := _STOPS.search(place):
                return problem(f"{_shown(match[0])} in {_shown(place)}", remedy)
            if match := MISREAD_BY_NINJA.search(place):
                return warning(f"{match[0]!r} in {place}", remedy, _STALE)
        return ok("no character that CMake or Ninja cannot handle")

    def _elsewhere(self, machine: Machine) -> str:
        """Suggest another build directory, unless it is inside the checkout."""
        inside = machine.build_dir.is_relative_to(machine.root)
        return "" if inside else machine.with_option("build_dir", "/another/folder")


class Variables(Check):
    """Look for the variables that the table's `[[variable]]` rows name."""

    id = "variables"
    looks_at = "environment variables that change results or speed, according to the table"
    consequence = "tests and measurements in this shell differ from those in other shells"

    def examine(self, machine: Machine) -> Finding:
        rows = [row for row in machine.config.variables if machine.meets(row.when)]
        if not rows:
            return skipped("the table names none")
        found = [row for row in rows if machine.environ.get(row.name)]
        if not found:
            return ok(f"none of {len(rows)} is set")
        return warning(
            "; ".join(f"{row.name}={machine.environ[row.name]}" for row in found),
            f"unset {' '.join(row.name for row in found)}",
            "; ".join(
                row.consequence if len(found) == 1 else f"{row.name}: {row.consequence}"
                for row in found
            ),
        )
