"""From wishes to values: types, probes, dependents; every mistake at once.

Standard library only: CMake calls this resolver too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from ..errors import USAGE, BuildError, environment_error, usage_error
from ..probes import ProbeContext, ProbeResult, run_probe
from .config import Config, Option
from .option_values import parse_value, typed
from .options import Options, Origin, Request, ResolvedOption, names_of
from .platform_facts import platform_facts
from .predicates import Predicate, Value, evaluate, first_false, names, parse, truth

Prober: TypeAlias = Callable[[str, ProbeContext, tuple[str, ...]], ProbeResult]


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
        value = self._read(option, request) if request else _default(option)
        detail = request.name if request else ""
        origin = request.origin if request else Origin.DEFAULT
        if option.planned and request and value != typed(option, option.default):
            self._fail(
                f"{option.name}={request.text}: this option is planned; its part does not exist yet",
                hint=f"leave {option.name} at {option.default or 'its default (empty)'}",
            )
            return ResolvedOption(option, typed(option, option.default), Origin.DEFAULT)
        if request and value in option.planned_choices:
            self._fail(
                f"{option.name}={request.text}: this choice is planned; its part does not exist yet"
            )
        if option.requires is not None and not evaluate(option.requires, self._values()):
            return self._unmet(option, request, value)
        if option.probe and not option.planned and value is not False:
            return self._probed(option, request, value)
        return ResolvedOption(option, typed(option, value), origin, detail)

    def _unmet(self, option: Option, request: Request | None, value: Value) -> ResolvedOption:
        assert option.requires is not None
        forced = typed(option, option.when_unmet)
        part = first_false(option.requires, self._values())
        if request and truth(value) and value != "auto" and value != forced:
            self._fail(
                f"{request.name}={request.text} cannot be met: it needs {option.requires}",
                "\n".join(self._why_false(option.requires)),
            )
        return ResolvedOption(option, forced, Origin.FORCED, f"needs {part}")

    def _why_false(self, condition: Predicate) -> Iterator[str]:
        """The part that does not hold, and for each option in it: its value, why, where it was looked."""
        part = first_false(condition, self._values())
        yield f"{part} does not hold"
        for name in dict.fromkeys(names(parse(part))):
            if name in self._done:
                cause = self._done[name]
                yield f"{name}={cause.text} ({cause.because})"
                yield from (f"looked: {place}" for place in cause.looked)

    def _probed(self, option: Option, request: Request | None, value: Value) -> ResolvedOption:
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
                        hint=f"install what is missing, or leave {request.name} out",
                    )
                )
            return ResolvedOption(option, True, request.origin, request.name)
        places = () if result.found else result.looked
        return ResolvedOption(option, result.found, Origin.DETECTED, result.reason, places)

    def _read(self, option: Option, request: Request) -> Value:
        try:
            return parse_value(option, request.text)
        except ValueError as error:
            self._fail(
                f"{request.name}={request.text!r}: {error}", f"from the {request.origin.value}"
            )
            return typed(option, option.default)


def _default(option: Option) -> Value:
    """As parse_value has it: `auto` stays a word."""
    return "auto" if option.default == "auto" else typed(option, option.default)


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
    lines = []
    for error in errors:
        lines += [error.message, *(f"  {line}" for line in error.cause.splitlines())]
        lines += [f"  {error.hint}"] if error.hint else []
    return BuildError(f"{len(errors)} options cannot be met", "\n".join(lines), exit_code=code)
