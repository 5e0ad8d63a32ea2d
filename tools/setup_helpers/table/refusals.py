"""Wishes that cannot be granted, in words: what was asked for, why it is refused, what would do instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..errors import USAGE, BuildError, environment_error, usage_error
from ..probes import ProbeResult
from .config import Option
from .options import Origin, Request, ResolvedOption
from .predicates import (
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

_PLANNED = "is planned; its part does not exist yet"


@dataclass(frozen=True)
class Refusal:
    """`name` is the option's; empty for one that does not exist."""

    name: str
    error: BuildError


def unreadable(option: Option, request: Request, why: str) -> Refusal:
    """The text is not of the option's type."""
    message = f"{request.name}={request.text!r}: {why}"
    hint = f"`python setup.py explain option {option.name}` says what it is for"
    error = usage_error(message, cause=f"from the {request.origin.value}", hint=hint)
    return Refusal(option.name, error)


def contradiction(name: str, one: Request, other: Request) -> Refusal:
    """An option and its alias, set to different values."""
    error = usage_error(
        f"{one.name}={one.text} contradicts {other.name}={other.text}",
        cause="one is another name of the other",
        hint=f"leave {one.name} or {other.name} out",
    )
    return Refusal(name, error)


def planned_option(option: Option, request: Request, only: Value) -> Refusal:
    """`only` is the one value that it can have."""
    message = f"{request.name}={request.text}: this option {_PLANNED}"
    text = ResolvedOption(option, only, Origin.DEFAULT).text
    hint = f"leave {request.name} {f'at {text}' if text else 'out'}"
    return Refusal(option.name, usage_error(message, hint=hint))


def planned_choice(option: Option, request: Request) -> Refusal:
    """One of several values does not exist yet."""
    message = f"{request.name}={request.text}: this choice {_PLANNED}"
    there = ", ".join(option.available_choices)
    return Refusal(option.name, usage_error(message, hint=f"choose of {there}"))


def not_found(option: Option, request: Request, result: ProbeResult) -> Refusal:
    """The machine lacks what the option needs."""
    error = environment_error(
        f"{request.name}={request.text} cannot be met: {result.reason}",
        cause="\n".join(f"looked: {place}" for place in result.looked),
        hint=f"install what is missing, or leave {request.name} out",
    )
    return Refusal(option.name, error)


def unmet(
    option: Option,
    request: Request,
    requires: Predicate,
    done: Mapping[str, ResolvedOption],
    values: Mapping[str, Value],
) -> Refusal:
    """Other options have values that forbid it; `done` are those resolved before it."""
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
    """The part that does not hold, and for each option in it: its value, why, where it was looked."""
    part = first_false(condition, values)
    if not part.isidentifier():  # of a name alone, its value says so
        yield f"{part} does not hold"
    for name in dict.fromkeys(names(parse(part))):
        if name in done:
            cause = done[name]
            yield f"{name}={cause.text} ({cause.because})"
            yield from (f"looked: {place}" for place in cause.looked)


def _ways_to_meet(
    condition: Predicate, done: Mapping[str, ResolvedOption], values: Mapping[str, Value]
) -> str:
    """Settings with which it would hold; empty when a part that is false is nobody's to choose."""
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
    """All of them as one error; None without any."""
    errors = [refusal.error for refusal in refusals]
    if len(errors) < 2:
        return errors[0] if errors else None
    code = USAGE if any(e.exit_code == USAGE for e in errors) else errors[0].exit_code
    lines = []
    for error in errors:
        lines += [error.message, *(f"  {line}" for line in error.cause.splitlines())]
        lines += [f"  {error.hint}"] if error.hint else []
    return BuildError(f"{len(errors)} options are refused", "\n".join(lines), exit_code=code)
