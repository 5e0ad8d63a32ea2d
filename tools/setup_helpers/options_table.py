"""The options as people read them."""

from __future__ import annotations

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
            planned = [f"{c} (planned)" if c in option.planned_choices else c for c in option.choices]
            notes.append("one of " + ", ".join(planned))
        if option.requires is not None:
            notes.append(f"needs {option.requires}")
        if option.planned:
            notes.append("planned")
        lines.append(f"  {'':<{width}}  " + "; ".join(notes))
    return "\n".join(lines[1:])
