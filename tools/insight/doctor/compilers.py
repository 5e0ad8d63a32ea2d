"""Check that the compilers can compile what the build needs, do not crash, and belong together."""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.base.process import Answer
from tools.setup_helpers.probes.compilers import complaint
from tools.setup_helpers.table.languages import Language, linking_language

from .check import Check, Finding, Machine, either, ok, problem, skipped, warning

_CRASH = re.compile(r"internal compiler error|PLEASE submit a bug report|Segmentation fault", re.I)
# Templates, a vtable, an exception and a thread-local, which make some compilers crash in debug builds.
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
_OTHER_COMPILER = "install another version of the compiler and set CXX to it"
_RETRIED = (
    "files that crash the compiler are compiled again without -g, then with less optimisation"
)


class Compiles(Check):
    """Compile and link a small library with the build's options, including debug information."""

    id = "compiles"
    looks_at = "whether a small shared library compiles and links with the flags of this build"
    consequence = "CMake rejects the compiler, or the build stops at the first file or link"

    def examine(self, machine: Machine) -> Finding:
        language = linking_language(machine.languages)
        command = machine.compilers.get(language.name) if language else None
        if language is None or command is None:
            return skipped("there is no C++ compiler")
        kind = _build_flags(machine)
        shown = shlex.join([*command, *kind])
        answer = _shared_library(machine, language, kind, _PROGRAM)
        if answer.code == 0:
            return ok(f"{shown} compiles and links")
        if not _crashed(answer):
            remedy = "fix the compiler or the flags, or set CXX to another compiler"
            return problem(f"{shown} failed: {complaint(answer)}", remedy)
        found = f"{shown} crashed: {complaint(answer)}"
        if "-g" not in kind:
            return problem(found, _OTHER_COMPILER)
        remedy = either(_OTHER_COMPILER, "leave -g out")
        if _crashed(_shared_library(machine, language, kind, "")):
            return problem(found, remedy)
        return warning(found, remedy, _RETRIED)


class SameCompilers(Check):
    """Check that the C and C++ compilers belong together."""

    id = "same-compilers"
    looks_at = "the names and versions that the C and C++ compilers report"
    consequence = (
        "two sets of flags and run-time libraries (OpenMP, sanitizers) are mixed in one process"
    )

    def examine(self, machine: Machine) -> Finding:
        versions = {
            shlex.join(command): _reported_version(machine, command)
            for language in machine.languages
            if language.dialect and (command := machine.compilers.get(language.name))
        }
        if len(versions) < 2:
            return skipped("there are not two compilers")
        if silent := [name for name, version in versions.items() if not version]:
            return skipped(f"{silent[0]} does not report its version")
        described = ", ".join(f"{name} is {version}" for name, version in versions.items())
        if len(set(versions.values())) == 1:
            return ok(described)
        return warning(described, "set CC and CXX to the C and C++ drivers of one compiler")


def _shared_library(machine: Machine, language: Language, kind: list[str], program: str) -> Answer:
    command = machine.compilers[language.name]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.cpp")
        source.write_text(program)
        arguments = [*command, f"-std={language.standard}", *kind, *machine.compile_flags(language)]
        arguments += ["-fPIC", "-shared", str(source), "-o", str(Path(folder, "libprobe.so"))]
        arguments += machine.link_flags
        return machine.programs.ask(arguments)


def _crashed(answer: Answer) -> bool:
    """Return whether the compiler crashed; GCC also aborts if it cannot create temporary files."""
    if "temporary file" in answer.err:
        return False
    return answer.code < 0 or bool(_CRASH.search(answer.err))


def _reported_version(machine: Machine, command: Sequence[str]) -> str:
    """Return the version that a compiler reports; empty if it fails, which other checks find."""
    try:
        answer = machine.programs.ask([*command, "-x", "c", "-E", "-P", "-"], "__VERSION__\n")
    except OSError:
        return ""
    return answer.out.strip().strip('"')


def _build_flags(machine: Machine) -> list[str]:
    """Return the flags of CMake's build types."""
    if machine.options.role_on("debug"):
        return ["-g"]
    return ["-O2", "-g"] if machine.options.role_on("debug_info") else ["-O2"]
