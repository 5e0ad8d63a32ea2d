"""The rows of build_config.toml that become targets of the build graph: libraries, extensions, programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias

from .predicates import Predicate, both

PYTHON_TARGET = "Python::Module"
"""The target of CMake that a library links if it uses Python's API."""

Flags: TypeAlias = Mapping[str, tuple[str, ...]]
"""Arguments of compilers by language; those of ALL_LANGUAGES, which the table writes as a plain list, are for each."""
ALL_LANGUAGES = ""


class Wheel(Enum):
    """The wheel that a target belongs to, if what depends on Python is packaged separately."""

    AUTO = "auto"  # PYTHON if the target links Python, or a library that does; else LIBRARY
    LIBRARY = "library"
    PYTHON = "python"


@dataclass(frozen=True)
class SourceGroup:
    """Sources of a library that are compiled under a condition, with settings of their own.

    The library's other patterns do not match them.
    """

    name: str
    sources: tuple[str, ...]
    generated: tuple[str, ...] = ()
    """Patterns for generated sources, matched against the recorded outputs of stages."""
    flags: Flags = field(default_factory=dict)
    definitions: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Targets that these files include the headers of, and that the library links."""
    runpath: tuple[str, ...] = ()
    """Where the library finds what this group links, after its own RUNPATH."""
    when: Predicate | None = None


@dataclass(frozen=True)
class UnitTests:
    """A GoogleTest program of a library, which is built on request (target `unit_tests`)."""

    name: str
    sources: tuple[str, ...]
    flags: Flags = field(default_factory=dict)
    links: tuple[str, ...] = ()
    """What it links besides the library and GoogleTest."""
    when: Predicate | None = None


@dataclass(frozen=True)
class Program:
    """An executable: part of the package, or an example that stays in the build directory."""

    name: str
    sources: tuple[str, ...]
    destination: str = ""
    """Its folder in the package; empty for a program that is not packaged."""
    flags: Flags = field(default_factory=dict)
    links: tuple[str, ...] = ()
    runpath: str = "$ORIGIN"
    """Where it finds its libraries: the relative path from `destination` to them."""
    exports: tuple[str, ...] = ()
    """Patterns of the symbols it may export, instead of a row of [packaging.exported_symbols]."""
    resource: str = ""
    wheel: Wheel = Wheel.AUTO
    when: Predicate | None = None
    planned: bool = False


@dataclass(frozen=True)
class Library:
    """A library target: its sources and its place in the package."""

    name: str
    sources: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    """Patterns for files of `sources` and `generated` that are not its own."""
    groups: tuple[SourceGroup, ...] = ()
    tests: tuple[UnitTests, ...] = ()
    programs: tuple[Program, ...] = ()
    """Programs that exist if the library does and link it; the table's other programs have rows of their own."""
    generated: tuple[str, ...] = ()
    """Patterns for generated sources, matched against the recorded outputs of stages."""
    kernels: tuple[str, ...] = ()
    """Sources compiled once per CPU capability."""
    generated_kernels: tuple[str, ...] = ()
    """Patterns for stages' outputs that are compiled once per CPU capability; may overlap `generated`."""
    single_capability: tuple[str, ...] = ()
    """Files of `kernels` that are worth compiling for one capability only."""
    flags: Flags = field(default_factory=dict)
    """Arguments for compiling its own files."""
    definitions: tuple[str, ...] = ()
    """Macros for its own files only, not for targets that link to it."""
    links: tuple[str, ...] = ()
    private_links: tuple[str, ...] = ()
    loads_links: bool = False
    """Whether loading it loads all libraries that it links, although it calls none of their functions."""
    destination: str = ""
    runpath: tuple[str, ...] = ("$ORIGIN",)
    """Where it finds its libraries: relative paths from `destination` to them."""
    exports: tuple[str, ...] = ()
    """Patterns of the symbols it may export, instead of a row of [packaging.exported_symbols]."""
    per_python: bool = False
    """Built once per Python version, with the SOABI in its name."""
    resource: str = ""
    link_resource: str = ""
    relative_cost: float = 1.0
    """The cost of compiling one file, relative to other libraries; for forecasts."""
    wheel: Wheel = Wheel.AUTO
    when: Predicate | None = None
    planned: bool = False

    @property
    def own_programs(self) -> tuple[Program, ...]:
        """Its programs with the link to it, under its conditions."""
        return tuple(
            replace(
                program,
                links=(self.name, *program.links),
                when=both(self.when, program.when),
                planned=self.planned or program.planned,
            )
            for program in self.programs
        )

    @property
    def all_links(self) -> tuple[str, ...]:
        """Everything that it links under any condition."""
        in_groups = (link for group in self.groups for link in group.links)
        return (*self.links, *self.private_links, *in_groups)


@dataclass(frozen=True)
class Extension:
    """A Python extension module made of one stub source."""

    name: str
    """The dotted name by which it is imported."""
    sources: tuple[str, ...]
    flags: Flags = field(default_factory=dict)
    links: tuple[str, ...] = ()
    runpath: str = "$ORIGIN"
    wheel: Wheel = Wheel.AUTO
    when: Predicate | None = None
    planned: bool = False

    @property
    def target(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def folder(self) -> str:
        return self.name.rpartition(".")[0].replace(".", "/")


@dataclass(frozen=True)
class CMakeModule:
    """Targets that no row can express: cmake/Modules/NAME.cmake, which is included before the rows' targets."""

    name: str
    when: Predicate | None = None


@dataclass(frozen=True)
class Capability:
    """An instruction set that kernels are compiled for."""

    name: str
    flags: tuple[str, ...] = ()
    when: Predicate | None = None


def wheels_of_targets(
    libraries: Iterable[Library], extensions: Iterable[Extension], programs: Iterable[Program]
) -> dict[str, Wheel]:
    """Return the wheel of each target, by the target's name: LIBRARY or PYTHON."""
    by_name = {library.name: library for library in libraries}
    wheels: dict[str, Wheel] = {}

    def of_library(name: str) -> Wheel:
        if name not in wheels:
            wheels[name] = (
                Wheel.LIBRARY
            )  # while its links are followed, in case they lead back to it
            library = by_name[name]
            wheels[name] = chosen(library.wheel, library.per_python, library.all_links)
        return wheels[name]

    def chosen(wheel: Wheel, per_python: bool, links: Iterable[str]) -> Wheel:
        if wheel is not Wheel.AUTO:
            return wheel
        python = per_python or any(
            of_library(x) is Wheel.PYTHON if x in by_name else x == PYTHON_TARGET for x in links
        )
        return Wheel.PYTHON if python else Wheel.LIBRARY

    for name in by_name:
        of_library(name)
    for extension in extensions:
        wheels[extension.target] = chosen(extension.wheel, True, extension.links)
    for program in programs:
        wheels[program.name] = chosen(program.wheel, False, program.links)
    return wheels
