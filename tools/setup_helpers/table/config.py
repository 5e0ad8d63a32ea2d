"""build_config.toml as frozen dataclasses: what a project is made of, and nothing of how it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from .predicates import Predicate

CONFIG_FILE = "build_config.toml"


class OptionType(Enum):
    """How an option's text is read."""

    BOOL = "bool"
    AUTO = "auto"  # ON, OFF, or chosen by the probe
    STRING = "string"
    CHOICE = "choice"
    INTEGER = "integer"
    PATH = "path"
    FLAGS = "flags"  # a program or its arguments, split like a shell does

    @property
    def is_switch(self) -> bool:
        return self in (OptionType.BOOL, OptionType.AUTO)


class Effect(Enum):
    """What has to be done again when an option changes."""

    CONFIGURE = "configure"
    BUILD = "build"
    PACKAGE = "package"
    NOTHING = "nothing"


ROLES = (
    "debug",
    "debug_info",
    "jobs",
    "fallback_jobs",
    "build_dir",
    "fresh",
    "configure_only",
    "verbose",
    "source_date",
    "c_compiler",
    "cxx_compiler",
    "c_flags",
    "cxx_flags",
    "link_flags",
    "cmake_arguments",
    "package_name",
    "version",
    "version_number",
)


@dataclass(frozen=True)
class Option:
    """One flag of the build."""

    name: str
    help: str
    type: OptionType
    default: str
    aliases: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    planned_choices: tuple[str, ...] = ()
    """Values that are declared, but whose part does not exist yet."""
    requires: Predicate | None = None
    """When false, the option is off (or its default) and an explicit other value is an error."""
    when_unmet: str = ""
    """The value taken while `requires` is false; OFF for booleans."""
    probe: str = ""
    """Module of `probes/` that says whether what the option needs is here."""
    probe_arguments: tuple[str, ...] = ()
    planned: bool = False
    """Declared, but its part does not exist yet: only the value that it has unasked is accepted."""
    effect: Effect = Effect.CONFIGURE
    cmake: bool = True
    """Whether CMake sees it."""
    role: str = ""
    """What the front end itself uses it for; one of ROLES."""
    group: str = "general"

    @property
    def is_switch(self) -> bool:
        return self.type.is_switch

    @property
    def available_choices(self) -> tuple[str, ...]:
        return tuple(choice for choice in self.choices if choice not in self.planned_choices)


@dataclass(frozen=True)
class Stage:
    """One step of code generation."""

    name: str
    entry: str
    """`package.module:function`, called with a StageContext."""
    inputs: tuple[str, ...]
    """Glob patterns under the source root; a change of any matching file's bytes reruns the stage."""
    directory: str
    """The stage's outputs lie here, under the build directory."""
    after: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    """Facts of the checkout that are inputs too: `git_revision`."""
    partial: tuple[str, ...] = ()
    """Inputs of which each file depends on a part; the generator says on which."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Numbers for the generator: how much it puts into one file of a kind."""
    planned: bool = False
    when: Predicate | None = None
    help: str = ""


@dataclass(frozen=True)
class Library:
    """One library target: its sources and where it goes in the package."""

    name: str
    sources: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    """Patterns over the outputs that the stages recorded."""
    kernels: tuple[str, ...] = ()
    """Sources compiled once per CPU capability."""
    generated_kernels: tuple[str, ...] = ()
    """Patterns over the stages' outputs, also of `generated`: compiled once per CPU capability."""
    single_capability: tuple[str, ...] = ()
    """Files among `kernels` that pay in one capability only."""
    links: tuple[str, ...] = ()
    private_links: tuple[str, ...] = ()
    destination: str = ""
    per_python: bool = False
    """Built once per Python version, with the SOABI in its name."""
    resource: str = ""
    link_resource: str = ""
    when: Predicate | None = None
    planned: bool = False


