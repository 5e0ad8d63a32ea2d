"""What profiling finds, whatever the compiler."""

from __future__ import annotations

from dataclasses import dataclass, field

# The phases that both compilers tell apart.
PARSE, INSTANTIATE, GENERATE = "parse", "instantiate templates", "optimise and generate"


@dataclass(frozen=True)
class FileCost:
    """One source file; seconds by phase."""

    output: str
    seconds: float
    phases: dict[str, float]


@dataclass(frozen=True)
class HeaderCost:
    """One header with all that it includes in turn, so that costs of headers overlap."""

    path: str
    seconds: float
    """To parse it once."""
    files: int = 0
    """How many source files of the tree include it, directly or not."""

    @property
    def total(self) -> float:
        return self.seconds * self.files


@dataclass(frozen=True)
class TemplateCost:
    """One function template or inline function, all its instances together."""

    name: str
    copies: int
    """Instances, counted again in every object that holds them."""
    bytes: int
    """Of machine code that the linker throws away, because another object has it."""
    seconds: float = 0.0
    """To instantiate in the files that were profiled, where the compiler says."""


@dataclass
class Profile:
    """What was found."""

    compiler: str = ""
    files: list[FileCost] = field(default_factory=list)
    headers: list[HeaderCost] = field(default_factory=list)
    instantiations: dict[str, float] = field(default_factory=dict)
    """Template -> seconds over all these files; empty where the compiler does not say."""
    templates: list[TemplateCost] = field(default_factory=list)
