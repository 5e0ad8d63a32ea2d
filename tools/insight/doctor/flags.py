"""Check that the compilers accept every flag that the build will use."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.base.programs import Programs
from tools.setup_helpers.probes.compiler import complaint

from .check import Check, Finding, Machine, ok, problem, skipped


@dataclass(frozen=True)
class FlagSet:
    """Flags for one kind of file, and where they come from."""

    source: str
    compiler: str
    """The role of the option that names the compiler."""
    language: str
    flags: tuple[str, ...]
    remedy: str


class CompilerFlags(Check):
    """Check the flags of the options and of the table's CPU capabilities."""

    id = "compiler-flags"
    looks_at = "the compiler flags from the options and from the CPU capabilities"
    consequence = "every file that is compiled with the flag fails"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        sets = [s for s in _flag_sets(machine) if s.flags and s.compiler in machine.compilers]
        for each in _refused(machine, sets):
            command = machine.compilers[each.compiler]
            if refusal := _refusal(machine.programs, command, each.language, each.flags):
                bad = [
                    f
                    for f in each.flags
                    if _refusal(machine.programs, command, each.language, (f,))
                ]
                named = " ".join(bad or each.flags)
                return problem(
                    f"{shlex.join(command)} does not accept {named} ({each.source}): {refusal}",
                    each.remedy,
                )
        return ok(", ".join(s.source for s in sets)) if sets else skipped("there are none")


def _flag_sets(machine: Machine) -> Iterator[FlagSet]:
    for role, compiler, language in (
        ("c_flags", "c_compiler", "c"),
        ("cxx_flags", "cxx_compiler", "c++"),
    ):
        option = machine.config.option_for(role)
        if option is not None:
            flags = machine.flags(role)
            yield FlagSet(option.name, compiler, language, flags, f"remove it from {option.name}")
    for row in machine.config.capabilities:
        if machine.meets(row.when):
            remedy = "install a newer compiler, or set CXX to one"
            yield FlagSet(f"capability {row.name}", "cxx_compiler", "c++", row.flags, remedy)


def _refused(machine: Machine, sets: Sequence[FlagSet]) -> Iterator[FlagSet]:
    """Yield the flag sets of each compiler that does not accept all of them together."""
    for compiler in dict.fromkeys(s.compiler for s in sets):
        own = [s for s in sets if s.compiler == compiler]
        flags = tuple(flag for s in own for flag in s.flags)
        if _refusal(machine.programs, machine.compilers[compiler], own[0].language, flags):
            yield from own


def _refusal(
    programs: Programs, command: Sequence[str], language: str, flags: tuple[str, ...]
) -> str:
    """Return the compiler's first error for an empty file; empty when it accepts the flags."""
    arguments = [*command, *flags, "-x", language, "-S", "-o", "/dev/null", "-"]
    answer = programs.ask(arguments)
    return complaint(answer) if answer.code else ""
