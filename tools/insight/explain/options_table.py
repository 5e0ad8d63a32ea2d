"""Render the options for people, programs and the documentation."""

from __future__ import annotations

import json
from collections.abc import Iterable

from tools.base.console import Display, paint
from tools.base.errors import did_you_mean, usage_error
from tools.setup_helpers.env.options import ResolvedOption
from tools.setup_helpers.table.config import Config, Option

from ..terminal.lines import hang

_EMPTY = '""'


def select(config: Config, groups: Iterable[str], *, available: bool) -> list[Option]:
    """Return the options of the groups (default: of all). `available` leaves out planned and absent ones."""
    known = dict.fromkeys(option.group for option in config.options)
    wanted = set(groups)
    for group in sorted(wanted - known.keys()):
        raise usage_error(
            f"unknown group of options {group!r}{did_you_mean(group, known)}",
            cause=f"known groups: {', '.join(known)}",
        )
    return [
        option
        for option in config.options
        if (not wanted or option.group in wanted) and not (available and option.planned)
    ]


def render(rows: Iterable[ResolvedOption], display: Display) -> str:
    """Render options by group: name, value and origin, with the help below."""
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
        notes = [option.help, *_notes(option, "{}", "planned", "absent")]
        texts = [f"{resolved.text or _EMPTY:<12} {resolved.because}"]
        texts += [*(f"looked: {place}" for place in resolved.looked), "; ".join(notes)]
        for head, text in zip([name, *[" " * width] * (len(texts) - 1)], texts, strict=True):
            lines.append(f"  {head}  {hang(text, width + 4, display)}")
    return "\n".join(lines[1:])


def render_markdown(options: Iterable[Option]) -> str:
    """Render a table for the documentation, independent of this machine."""
    lines = ["| option | default | what it does |", "| --- | --- | --- |"]
    for option in options:
        default = _default(option, "`{}`")
        planned = "**planned**: not implemented yet"
        notes = "; ".join([option.help, *_notes(option, "`{}`", planned, "**absent**")])
        lines.append(f"| `{option.name}` | {default} | {notes.replace('|', chr(92) + '|')} |")
    return "\n".join(lines)


def _default(option: Option, name: str) -> str:
    """Return the value without a request, and the one with unmet requirements if that differs."""
    unmet = option.when_unmet if option.requires is not None else option.default
    if option.planned:
        return name.format(unmet) if unmet else "empty"
    other = f", else {name.format(unmet)}" if unmet != option.default else ""
    return f"{name.format(option.default)}{other}" if option.default else "empty"


def render_json(rows: Iterable[ResolvedOption]) -> str:
    """Render JSON for programs: every option with its row of the table, its value and origin."""
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
        "when_unmet": option.when_unmet,
        "help": option.help,
        "group": option.group,
        "aliases": list(option.aliases),
        "choices": list(option.choices),
        "planned_choices": list(option.planned_choices),
        "requires": None if option.requires is None else str(option.requires),
        "planned": option.planned,
        "status": option.status.value,
        "because": option.because,
        "effect": option.effect.value,
    }


def _notes(option: Option, name: str, planned: str, absent: str) -> list[str]:
    """Return notes on aliases, choices, requirements and status; `name` is a format for names."""
    notes = []
    if option.aliases:
        notes.append("also " + ", ".join(map(name.format, option.aliases)))
    if option.choices:
        later = set(option.planned_choices)
        chosen = [name.format(c) + (" (planned)" if c in later else "") for c in option.choices]
        notes.append("one of " + ", ".join(chosen))
    if option.requires is not None:
        notes.append("needs " + name.format(option.requires))
    if option.because:
        notes.append(f"{absent}: {option.because}")
    elif option.planned:
        notes.append(planned)
    return notes
