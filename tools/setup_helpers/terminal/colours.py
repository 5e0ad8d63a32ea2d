"""The few colours of what is printed line by line. What is painted over is rich's to colour."""

from __future__ import annotations

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def paint(text: str, style: str, wanted: bool) -> str:
    """`style` is words like "bold red"; nothing happens unless colour is wanted."""
    if not wanted or not text:
        return text
    codes = ";".join(_CODES[word] for word in style.split())
    return f"\x1b[{codes}m{text}\x1b[0m"
