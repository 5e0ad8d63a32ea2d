"""Option requests from several origins, and resolved options, each with the origin of its value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from tools.base.errors import BuildError, did_you_mean, nearest, usage_error

from ..table.config import Config, Option
from ..table.predicates import Value, platform_facts, truth
from .foreign import foreign_names, governing_options


class Origin(Enum):
    """Where a value comes from."""

    DEFAULT = "default"
    ENVIRONMENT = "environment"
    COMMAND_LINE = "command line"
    CONFIG_SETTINGS = "config settings"
    DETECTED = "detected"
    FORCED = "forced by a dependency"


@dataclass(frozen=True)
class OptionRequest:
    """An explicit request for a value, not parsed yet."""

    name: str
    text: str
    origin: Origin


@dataclass(frozen=True)
class ResolvedOption:
    """An option with its value and the origin of the value."""

    option: Option
    value: Value
    origin: Origin
    detail: str = ""
    """The variable it was read from, the probe's reason, or the dependency that forced it."""
    looked: tuple[str, ...] = ()
    """Where a probe looked without success."""

    @property
    def text(self) -> str:
        """The value as CMake and people write it."""
        if isinstance(self.value, bool):
            return "ON" if self.value else "OFF"
        return str(self.value)

    @property
    def explicit(self) -> bool:
        return self.origin in (Origin.ENVIRONMENT, Origin.COMMAND_LINE, Origin.CONFIG_SETTINGS)

    @property
    def because(self) -> str:
        """The origin, with its detail unless that is the option's own name."""
        named = self.detail and self.detail != self.option.name
        return f"{self.origin.value}: {self.detail}" if named else self.origin.value


@dataclass(frozen=True)
class Options(Mapping[str, Value]):
    """All options, in the order of the table."""

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
        """Return the text of the option with a role; empty when the table has none."""
        return next((r.text for r in self.resolved if r.option.role == role), "")

    def role_on(self, role: str) -> bool:
        return any(truth(r.value) for r in self.resolved if r.option.role == role)

    def values_and_facts(self) -> dict[str, Value]:
        """Return the values that conditions of the table refer to: options and platform facts."""
        return {**platform_facts(), **{n: r.value for n, r in self._index.items()}}

    def requests(self) -> list[OptionRequest]:
        """Return the explicit requests, so that they can be resolved again later."""
        return [OptionRequest(r.option.name, r.text, r.origin) for r in self.resolved if r.explicit]

    def to_json(self) -> dict[str, dict[str, str]]:
        return {
            r.option.name: {"value": r.text, "origin": r.origin.value, "detail": r.detail}
            for r in self.resolved
        }


# make exports these to every command that it runs; MFLAGS would pass for a misspelt CFLAGS.
_FROM_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKE_TERMOUT", "MAKE_TERMERR")


def names_of(config: Config) -> dict[str, str]:
    """Map option names and aliases to option names."""
    known = {o.name: o.name for o in config.options}
    known.update({alias: o.name for o in config.options for alias in o.aliases})
    return known


def environment_requests(config: Config, environ: Mapping[str, str]) -> list[OptionRequest]:
    """Return requests for the options in the environment. Raise BuildError for misspelt ones."""
    if error := misspelt_variables(config, environ):
        raise error
    return known_requests(config, environ.items(), Origin.ENVIRONMENT)


def misspelt_variables(config: Config, environ: Mapping[str, str]) -> BuildError | None:
    """Return an error that lists the variables whose names nearly match an option; None without any."""
    known = names_of(config)
    other = {*known, *foreign_names(config), *config.project.foreign_variables, *_FROM_MAKE}
    misspelt = []
    for name in sorted(environ.keys() - other):
        if environ[name].strip() and (match := nearest(name, known)):
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
) -> list[OptionRequest]:
    """Return requests for NAME=VALUE pairs given to this build. Raise BuildError for unknown names."""
    settings = list(settings)
    if error := unknown_settings(config, settings, origin):
        raise error
    return known_requests(config, settings, origin)


def unknown_settings(
    config: Config, settings: Iterable[tuple[str, str]], origin: Origin
) -> BuildError | None:
    """Return an error that lists the names unknown to this and other builds of the package; None without any."""
    known, foreign, governing = names_of(config), foreign_names(config), governing_options(config)
    unknown = [
        f"{n}; set {' or '.join(governing[n])}" if n in governing else n + did_you_mean(n, known, 3)
        for n, _ in settings
        if n not in known and n not in foreign
    ]
    if not unknown:
        return None
    return usage_error(
        f"unknown option on the {origin.value}",
        cause="\n".join(unknown),
        hint="run `python setup.py options` to list all options",
    )


def known_requests(
    config: Config, settings: Iterable[tuple[str, str]], origin: Origin
) -> list[OptionRequest]:
    """Return requests for the pairs whose name is an option's.

    An empty environment variable requests nothing, since CI systems expand missing inputs to it. An
    empty value on a command line is deliberate.
    """
    known = names_of(config)
    return [
        OptionRequest(name, text, origin)
        for name, text in settings
        if name in known and (text.strip() or origin is not Origin.ENVIRONMENT)
    ]
