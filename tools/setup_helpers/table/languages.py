"""The languages that sources are written in: their compilers, flags and standards, each a row of the table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from .predicates import Predicate, Value, evaluate


@dataclass(frozen=True)
class Language:
    """A language that CMake supports, by CMake's name for it."""

    name: str
    title: str
    candidates: tuple[str, ...]
    """The compilers to look for, on PATH or as absolute paths, if no option names one."""
    suffixes: tuple[str, ...]
    consequence: str
    """What happens in a build without its compiler."""
    remedy: str
    """How to install its compiler."""
    compiler: str = ""
    """The option that names the compiler."""
    home: str = ""
    """The option that names the folder of a toolkit, with its compiler in `bin`."""
    stand_in: str = ""
    """The language that compiles its sources in a build without it; empty to leave them out."""
    distribution: str = ""
    """The Python distribution with its compiler, if it is installed nowhere else."""
    host: str = ""
    """The language whose compiler its own compiler runs."""
    host_compiler: str = ""
    """The option that names another compiler for its own compiler to run."""
    architectures: str = ""
    """The option that lists the GPU architectures to compile for."""
    arguments: tuple[str, ...] = ()
    """Arguments for every compilation; users add theirs by the option `flags`."""
    file_arguments: tuple[str, ...] = ()
    """Further arguments, in which `{source}` is the path of the file, relative to the checkout."""
    flags: str = ""
    """The option with arguments for every compilation."""
    standard: str = ""
    """The argument of -std, such as c++20 or gnu11."""
    minimum: Mapping[str, str] = field(default_factory=dict)
    """The oldest supported version of each compiler, by the name that CMake has for it."""
    links: bool = False
    """Whether its compiler links everything, since other languages need no run-time library for that."""
    probe: str = "compiler"
    """The probe that tests the compiler."""
    when: Predicate | None = None

    @property
    def options(self) -> tuple[str, ...]:
        """The options that decide how its sources are compiled."""
        names = (self.compiler, self.home, self.host_compiler, self.architectures, self.flags)
        return tuple(name for name in names if name)

    @property
    def dialect(self) -> str:
        """The language for `-x` of GCC and Clang; empty if compilers of other kinds compile it."""
        if self.probe != "compiler":
            return ""
        return "c++" if "++" in self.standard else "c"

    @property
    def has_extensions(self) -> bool:
        return self.standard.startswith("gnu")

    @property
    def standard_number(self) -> str:
        return "".join(re.findall(r"\d+$", self.standard))

    @property
    def display_name(self) -> str:
        """The name in messages, such as `C++20 compiler`."""
        return f"{self.title} compiler"


# CMake's name of a compiler -> its own name, and how the preprocessor recognises it and its version.
_KNOWN_COMPILERS = {
    "GNU": ("GCC", "defined(__GNUC__) && !defined(__clang__)", "__GNUC__"),
    "Clang": ("Clang", "defined(__clang__)", "__clang_major__"),
    "NVIDIA": ("nvcc", "defined(__CUDACC__)", "__CUDACC_VER_MAJOR__"),
}
COMPILER_IDS = tuple(_KNOWN_COMPILERS)


def described_minimum(language: Language) -> str:
    """Return the supported compilers for a message, such as `nvcc 12 or newer`."""
    named = [f"{_KNOWN_COMPILERS[x][0]} {version}" for x, version in language.minimum.items()]
    return f"{', '.join(named)} or newer" if named else ""


def version_check(language: Language) -> str:
    """Return lines of C that a compiler older than the minimum rejects."""
    return "".join(_version_checks(language.minimum))


def _version_checks(minimum: Mapping[str, str]) -> Iterator[str]:
    for compiler, version in minimum.items():
        name, is_it, number = _KNOWN_COMPILERS[compiler]
        yield f"#if {is_it} && {number} < {version.partition('.')[0]}\n"
        yield f"#error {name} {version} or newer is needed\n#endif\n"


def enabled(languages: Iterable[Language], values: Mapping[str, Value]) -> list[Language]:
    """Return the languages whose condition holds."""
    return [x for x in languages if x.when is None or evaluate(x.when, values)]


def linking_language(languages: Iterable[Language]) -> Language | None:
    """Return the language whose compiler links everything; None if the table has no languages."""
    return next((x for x in languages if x.links), None)
