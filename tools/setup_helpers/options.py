"""Options: from texts of several origins to typed values, each with where it came from.

Standard library only: CMake calls this resolver too.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from .config import Config, Option, OptionType
from .errors import USAGE, BuildError, environment_error, usage_error
from .platform_facts import platform_facts
from .predicates import Value, evaluate, first_false, names, truth
from .probes import ProbeContext, ProbeResult, run_probe
from .suggest import did_you_mean, nearest

ON = frozenset({"1", "on", "yes", "true", "y"})
OFF = frozenset({"0", "off", "no", "false", "n"})

Prober: TypeAlias = Callable[[str, ProbeContext, tuple[str, ...]], ProbeResult]


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

    @property
    def text(self) -> str:
        """As CMake and people write it."""
        if isinstance(self.value, bool):
            return "ON" if self.value else "OFF"
        return str(self.value)

    @property
    def explicit(self) -> bool:
        return self.origin in (Origin.ENVIRONMENT, Origin.COMMAND_LINE, Origin.CONFIG_SETTINGS)


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

    def on(self, name: str) -> bool:
        """Whether an option the table may lack is true."""
        return name in self._index and truth(self._index[name].value)

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
    """Variables that are options. A near-miss of an option's name is refused, a foreign name left alone."""
    known = names_of(config)
    requests = [Request(n, environ[n], Origin.ENVIRONMENT) for n in environ if n in known]
    misspelt = []
    for name in sorted(set(environ) - set(known) - set(config.project.foreign_variables)):
        if match := nearest(name, known):
            misspelt.append(f"{name}={environ[name]}: did you mean {match}?")
    if misspelt:
        raise usage_error(
            "unknown option in the environment",
            cause="\n".join(misspelt),
            hint="unset it, or list it under project.foreign_variables if another program needs it",
        )
    return requests


def explicit_requests(
    config: Config, settings: Iterable[tuple[str, str]], origin: Origin
) -> list[Request]:
    """NAME=VALUE pairs addressed to this build: every unknown name is an error."""
    known = names_of(config)
    requests, unknown = [], []
    for name, text in settings:
        if name in known:
            requests.append(Request(name, text, origin))
        else:
            unknown.append(f"{name}{did_you_mean(name, known, 3) or '; see the options command'}")
    if unknown:
        raise usage_error(f"unknown option on the {origin.value}", cause="\n".join(unknown))
    return requests


def resolve(
    config: Config,
    requests: Iterable[Request],
    environ: Mapping[str, str],
    python: str,
    prober: Prober = run_probe,
) -> Options:
    """The one resolver. Later requests win over earlier ones; raises BuildError with every mistake."""
    return _Resolver(config, environ, python, prober).resolve(requests)


class _Resolver:
    def __init__(
        self, config: Config, environ: Mapping[str, str], python: str, prober: Prober
    ) -> None:
        self._config = config
        self._environ = environ
        self._python = python
        self._prober = prober
        self._errors: list[BuildError] = []
        self._done: dict[str, ResolvedOption] = {}

    def resolve(self, requests: Iterable[Request]) -> Options:
        wishes = self._wishes(requests)
        for option in resolution_order(self._config):
            self._done[option.name] = self._resolve(option, wishes.get(option.name))
        if self._errors:
            raise _joined(self._errors)
        return Options(tuple(self._done[o.name] for o in self._config.options))

    def _wishes(self, requests: Iterable[Request]) -> dict[str, Request]:
        known = names_of(self._config)
        wishes: dict[str, Request] = {}
        for request in requests:
            name = known[request.name]
            if name in wishes and self._contradict(name, wishes[name], request):
                self._fail(
                    f"{wishes[name].name}={wishes[name].text} contradicts "
                    f"{request.name}={request.text}",
                    "one is another name of the other",
                )
            wishes[name] = request
        return wishes

    def _contradict(self, name: str, one: Request, other: Request) -> bool:
        """An option and its alias from the same origin with different values."""
        if one.origin != other.origin or one.name == other.name:
            return False
        option = self._config.option(name)
        return self._read(option, one) != self._read(option, other)

    def _fail(self, message: str, cause: str = "", hint: str = "") -> None:
        self._errors.append(usage_error(message, cause=cause, hint=hint))

    def _values(self) -> dict[str, Value]:
        return {**platform_facts(), **{n: r.value for n, r in self._done.items()}}

    def _resolve(self, option: Option, request: Request | None) -> ResolvedOption:
        value = self._read(option, request) if request else option.default
        detail = request.name if request else ""
        origin = request.origin if request else Origin.DEFAULT
        if option.planned and request and value != _typed(option, option.default):
            self._fail(
                f"{option.name}={request.text}: this option is planned; its part does not exist yet",
                hint=f"leave {option.name} at {option.default or 'its default (empty)'}",
            )
        if request and value in option.planned_choices:
            self._fail(
                f"{option.name}={request.text}: this choice is planned; its part does not exist yet"
            )
        if option.requires is not None and not evaluate(option.requires, self._values()):
            return self._unmet(option, request, value)
        if option.type is OptionType.AUTO and not option.planned:
            return self._probed(option, request, value)
        return ResolvedOption(option, _typed(option, value), origin, detail)

    def _unmet(self, option: Option, request: Request | None, value: Value) -> ResolvedOption:
        assert option.requires is not None
        forced = _typed(option, option.when_unmet)
        part = first_false(option.requires, self._values())
        if request and truth(value) and value != "auto" and value != forced:
            self._fail(
                f"{request.name}={request.text} cannot be met: it needs {option.requires}",
                f"{part} does not hold",
            )
        return ResolvedOption(option, forced, Origin.FORCED, f"needs {part}")

    def _probed(self, option: Option, request: Request | None, value: Value) -> ResolvedOption:
        if value is False:
            origin = request.origin if request else Origin.DEFAULT
            return ResolvedOption(option, False, origin, request.name if request else "")
        context = ProbeContext(
            self._config.root,
            self._environ,
            self._python,
            {n: r.value for n, r in self._done.items()},
        )
        result = self._prober(option.probe, context, option.probe_arguments)
        if request and value is True:
            if not result.found:
                looked = "\n".join(f"looked: {place}" for place in result.looked)
                self._errors.append(
                    environment_error(
                        f"{request.name}={request.text} cannot be met: {result.reason}",
                        cause=looked,
                        hint=f"install it, or unset {request.name} to let the build choose",
                    )
                )
            return ResolvedOption(option, True, request.origin, request.name)
        return ResolvedOption(option, result.found, Origin.DETECTED, result.reason)

    def _read(self, option: Option, request: Request) -> Value:
        try:
            return parse_value(option, request.text)
        except ValueError as error:
            self._fail(
                f"{request.name}={request.text!r}: {error}", f"from the {request.origin.value}"
            )
            return _typed(option, option.default)