@dataclass(frozen=True)
class Extension:
    """A Python extension module made of one stub source."""

    name: str
    """Dotted, as it is imported."""
    sources: tuple[str, ...]
    links: tuple[str, ...] = ()
    runpath: str = "$ORIGIN"
    when: Predicate | None = None
    planned: bool = False

    @property
    def target(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def folder(self) -> str:
        return self.name.rpartition(".")[0].replace(".", "/")


@dataclass(frozen=True)
class Program:
    """An executable of the package, which the package itself starts."""

    name: str
    sources: tuple[str, ...]
    destination: str
    links: tuple[str, ...] = ()
    runpath: str = "$ORIGIN"
    """Where it finds the libraries it links: the way from `destination` to theirs."""
    resource: str = ""
    when: Predicate | None = None
    planned: bool = False


@dataclass(frozen=True)
class ResourceClass:
    """How much one job of a kind needs; becomes a Ninja pool."""

    name: str
    memory_mb: int
    max_jobs: int = 0
    help: str = ""


@dataclass(frozen=True)
class Capability:
    """One instruction set that kernels are compiled for."""

    name: str
    flags: tuple[str, ...] = ()
    when: Predicate | None = None


@dataclass(frozen=True)
class FileRule:
    """Files that go into the package: those under `root` matching `patterns`, placed below `to`."""

    root: str
    patterns: tuple[str, ...]
    to: str
    exclude: tuple[str, ...] = ()
    generated: bool = False
    """`root` is under the build directory, not under the source root."""
    editable: bool = False
    """Staged into the source tree too, for an editable install."""
    when: Predicate | None = None


@dataclass(frozen=True)
class Packaging:
    """What the wheel and the audit need to know."""

    files: tuple[FileRule, ...] = ()
    allow: tuple[str, ...] = ()
    """Patterns of paths allowed in the package; everything else is an error."""
    licenses: tuple[str, ...] = ("LICENSE*",)
    bundled: tuple[str, ...] = ()
    """Third-party distributions whose libraries are copied into the package."""
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


@dataclass(frozen=True)
class Topic:
    """Something that `setup.py explain` explains."""

    name: str
    entry: str
    """`package.module:function`, called with the source root, the build directory and words."""
    argument: str = ""
    """How the words after the topic's name are called in its usage."""
    help: str = ""


class Weight(Enum):
    """What an unmet requirement is: a build may start in spite of a warning."""

    PROBLEM = "problem"
    WARNING = "warning"


@dataclass(frozen=True)
class Requirement:
    """Something the machine must have, checked before any work."""

    name: str
    probe: str
    consequence: str
    """What a user meets who builds without it."""
    remedy: str
    """The command that mends it, or words where no command can."""
    arguments: tuple[str, ...] = ()
    when: Predicate | None = None
    weight: Weight = Weight.PROBLEM
    looks_at: str = ""
    """What the probe looks at, where the name does not say it."""
    pip: str = ""
    """The distribution that brings it: the commands that build install it first."""

    @property
    def id(self) -> str:
        return self.name.lower().replace(" ", "-")


@dataclass(frozen=True)
class Variable:
    """A variable of the environment that changes what the finished package does."""

    name: str
    consequence: str
    when: Predicate | None = None


@dataclass(frozen=True)
class Project:
    """Who is being built."""

    distribution: str
    package: str
    version_file: str
    runtime_version: str = "{version}"
    """`{version}` is the distribution's version."""
    summary: str = ""
    python_minimum: str = "3.11"
    cmake_minimum: str = "3.25"
    ninja_minimum: str = "1.10"
    disk_mb: int = 0
    """What a finished build directory takes, roughly."""
    inputs: tuple[str, ...] = ()
    """Files and folders whose change can make a build necessary."""
    test_paths: tuple[str, ...] = ("tests",)
    foreign_variables: tuple[str, ...] = ()
    """Variables of other programs that look like a misspelt option and are not."""


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
    capabilities: tuple[Capability, ...]
    resources: tuple[ResourceClass, ...]
    packaging: Packaging
    checks: tuple[Requirement, ...] = ()
    variables: tuple[Variable, ...] = ()
    topics: tuple[Topic, ...] = ()

    def option(self, name: str) -> Option:
        return next(o for o in self.options if o.name == name)

    def option_for(self, role: str) -> Option | None:
        """The option that plays a role of the front end, if the table has one."""
        return next((o for o in self.options if o.role == role), None)

    @property
    def roles(self) -> dict[str, str]:
        """Role -> the option that plays it."""
        return {option.role: option.name for option in self.options if option.role}

    @property
    def target_names(self) -> tuple[str, ...]:
        """What is linked: libraries, programs and extensions."""
        return (
            *(library.name for library in self.libraries),
            *(program.name for program in self.programs),
            *(extension.target for extension in self.extensions),
        )

    @property
    def version(self) -> str:
        return (self.root / self.project.version_file).read_text(encoding="utf-8").strip()
