"""build_config.toml as frozen dataclasses: what a project consists of, not how it is built."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import Path

from tools.base.errors import usage_error

from .languages import Language
from .predicates import Predicate, Value, both, evaluate
from .targets import (
    Capability,
    CMakeModule,
    Extension,
    Library,
    Program,
    UnitTests,
    Wheel,
    wheels_of_targets,
)

CONFIG_FILE = "build_config.toml"


class OptionType(Enum):
    """How the text of an option is parsed."""

    BOOL = "bool"
    AUTO = "auto"  # ON, OFF, or chosen by the probe
    STRING = "string"
    CHOICE = "choice"
    INTEGER = "integer"
    PATH = "path"
    ARCHITECTURES = "architectures"  # GPU architectures, such as 8.0;9.0+PTX
    FLAGS = "flags"  # a program or its arguments, split as a shell would

    @property
    def is_switch(self) -> bool:
        return self in (OptionType.BOOL, OptionType.AUTO)


class Effect(Enum):
    """The first step that must run again when the option changes."""

    CONFIGURE = "configure"
    BUILD = "build"
    PACKAGE = "package"
    NOTHING = "nothing"


class Status(Enum):
    """Whether the part of an option exists."""

    AVAILABLE = "available"
    PLANNED = "planned"
    ABSENT = "absent"  # and never will exist here


ROLES = (
    "debug",
    "unit_tests",
    "debug_info",
    "jobs",
    "fallback_jobs",
    "build_dir",
    "fresh",
    "configure_only",
    "verbose",
    "source_date",
    "link_flags",
    "cmake_arguments",
    "package_name",
    "companion",
    "version",
    "version_number",
    "repair_wheel",
    "remote_compiler",
    "cache_server",
    "library_wheel",
    "python_wheel",
    "pythons",
)


@dataclass(frozen=True)
class Option:
    """An option of the build."""

    name: str
    help: str
    type: OptionType
    default: str
    aliases: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    planned_choices: tuple[str, ...] = ()
    """Values that are declared but not implemented yet."""
    requires: Predicate | None = None
    """While this is false, the option has the value `when_unmet`, and requesting another is an error."""
    when_unmet: str = ""
    """The value while `requires` is false; OFF for booleans."""
    probe: str = ""
    """The probe that checks whether the machine has what the option needs."""
    probe_arguments: tuple[str, ...] = ()
    status: Status = Status.AVAILABLE
    because: str = ""
    """Why its part is absent."""
    effect: Effect = Effect.CONFIGURE
    cmake: bool = True
    """Whether the option is passed to CMake."""
    governs: tuple[str, ...] = ()
    """CMake variables that the option controls, besides the one of its own name."""
    role: str = ""
    """The purpose for which the front end itself uses the option; one of ROLES."""
    group: str = "general"

    @property
    def is_switch(self) -> bool:
        return self.type.is_switch

    @property
    def planned(self) -> bool:
        """Whether only its default value is accepted, since its part is planned or absent."""
        return self.status is not Status.AVAILABLE

    @property
    def available_choices(self) -> tuple[str, ...]:
        return tuple(choice for choice in self.choices if choice not in self.planned_choices)


@dataclass(frozen=True)
class Stage:
    """A step of code generation."""

    name: str
    entry: str
    """`package.module:function`, called with a StageContext."""
    inputs: tuple[str, ...]
    """Glob patterns under the source root; the stage runs again when the content of a match changes."""
    directory: str
    """The folder of the stage's outputs, in the build directory."""
    after: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    """Stages before it, whose runs make this one run too: it uses what they compute."""
    options: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    """Facts of the checkout that are inputs too: `git_revision`."""
    partial: tuple[str, ...] = ()
    """Inputs of which each output depends on a part only; the generator reports which."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Limits for the generator: how much goes into one file of each kind."""
    job: str = ""
    """The part of code generation that `generate_code.py --subset JOB` runs this stage for."""
    replaces: tuple[str, ...] = ()
    """Patterns of sources that no library compiles when the stage runs: its outputs replace them."""
    planned: bool = False
    when: Predicate | None = None
    help: str = ""


@dataclass(frozen=True)
class ResourceClass:
    """What one job of a kind needs; each class becomes a Ninja pool."""

    name: str
    memory_mb: int
    max_jobs: int = 0
    remote: bool = False
    """Whether other machines can run these jobs."""
    help: str = ""


