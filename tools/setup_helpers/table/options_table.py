"""The options as people, programs and the documentation read them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ..errors import usage_error
from ..suggest import did_you_mean
from ..terminal.colours import paint
from ..terminal.columns import hang
from ..terminal.stream import Display
from .config import Config, Option
from .options import ResolvedOption

_EMPTY = '""'


def select(config: Config, groups: Iterable[str], *, available: bool) -> list[Option]:
    """Those of the groups (none: of all); `available` leaves out what is planned."""
    known = dict.fromkeys(option.group for option in config.options)
    wanted = set(groups)
    for group in sorted(wanted - known.keys()):
        raise usage_error(
            f"no group of options {group!r}{did_you_mean(group, known)}",
            cause=f"there are {', '.join(known)}",
        )
    return [
        option
        for option in config.options
        if (not wanted or option.group in wanted) and not (available and option.planned)
    ]


def render(rows: Iterable[ResolvedOption], display: Display) -> str:
    """Grouped as in the table: name, value, origin, and the help below."""
    rows = list(rows)
    lines: list[str] = []
    group = ""
    width = max((len(r.option.name) for r in rows), default=0)
    for resolved in rows:
        option = resolved.option
        if option.group != group:
            group = option.group
            lines += ["", paint(f"[{group}]", "dim", display.colour)]
        name = paint(f"{option.name:<{width}}", "bold", display.colour)
        notes = [option.help, *_notes(option, "{}", "planned")]
        texts = [f"{resolved.text or _EMPTY:<12} {resolved.because}"]
        texts += [*(f"looked: {place}" for place in resolved.looked), "; ".join(notes)]
        for head, text in zip([name, *[" " * width] * (len(texts) - 1)], texts, strict=True):
            lines.append(f"  {head}  {hang(text, width + 4, display)}")
    return "\n".join(lines[1:])


def render_markdown(options: Iterable[Option]) -> str:
    """For the documentation: names and defaults, nothing of this machine."""
    lines = ["| option | default | what it does |", "| --- | --- | --- |"]
    for option in options:
        default = f"`{option.default}`" if option.default else "empty"
        planned = "**planned**: its part does not exist yet"
        notes = "; ".join([option.help, *_notes(option, "`{}`", planned)])
        lines.append(f"| `{option.name}` | {default} | {notes.replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


def render_json(rows: Iterable[ResolvedOption]) -> str:
    """For programs: every option with its row of the table, its value, and why it has it."""
    return json.dumps([_document(row) for row in rows], indent=1)


def _document(resolved: ResolvedOption) -> dict[str, object]:
    option = resolved.option
    return {
        "name": option.name,
        "value": resolved.value,
        "origin": resolved.origin.value,
        "detail": resolved.detail,
        "looked": list(resolved.looked),
        "type": option.type.value,
        "default": option.default,
        "help": option.help,
        "group": option.group,
        "aliases": list(option.aliases),
        "choices": list(option.choices),
        "planned_choices": list(option.planned_choices),
        "requires": None if option.requires is None else str(option.requires),
        "planned": option.planned,
        "effect": option.effect.value,
    }


def _notes(option: Option, name: str, planned: str) -> list[str]:
    """What else there is to say; `name` is how a name is set."""
    notes = []
    if option.aliases:
        notes.append("also " + ", ".join(map(name.format, option.aliases)))
    if option.choices:
        later = set(option.planned_choices)
        chosen = [name.format(c) + (" (planned)" if c in later else "") for c in option.choices]
        notes.append("one of " + ", ".join(chosen))
    if option.requires is not None:
        notes.append("needs " + name.format(option.requires))
    if option.planned:
        notes.append(planned)
    return notes
