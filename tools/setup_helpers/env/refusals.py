"""Describe refused option requests: the request, why it is refused, and what to do instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tools.base.errors import USAGE, BuildError, environment_error, usage_error

from ..probes import ProbeResult
from ..table.config import Option
from ..table.predicates import (
    And,
    Equals,
    Name,
    Not,
    Predicate,
    Value,
    evaluate,
    first_false,
    names,
    parse,
)
from .options import OptionRequest, Origin, ResolvedOption

_PLANNED = "is planned but not implemented yet"


@dataclass(frozen=True)
class Refusal:
    """A refused request; `name` is that of the option, or empty if there is no such option."""

    name: str
    error: BuildError


def unreadable(option: Option, request: OptionRequest, why: str) -> Refusal:
    """Refuse a text that is not of the option's type."""
    message = f"{request.name}={request.text!r}: {why}"
    hint = f"see `python setup.py explain option {option.name}`"
    error = usage_error(message, cause=f"from the {request.origin.value}", hint=hint)
    return Refusal(option.name, error)


def contradiction(name: str, one: OptionRequest, other: OptionRequest) -> Refusal:
    """Refuse an option and its alias set to different values."""
    error = usage_error(
        f"{one.name}={one.text} contradicts {other.name}={other.text}",
        cause="one is an alias of the other",
        hint=f"leave {one.name} or {other.name} out",
    )
    return Refusal(name, error)


def planned_option(option: Option, request: OptionRequest, only: Value) -> Refusal:
    """Refuse a value of a planned or absent option, which only accepts the value `only`."""
    state = f"is not part of this build: {option.because}" if option.because else _PLANNED
    message = f"{request.name}={request.text}: this option {state}"
    text = ResolvedOption(option, only, Origin.DEFAULT).text
    hint = f"leave {request.name} {f'at {text}' if text else 'out'}"
    return Refusal(option.name, usage_error(message, hint=hint))


def planned_choice(option: Option, request: OptionRequest) -> Refusal:
    """Refuse a choice that is not implemented yet."""
    message = f"{request.name}={request.text}: this choice {_PLANNED}"
    there = ", ".join(option.available_choices)
    return Refusal(option.name, usage_error(message, hint=f"choose one of {there}"))


def governed(option: Option, request: OptionRequest, definitions: Sequence[str]) -> Refusal:
    """Refuse CMake arguments for variables that options control, since the options would override them."""
    error = usage_error(
        f"{request.name} sets variables that options control",
        cause="\n".join(definitions),
        hint=f"set options in the environment or with -D or -C; {option.name} is for other variables",
    )
    return Refusal(option.name, error)


def misspelt(option: Option, request: OptionRequest, definitions: Sequence[str]) -> Refusal:
    """Refuse CMake arguments for variables that look like misspelt options."""
    error = usage_error(
        f"{request.name} sets variables that look like misspelt options",
        cause="\n".join(definitions),
        hint=f"set options in the environment or with -D or -C; {option.name} is for other variables",
    )
    return Refusal(option.name, error)


def misplaced(option: Option, request: OptionRequest, arguments: Sequence[str]) -> Refusal:
    """Refuse CMake arguments that choose directories or a generator, since the front end does that."""
    error = usage_error(
        f"{request.name} has arguments that the build passes to CMake itself",
        cause="\n".join(arguments),
        hint=f"leave {'it' if len(arguments) == 1 else 'them'} out of {option.name}",
    )
    return Refusal(option.name, error)


def not_found(option: Option, request: OptionRequest, result: ProbeResult) -> Refusal:
    """Refuse an option whose needs the machine does not meet."""
    error = environment_error(
        f"{request.name}={request.text} cannot be met: {result.reason}",
        cause="\n".join(f"looked: {place}" for place in result.looked),
        hint=f"{result.remedy or 'install what is missing'}, or leave {request.name} out",
    )
    return Refusal(option.name, error)


def unmet(
    option: Option,
    request: OptionRequest,
    requires: Predicate,
    done: Mapping[str, ResolvedOption],
    values: Mapping[str, Value],
) -> Refusal:
    """Refuse an option whose required options have other values; `done` are those resolved before it."""
    ways = _ways_to_meet(requires, done, values)
    error = usage_error(
        f"{request.name}={request.text} cannot be met: it needs {requires}",
        cause="\n".join(_why_false(requires, done, values)),
        hint=f"set {ways} too, or leave {request.name} out"
        if ways
        else f"leave {request.name} out",
    )
    return Refusal(option.name, error)


def _why_false(
    condition: Predicate, done: Mapping[str, ResolvedOption], values: Mapping[str, Value]
) -> Iterator[str]:
    """Yield the part that is false, then the value and origin of each option in it."""
    part = first_false(condition, values)
    if not part.isidentifier():  # for a single name, the value below says it all
        yield f"{part} does not hold"
    for name in dict.fromkeys(names(parse(part))):
        if name in done:
            cause = done[name]
            yield f"{name}={cause.text} ({cause.because})"
            yield from (f"looked: {place}" for place in cause.looked)


def _ways_to_meet(
    condition: Predicate, done: Mapping[str, ResolvedOption], values: Mapping[str, Value]
) -> str:
    """Return settings that make the condition true; empty if a false part is not up to the user."""
    parts = condition.operands if isinstance(condition, And) else (condition,)
    settings = [_setting(part, done) for part in parts if not evaluate(part, values)]
    return " ".join(settings) if all(settings) else ""


def _setting(part: Predicate, done: Mapping[str, ResolvedOption]) -> str:
    match part:
        case Name(name):
            value = "1"
        case Not(Name(name)):
            value = "0"
        case Equals(name, value, False):
            pass
        case _:
            return ""
    named = done.get(name)
    chosen = named is not None and (named.explicit or named.origin is Origin.DEFAULT)
    return f"{name}={value}" if named and chosen and not named.option.planned else ""


def joined(refusals: Sequence[Refusal]) -> BuildError | None:
    """Join all refusals into one error; None without any."""
    errors = [refusal.error for refusal in refusals]
    if len(errors) < 2:
        return errors[0] if errors else None
    code = USAGE if any(e.exit_code == USAGE for e in errors) else errors[0].exit_code
    lines = []
    for error in errors:
        lines += [error.message, *(f"  {line}" for line in error.cause.splitlines())]
        lines += [f"  {error.hint}"] if error.hint else []
    return BuildError(f"{len(errors)} options were refused", "\n".join(lines), exit_code=code)
