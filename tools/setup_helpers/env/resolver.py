"""Resolve option requests into values: check types, run probes, apply dependencies.

Every mistake is reported at once. Uses the standard library only, since CMake calls it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from tools.base.errors import BuildError, usage_error
from tools.base.programs import Programs

from ..probes import ProbeContext, ProbeResult, run_probe
from ..table.config import Config, Option
from ..table.predicates import Value, evaluate, first_false, names, platform_facts, truth
from .foreign import governed_definitions, misplaced_arguments, misspelt_definitions
from .options import OptionRequest, Options, Origin, ResolvedOption, names_of
from .refusals import (
    Refusal,
    contradiction,
    governed,
    joined,
    misplaced,
    misspelt,
    not_found,
    planned_choice,
    planned_option,
    unmet,
    unreadable,
)
from .values import parse_value, typed

Prober: TypeAlias = Callable[[str, ProbeContext, tuple[str, ...]], ProbeResult]


@dataclass(frozen=True)
class Resolution:
    """The value of every option, and the requests that were refused."""

    options: Options
    refusals: tuple[Refusal, ...]

    @property
    def error(self) -> BuildError | None:
        """All refusals as one error."""
        return joined(self.refusals)


def assume_found(_: str, __: ProbeContext, ___: tuple[str, ...]) -> ProbeResult:
    """Report everything as found; for questions whose answers do not depend on the machine."""
    return ProbeResult(True, "not looked for")


def resolve(
    config: Config,
    requests: Iterable[OptionRequest],
    programs: Programs,
    python: str,
    prober: Prober = run_probe,
) -> Options:
    """Resolve all options; later requests win. Raise BuildError with every mistake."""
    resolution = attempt(config, requests, programs, python, prober)
    if resolution.error:
        raise resolution.error
    return resolution.options


def attempt(
    config: Config,
    requests: Iterable[OptionRequest],
    programs: Programs,
    python: str,
    prober: Prober = run_probe,
) -> Resolution:
    """Resolve all options; later requests win. Return refused requests instead of raising."""
    return _Resolver(config, programs, python, prober).resolve(requests)


class _Resolver:
    def __init__(self, config: Config, programs: Programs, python: str, prober: Prober) -> None:
        self._config = config
        self._programs = programs
        self._python = python
        self._prober = prober
        self._refusals: list[Refusal] = []
        self._done: dict[str, ResolvedOption] = {}

    def resolve(self, requests: Iterable[OptionRequest]) -> Resolution:
        latest = self._latest_requests(requests)
        for option in resolution_order(self._config):
            self._done[option.name] = self._resolve(option, latest.get(option.name))
        options = Options(tuple(self._done[o.name] for o in self._config.options))
        return Resolution(options, tuple(self._refusals))

    def _latest_requests(self, requests: Iterable[OptionRequest]) -> dict[str, OptionRequest]:
        known = names_of(self._config)
        latest: dict[str, OptionRequest] = {}
        for request in requests:
            name = known[request.name]
            if name in latest and _contradict(self._config.option(name), latest[name], request):
                self._refusals.append(contradiction(name, latest[name], request))
            latest[name] = request
        return latest

    def _values(self) -> dict[str, Value]:
        return {**platform_facts(), **{n: r.value for n, r in self._done.items()}}

    def _resolve(self, option: Option, asked: OptionRequest | None) -> ResolvedOption:
        met = option.requires is None or evaluate(option.requires, self._values())
        request = asked if asked and self._grants(option, asked, met) else None
        value = parse_value(option, request.text) if request else _default(option)
        detail = request.name if request else ""
        origin = request.origin if request else Origin.DEFAULT
        if not met:
            return self._unmet(option, request, value)
        if option.probe and not option.planned and value is not False:
            return self._probed(option, request, value)
        return ResolvedOption(option, typed(option, value), origin, detail)

    def _grants(self, option: Option, request: OptionRequest, met: bool) -> bool:
        """Whether the option accepts the value, apart from its dependencies; if not, record a refusal."""
        try:
            value = parse_value(option, request.text)
        except ValueError as error:
            self._refusals.append(unreadable(option, request, str(error)))
            return False
        only = typed(option, option.default if met else option.when_unmet)
        if option.planned and value != only:
            self._refusals.append(planned_option(option, request, only))
            return False
        if value in option.planned_choices:
            self._refusals.append(planned_choice(option, request))
            return False
        if option.role == "cmake_arguments":
            if definitions := governed_definitions(self._config, request.text):
                self._refusals.append(governed(option, request, definitions))
                return False
            if definitions := misspelt_definitions(self._config, request.text):
                self._refusals.append(misspelt(option, request, definitions))
                return False
            if arguments := misplaced_arguments(request.text):
                self._refusals.append(misplaced(option, request, arguments))
                return False
        return True

    def _unmet(self, option: Option, request: OptionRequest | None, value: Value) -> ResolvedOption:
        assert option.requires is not None
        forced = typed(option, option.when_unmet)
        part = first_false(option.requires, self._values())
        if request and truth(value) and value != "auto" and value != forced:
            requires = option.requires
            self._refusals.append(unmet(option, request, requires, self._done, self._values()))
        return ResolvedOption(option, forced, Origin.FORCED, f"needs {part}")

    def _probed(
        self, option: Option, request: OptionRequest | None, value: Value
    ) -> ResolvedOption:
        context = ProbeContext(
            self._config.root,
            self._programs,
            self._python,
            {n: r.value for n, r in self._done.items()},
            self._config.languages,
            requested=request is not None and value is True,
        )
        result = self._prober(option.probe, context, option.probe_arguments)
        if request and value is True:
            if (
                not result.found
            ):  # still on, so that its dependents are not refused for the same reason
                self._refusals.append(not_found(option, request, result))
            return ResolvedOption(option, True, request.origin, request.name)
        places = () if result.found else result.looked
        return ResolvedOption(option, result.found, Origin.DETECTED, result.reason, places)


def _contradict(option: Option, one: OptionRequest, other: OptionRequest) -> bool:
    """Whether an option and its alias have different values from the same origin."""
    if one.origin != other.origin or one.name == other.name:
        return False
    try:
        return parse_value(option, one.text) != parse_value(option, other.text)
    except ValueError:
        return one.text != other.text


def _default(option: Option) -> Value:
    """Return the default as parse_value would: `auto` stays a string."""
    return "auto" if option.default == "auto" else typed(option, option.default)


def resolution_order(config: Config) -> list[Option]:
    """Sort options after those they depend on. Raise BuildError when the dependencies form a cycle."""
    by_name = {o.name: o for o in config.options}
    order: dict[str, Option] = {}
    visiting: list[str] = []

    def visit(option: Option) -> None:
        if option.name in order:
            return
        if option.name in visiting:
            cycle = " -> ".join([*visiting[visiting.index(option.name) :], option.name])
            raise usage_error(f"options require each other: {cycle}")
        visiting.append(option.name)
        for name in names(option.requires) if option.requires else ():
            if name in by_name:
                visit(by_name[name])
        visiting.pop()
        order[option.name] = option

    for option in config.options:
        visit(option)
    return list(order.values())
