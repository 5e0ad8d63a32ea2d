"""The options as people read them."""

from __future__ import annotations

from .config import Config, Option
from .options import Options


def render(options: Options) -> str:
    """Grouped as in the table: name, value, origin, and the help below."""
    lines: list[str] = []
    group = ""
    width = max((len(r.option.name) for r in options.resolved), default=0)
    for resolved in options.resolved:
        option = resolved.option
        if option.group != group:
            group = option.group
            lines += ["", f"[{group}]"]
        origin = resolved.origin.value + (f": {resolved.detail}" if resolved.detail else "")
        value = resolved.text or '""'
        lines.append(f"  {option.name:<{width}}  {value:<12} {origin}")
        notes = [option.help]
        if option.aliases:
            notes.append("also " + ", ".join(option.aliases))
        if option.choices:
            planned = [
                f"{c} (planned)" if c in option.planned_choices else c for c in option.choices
            ]
            notes.append("one of " + ", ".join(planned))
        if option.requires is not None:
            notes.append(f"needs {option.requires}")
        if option.planned:
            notes.append("planned")
        lines.append(f"  {'':<{width}}  " + "; ".join(notes))
    return "\n".join(lines[1:])


def render_markdown(config: Config) -> str:
    """The options as a table for the documentation: names and defaults, nothing of this machine."""
    lines = ["| option | default | what it does |", "| --- | --- | --- |"]
    for option in config.options:
        default = f"`{option.default}`" if option.default else "empty"
        lines.append(f"| `{option.name}` | {default} | {_markdown_notes(option)} |")
    return "\n".join(lines)


def _markdown_notes(option: Option) -> str:
    notes = [option.help]
    if option.aliases:
        notes.append("also " + ", ".join(f"`{alias}`" for alias in option.aliases))
    if option.choices:
        planned = set(option.planned_choices)
        chosen = [f"`{c}`" + (" (planned)" if c in planned else "") for c in option.choices]
        notes.append("one of " + ", ".join(chosen))
    if option.requires is not None:
        notes.append(f"needs `{option.requires}`")
    if option.planned:
        notes.append("**planned**: its part does not exist yet")
    return "; ".join(notes).replace("|", "\\|")