@dataclass(frozen=True)
class FileRule:
    """Files of the package: those under `root` that match `patterns`, placed below `to`."""

    root: str
    patterns: tuple[str, ...]
    to: str
    exclude: tuple[str, ...] = ()
    generated: bool = False
    """Whether `root` is in the build directory instead of the source root."""
    editable: bool = False
    """Whether the files are also staged in the source tree, for an editable install."""
    wheel: Wheel = Wheel.PYTHON
    when: Predicate | None = None


@dataclass(frozen=True)
class Component:
    """A third-party part that the libraries link."""

    name: str
    """The distribution that provides it, or a description of where it comes from."""
    bundled: bool = False
    """Whether the libraries of that distribution are copied into the package."""
    requirement: str = ""
    """What the wheel requires, such as `name>=1.0`, if the libraries stay in that distribution."""
    libraries: tuple[str, ...] = ()
    """Patterns of the NEEDED names that are found outside the package."""
    license: str = ""
    """Its licences as an SPDX expression."""
    compressed_mb: float = 0.0
    """By how much its use may make the wheel larger."""
    installed_mb: float = 0.0
    """By how much its use may make the installed package larger."""
    when: Predicate | None = None


@dataclass(frozen=True)
class Packaging:
    """The rules for wheels and for the audit."""

    files: tuple[FileRule, ...] = ()
    components: tuple[Component, ...] = ()
    allow: tuple[str, ...] = ()
    """Patterns of paths allowed in the package; everything else is an error."""
    licenses: tuple[str, ...] = ("LICENSE*",)
    system_libraries: tuple[str, ...] = ()
    """Patterns of NEEDED names that the machine provides."""
    exported_symbols: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Per library pattern: patterns of demangled symbols it may export."""
    compressed_budget_mb: float = 0.0
    installed_budget_mb: float = 0.0
    import_check: str = ""
    """A statement that a fresh interpreter must be able to run."""
    forbidden_owners: tuple[str, ...] = ()
    """Distributions that own the same import package."""
    library_distribution: str = "{name}-libs"
    """The name of the library wheel's distribution; `{name}` is that of the package."""
    companion: str = ""
    """The name of a distribution without files that requires this one, for packages that require that name."""
    archive: str = ""
    """The name of the archive with the library wheel's files for C++, and of its one folder."""

    def under(self, values: Mapping[str, Value]) -> Packaging:
        """Return the rules with only the files and components whose condition holds, and the budgets with them."""
        chosen = [x for x in self.components if x.when is None or evaluate(x.when, values)]
        return replace(
            self,
            files=tuple(x for x in self.files if x.when is None or evaluate(x.when, values)),
            components=tuple(chosen),
            compressed_budget_mb=self.compressed_budget_mb + sum(x.compressed_mb for x in chosen),
            installed_budget_mb=self.installed_budget_mb + sum(x.installed_mb for x in chosen),
        )

    @property
    def outside_libraries(self) -> tuple[str, ...]:
        """Patterns of the NEEDED names that are not in the package."""
        return (*self.system_libraries, *(name for x in self.components for name in x.libraries))


@dataclass(frozen=True)
class Topic:
    """A topic of `setup.py explain`."""

    name: str
    entry: str
    """`package.module:function`, called with the source root, the build directory and words."""
    argument: str = ""
    """The placeholder for the words after the topic's name in its usage line."""
    help: str = ""


class Weight(Enum):
    """How serious an unmet requirement is: a build may start despite a warning."""

    PROBLEM = "problem"
    WARNING = "warning"


@dataclass(frozen=True)
class Requirement:
    """A requirement on the machine, checked before any work starts."""

    name: str
    probe: str
    consequence: str
    """What happens in a build without it."""
    remedy: str
    """The command that fixes it, or advice where no command can."""
    arguments: tuple[str, ...] = ()
    when: Predicate | None = None
    weight: Weight = Weight.PROBLEM
    looks_at: str = ""
    """What the probe examines, if the name does not say it."""
    pip: str = ""
    """The distribution that provides it; commands that build install it first."""

    @property
    def id(self) -> str:
        return self.name.lower().replace(" ", "-")


@dataclass(frozen=True)
class Variable:
    """An environment variable that changes how the finished package behaves."""

    name: str
    consequence: str
    when: Predicate | None = None


@dataclass(frozen=True)
class ForeignVariables:
    """Options of other builds of the same package that have no effect in this one."""

    names: tuple[str, ...]
    because: str
    """Why they have no effect, or what to use instead."""
    harmless: str = "OFF"
    """The value that requests what happens anyway."""


