"""Do the compilers take what the build will ask of them, and do they survive it?"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .check import Check, Finding, Machine, ok, problem, skipped, warning

_CRASH = re.compile(r"internal compiler error|PLEASE submit a bug report|Segmentation fault", re.I)
_WRONG = re.compile(r"error|cannot find|undefined reference")
# Templates, a vtable, an exception and a thread-local: what compilers stumble over in debug builds.
_PROGRAM = """\
template <class... Types> struct Tuple {};
template <class Head, class... Rest> struct Tuple<Head, Rest...> : Tuple<Rest...> { Head head{}; };
struct Base { virtual ~Base() = default; virtual int value() const = 0; };
template <int N> struct Derived final : Base {
  int value() const override { return N; }
  thread_local static inline Tuple<int, double, char[N]> kept;
};
extern "C" int probe(int x) {
  try {
    if (x > 2) throw x;
    Derived<3> derived;
    auto add = [&](auto y) { return y + derived.value() + Derived<3>::kept.head; };
    return static_cast<const Base&>(derived).value() + add(x) + static_cast<int>(add(0.5));
  } catch (int thrown) {
    return thrown;
  }
}
"""
_OTHER_COMPILER = "install another version of the compiler and name it with CXX, or leave -g out"
_RETRIED = "files on which it crashes are compiled again without -g, then with less optimisation"


@dataclass(frozen=True)
class FlagSet:
    """Flags that one kind of file is compiled with, and where they come from."""

    source: str
    role: str
    language: str
    flags: tuple[str, ...]
    remedy: str


class CompilerFlags(Check):
    """Every flag of the options and of the table's CPU capabilities."""

    id = "compiler-flags"
    looks_at = "the flags from the options and from the CPU capabilities"
    consequence = "every file that is compiled with the flag fails"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        sets = [s for s in _flag_sets(machine) if s.flags and s.role in machine.compilers]
        for each in _refused(machine, sets):
            command = machine.compilers[each.role]
            if complaint := _complaint(command, each.language, each.flags):
                bad = [f for f in each.flags if _complaint(command, each.language, (f,))]
                named = " ".join(bad or each.flags)
                return problem(
                    f"{shlex.join(command)} does not take {named} ({each.source}): {complaint}",
                    each.remedy,
                )
        return ok(", ".join(s.source for s in sets)) if sets else skipped("there are none")


class Compiles(Check):
    """Compiles and links a small program as the options would have it, debug information included."""

    id = "compiles"
    looks_at = "a small shared library, compiled and linked with the flags of this build"
    consequence = "CMake refuses the compiler, or the build stops at the first file or link"

    def examine(self, machine: Machine) -> Finding:
        command = machine.compilers.get("cxx_compiler")
        if command is None:
            return skipped("there is no C++ compiler")
        kind = _build_flags(machine)
        shown = shlex.join([command[0], *kind])
        result = _shared_library(machine, command, kind, _PROGRAM)
        if result.returncode == 0:
            return ok(f"{shown} compiles and links")
        if not _crashed(result):
            remedy = "mend the compiler or the flags, or name another compiler with CXX"
            return problem(f"{shown} failed: {_first(result.stderr)}", remedy)
        found = f"{shown} crashed: {_first(result.stderr) or f'signal {-result.returncode}'}"
        if "-g" in kind and not _crashed(_shared_library(machine, command, kind, "")):
            return warning(found, _OTHER_COMPILER, _RETRIED)
        return problem(found, _OTHER_COMPILER)


class SameCompilers(Check):
    """C and C++ from one compiler."""

    id = "same-compilers"
    looks_at = "what the C compiler and the C++ compiler call themselves"
    consequence = (
        "two sets of flags and run-time libraries (OpenMP, sanitizers) meet in one process"
    )

    def examine(self, machine: Machine) -> Finding:
        versions = {
            shlex.join(command): _own_name(command) for command in machine.compilers.values()
        }
        if len(versions) < 2:
            return skipped("there are not two compilers")
        described = ", ".join(f"{name} is {version}" for name, version in versions.items())
        if len(set(versions.values())) == 1:
            return ok(described)
        return warning(described, "set CC and CXX to the two halves of one compiler")


def _shared_library(
    machine: Machine, command: list[str], kind: list[str], program: str
) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.cpp")
        source.write_text(program)
        arguments = [*command, "-std=c++20", *kind, *_user_flags(machine, "cxx_flags")]
        arguments += ["-fPIC", "-shared", str(source), "-o", str(Path(folder, "libprobe.so"))]
        arguments += _user_flags(machine, "link_flags")
        return subprocess.run(arguments, capture_output=True, text=True, check=False)


def _crashed(result: subprocess.CompletedProcess[str]) -> bool:
    return result.returncode < 0 or bool(_CRASH.search(result.stderr))


def _flag_sets(machine: Machine) -> Iterator[FlagSet]:
    for role, compiler, language in (
        ("c_flags", "c_compiler", "c"),
        ("cxx_flags", "cxx_compiler", "c++"),
    ):
        option = machine.config.option_for(role)
        if option is not None:
            flags = tuple(_user_flags(machine, role))
            yield FlagSet(option.name, compiler, language, flags, f"take it out of {option.name}")
    for row in machine.config.capabilities:
        if machine.meets(row.when):
            remedy = "install a newer compiler, or name one with CXX"
            yield FlagSet(f"capability {row.name}", "cxx_compiler", "c++", row.flags, remedy)


def _refused(machine: Machine, sets: Sequence[FlagSet]) -> Iterator[FlagSet]:
    """The sets of a language whose compiler does not take all of them together."""
    for role in dict.fromkeys(s.role for s in sets):
        own = [s for s in sets if s.role == role]
        flags = tuple(flag for s in own for flag in s.flags)
        if _complaint(machine.compilers[role], own[0].language, flags):
            yield from own


def _complaint(command: Sequence[str], language: str, flags: tuple[str, ...]) -> str:
    """The compiler's first error about an empty file; empty when it takes the flags."""
    arguments = [*command, *flags, "-x", language, "-S", "-o", "/dev/null", "-"]
    result = subprocess.run(arguments, input="", capture_output=True, text=True, check=False)
    return _first(result.stderr) or "it fails" if result.returncode else ""


def _own_name(command: Sequence[str]) -> str:
    arguments = [*command, "-x", "c", "-E", "-P", "-"]
    result = subprocess.run(
        arguments, input="__VERSION__\n", capture_output=True, text=True, check=False
    )
    return result.stdout.strip().strip('"') or "of unknown version"


def _build_flags(machine: Machine) -> list[str]:
    """As CMake's build types have them."""
    if machine.options.role_on("debug"):
        return ["-g"]
    return ["-O2", "-g"] if machine.options.role_on("debug_info") else ["-O2"]


def _user_flags(machine: Machine, role: str) -> list[str]:
    return shlex.split(machine.options.role(role))


def _first(text: str) -> str:
    """The first line that says what is wrong (the linker's come before the compiler's), or the first."""
    lines = text.strip().splitlines()
    return next((x for x in lines if _WRONG.search(x)), lines[0] if lines else "").strip()
