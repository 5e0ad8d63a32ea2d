"""Options: wishes from several origins, and typed values, each with where it came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from ..errors import BuildError, usage_error
from ..suggest import did_you_mean, nearest
from .config import Config, Option
from .platform_facts import platform_facts
from .predicates import Value, truth


class Origin(Enum):
    """Who chose a value."""

    DEFAULT = "default"
    ENVIRONMENT = "environment"
    COMMAND_LINE = "command line"
    CONFIG_SETTINGS = "config settings"
    DETECTED = "detected"
    FORCED = "forced by a dependency"


@dataclass(frozen=True)
class Request:
    """One explicit wish, before it is understood."""

    name: str
    text: str
    origin: Origin


@dataclass(frozen=True)
class ResolvedOption:
    """A value with its history."""

    option: Option
    value: Value
    origin: Origin
    detail: str = ""
    """The variable it was read from, the probe's reason, or the dependency that forced it."""
    looked: tuple[str, ...] = ()
    """Where a probe looked in vain."""

    @property
    def text(self) -> str:
        """As CMake and people write it."""
        if isinstance(self.value, bool):
            return "ON" if self.value else "OFF"
        return str(self.value)

    @property
    def explicit(self) -> bool:
        return self.origin in (Origin.ENVIRONMENT, Origin.COMMAND_LINE, Origin.CONFIG_SETTINGS)

    @property
    def because(self) -> str:
        """The origin, and what lies behind it where that is not the option's own name."""
        named = self.detail and self.detail != self.option.name
        return f"{self.origin.value}: {self.detail}" if named else self.origin.value


@dataclass(frozen=True)
class Options(Mapping[str, Value]):
    """All options of the table, in its order."""

    resolved: tuple[ResolvedOption, ...]
    _index: dict[str, ResolvedOption] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {r.option.name: r for r in self.resolved})

    def __getitem__(self, name: str) -> Value:
        return self._index[name].value

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def text(self, name: str, default: str = "") -> str:
        return self._index[name].text if name in self._index else default

    def of(self, name: str) -> ResolvedOption:
        return self._index[name]

    def role(self, role: str) -> str:
        """Text of the option that plays a role of the front end; empty when the table has none."""
        return next((r.text for r in self.resolved if r.option.role == role), "")

    def role_on(self, role: str) -> bool:
        return any(truth(r.value) for r in self.resolved if r.option.role == role)

    def values_and_facts(self) -> dict[str, Value]:
        """What conditions of the table are evaluated against."""
        return {**platform_facts(), **{n: r.value for n, r in self._index.items()}}

    def requests(self) -> list[Request]:
        """The explicit wishes, to be resolved again later with the same meaning."""
        return [Request(r.option.name, r.text, r.origin) for r in self.resolved if r.explicit]

    def to_json(self) -> dict[str, dict[str, str]]:
        return {
            r.option.name: {"value": r.text, "origin": r.origin.value, "detail": r.detail}
            for r in self.resolved
        }


def names_of(config: Config) -> dict[str, str]:
    """Option names and aliases, each with the option's name."""
    known = {o.name: o.name for o in config.options}
    known.update({alias: o.name for o in config.options for alias in o.aliases})
    return known


def environment_requests(config: Config, environ: Mapping[str, str]) -> list[Request]:
    """Variables that are options; raises BuildError for a near-miss."""
    if error := misspelt_variables(config, environ):
        raise error
    return known_requests(config, environ.items(), Origin.ENVIRONMENT)


def misspelt_variables(config: Config, environ: Mapping[str, str]) -> BuildError | None:
    """A near-miss of an option's name is refused, a foreign name left alone."""
    known = names_of(config)
    misspelt = []
    for name in sorted(set(environ) - set(known) - set(config.project.foreign_variables)):
        if match := nearest(name, known):
            misspelt.append(f"{name}={environ[name]}: did you mean {match}?")
    if not misspelt:
        return None
    return usage_error(
        "unknown option in the environment",
        cause="\n".join(misspelt),
        hint="unset it, or list it under project.foreign_variables if another program needs it",
    )


def explicit_requests(
    config: Config, settings: Iterable[tuple[str, str]], origin: Origin
) -> list[Request]:
    """NAME=VALUE pairs addressed to this build; raises BuildError for any unknown name."""
    settings = list(settings)
    if error := unknown_settings(config, settings, origin):
        raise error
    return known_requests(config, settings, origin)


def unknown_settings(
    config: Config, settings: Iterable[tuple[str, str]], origin: Origin
) -> BuildError | None:
    """Every name that is no option's."""
    known = names_of(config)
    unknown = [f"{n}{did_you_mean(n, known, 3)}" for n, _ in settings if n not in known]
    if not unknown:
        return None
    return usage_error(
        f"unknown option on the {origin.value}",
        cause="\n".join(unknown),
        hint="`python setup.py options` shows them all",
    )


def known_requests(
    config: Config, settings: Iterable[tuple[str, str]], origin: Origin
) -> list[Request]:
    """Those pairs whose name is an option's."""
    known = names_of(config)
    return [Request(name, text, origin) for name, text in settings if name in known]
