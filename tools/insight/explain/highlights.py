"""Colours for the parts of an explanation that matter most."""

from __future__ import annotations

from tools.base.console import Highlighter

highlight = Highlighter(
    (
        (
            r"^[A-Z][A-Z0-9_]* = .*|^ ?\d+\. [^:\n]+",
            "bold",
        ),  # an option; a step of an operator's call
        (r"^(?:accepts|last build|needs|needed by|a change|named in)(?= )", "dim"),
        (r"\(built [^)]*\)", "dim"),
        (r"^refused|\bdoes not hold\b", "bold red"),
        (
            r"\bwould\s+be\s+(?:compiled|linked|built|rebuilt)\b|\bwas (?:edited|touched|added|removed)\b",
            "yellow",
        ),
        (r"\bis up to date\b|\bholds\b|\bnothing to do\b", "green"),
        (r"[^\s:()]+\.\w+:\d+\b", "cyan"),  # file and line
    )
)