@dataclass(frozen=True)
class Project:
    """The project that is built."""

    distribution: str
    package: str
    version_file: str
    runtime_version: str = "{version}"
    """The version that the package reports; `{version}` is the distribution's version."""
    absent_versions: tuple[str, ...] = ()
    """Names in the package's version module that are None, such as toolkits of which it has no part."""
    summary: str = ""
    cmake_minimum: str = ""
    """The oldest CMake that works; CMakeLists.txt reads it from here, too. Empty if any version does."""
    ninja_minimum: str = ""
    disk_mb: int = 0
    """The approximate size of a finished build directory."""
    inputs: tuple[str, ...] = ()
    """Files and folders whose changes can make a build necessary."""
    generator_requirements: tuple[str, ...] = ()
    """The names of the build requirements in pyproject.toml that code generation imports."""
    test_arguments: tuple[str, ...] = ("tests",)
    """The arguments of pytest when `setup.py test` is called without any."""
    foreign_variables: tuple[str, ...] = ()
    """Variables of other programs that look like misspelt options but are not."""

    @property
    def tools(self) -> dict[str, str]:
        """The programs that every build needs, with their oldest versions."""
        return {"cmake": self.cmake_minimum, "ninja": self.ninja_minimum}


@dataclass(frozen=True)
class Config:
    """The whole table."""

    root: Path
    project: Project
    options: tuple[Option, ...]
    stages: tuple[Stage, ...]
    libraries: tuple[Library, ...]
    extensions: tuple[Extension, ...]
    programs: tuple[Program, ...]
    """Those with rows of their own, then those of the libraries."""
    capabilities: tuple[Capability, ...]
    cmake_modules: tuple[CMakeModule, ...]
    resources: tuple[ResourceClass, ...]
    packaging: Packaging
    languages: tuple[Language, ...] = ()
    checks: tuple[Requirement, ...] = ()
    """Requirements on the machine: first those of the languages, then the rows of their own."""
    variables: tuple[Variable, ...] = ()
    foreign: tuple[ForeignVariables, ...] = ()
    topics: tuple[Topic, ...] = ()
    staging: Path | None = None
    """Where an editable install imports from, if that cannot be the source tree."""

    @property
    def package_root(self) -> Path:
        """The folder that holds the package with its staged files."""
        return self.staging or self.root

    def under(self, values: Mapping[str, Value]) -> Config:
        """Return the table with only the files and components of the package whose condition holds."""
        return replace(self, packaging=self.packaging.under(values))

    def option(self, name: str) -> Option:
        return next(o for o in self.options if o.name == name)

    def option_for(self, role: str) -> Option | None:
        """Return the option with a role in the front end, if the table has one."""
        return next((o for o in self.options if o.role == role), None)

    def language_option(self, name: str) -> Language | None:
        """Return the language whose compiler or flags the option gives, if there is one."""
        return next((x for x in self.languages if name in x.options), None)

    @property
    def roles(self) -> dict[str, str]:
        """Each role with the name of its option."""
        return {option.role: option.name for option in self.options if option.role}

    @property
    def tests(self) -> tuple[UnitTests, ...]:
        """The test programs of all libraries, each with its library among its links."""
        return tuple(
            replace(row, links=(library.name, *row.links), when=both(library.when, row.when))
            for library in self.libraries
            if not library.planned
            for row in library.tests
        )

    @property
    def target_names(self) -> tuple[str, ...]:
        """The names of everything that is linked: libraries, programs and extensions."""
        return (
            *(library.name for library in self.libraries),
            *(program.name for program in self.programs),
            *(extension.target for extension in self.extensions),
        )

    @cached_property
    def wheels(self) -> Mapping[str, Wheel]:
        """Each target with the wheel that it belongs to: Wheel.LIBRARY or Wheel.PYTHON."""
        return wheels_of_targets(self.libraries, self.extensions, self.programs)

    @property
    def python_minimum(self) -> str:
        """The oldest Python that works, which pyproject.toml states for pip."""
        text = (self.root / "pyproject.toml").read_text(encoding="utf-8")
        return "".join(re.findall(r'^requires-python\s*=\s*">=([\d.]+)"', text, re.MULTILINE))

    @property
    def version(self) -> str:
        """Return the text of the version file.

        Raises:
            BuildError: The file cannot be read.
        """
        name = self.project.version_file
        try:
            return (self.root / name).read_text(encoding="utf-8-sig").strip()
        except (OSError, UnicodeDecodeError) as error:
            cause = error.strerror if isinstance(error, OSError) else str(error)
            hint = f"restore it: git checkout -- {name}"
            raise usage_error(f"cannot read {name}", cause=cause or "", hint=hint) from None
