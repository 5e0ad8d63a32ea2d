"""The results of profiling, independent of the compiler."""

from __future__ import annotations

from dataclasses import dataclass, field

# The phases that both compilers distinguish.
PARSE, INSTANTIATE, GENERATE = "parse", "instantiate templates", "optimise and generate"


@dataclass(frozen=True)
class FileCost:
    """The cost of one source file, in seconds by phase."""

    output: str
    seconds: float
    phases: dict[str, float]


@dataclass(frozen=True)
class HeaderCost:
    """The cost of one header including everything it includes, so costs of headers overlap."""

    path: str
    seconds: float
    """Seconds to parse the header once."""
    files: int = 0
    """Number of source files that include the header, directly or indirectly."""

    @property
    def total(self) -> float:
        return self.seconds * self.files


@dataclass(frozen=True)
class TemplateCost:
    """The cost of all instances of one function template or inline function."""

    name: str
    copies: int
    """Number of instances, counted in each object that contains them."""
    bytes: int
    """Size of the machine code that the linker discards, because another object contains it too."""
    seconds: float = 0.0
    """Seconds to instantiate in the profiled files, if the compiler reports them."""


@dataclass
class Profile:
    """The profile of a tree."""

    compiler: str = ""
    files: list[FileCost] = field(default_factory=list)
    headers: list[HeaderCost] = field(default_factory=list)
    instantiations: dict[str, float] = field(default_factory=dict)
    """Template -> seconds over all profiled files; empty if the compiler does not report them."""
    templates: list[TemplateCost] = field(default_factory=list)