def parse_value(option: Option, text: str) -> Value:
    """Raises ValueError that says what is accepted."""
    match option.type:
        case OptionType.BOOL | OptionType.AUTO:
            folded = text.strip().casefold()
            if option.type is OptionType.AUTO and folded in ("auto", ""):
                return "auto"
            if folded in ON:
                return True
            if folded in OFF or folded == "":
                return False
            raise ValueError(
                "not a boolean; use 1/0, ON/OFF, YES/NO, TRUE/FALSE"
                + (" or auto" if option.type is OptionType.AUTO else "")
            )
        case OptionType.CHOICE:
            by_fold = {choice.casefold(): choice for choice in option.choices}
            if not text or text.casefold() in by_fold:
                return by_fold.get(text.casefold(), option.default)
            raise ValueError(
                "one of " + ", ".join(option.choices) + did_you_mean(text, option.choices, 2)
            )
        case OptionType.INTEGER:
            if text and not (text.strip().isascii() and text.strip().isdigit()):
                raise ValueError("not a whole number")
            return int(text) if text else _typed(option, option.default)
        case OptionType.PATH:
            if text and not Path(text).expanduser().exists():
                raise ValueError("no such file or folder")
            return str(Path(text).expanduser()) if text else ""
        case OptionType.FLAGS:
            shlex.split(text)  # ValueError: "No closing quotation"
            return text
        case OptionType.STRING:
            return text


def _typed(option: Option, value: Value) -> Value:
    """A default or forced value in the option's type."""
    if option.is_switch and isinstance(value, str):
        return value == "ON"
    if option.type is OptionType.INTEGER and isinstance(value, str):
        return int(value) if value else 0
    return value


def resolution_order(config: Config) -> list[Option]:
    """Options after those they depend on. Raises BuildError when they depend on each other."""
    by_name = {o.name: o for o in config.options}
    order: dict[str, Option] = {}
    visiting: list[str] = []

    def visit(option: Option) -> None:
        if option.name in order:
            return
        if option.name in visiting:
            circle = " -> ".join([*visiting[visiting.index(option.name) :], option.name])
            raise usage_error(f"options require each other: {circle}")
        visiting.append(option.name)
        for name in names(option.requires) if option.requires else ():
            if name in by_name:
                visit(by_name[name])
        visiting.pop()
        order[option.name] = option

    for option in config.options:
        visit(option)
    return list(order.values())


def _joined(errors: list[BuildError]) -> BuildError:
    if len(errors) == 1:
        return errors[0]
    code = USAGE if any(e.exit_code == USAGE for e in errors) else errors[0].exit_code
    parts = [e.message + (f" ({e.cause.splitlines()[0]})" if e.cause else "") for e in errors]
    return BuildError(f"{len(errors)} options cannot be met", "\n".join(parts), exit_code=code)
