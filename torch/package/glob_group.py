"""Sets of module names or paths, given by patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["GlobGroup"]

GlobPattern = str | Iterable[str]


class GlobGroup:
    """The names that match a pattern and no excluded one.

    A pattern is a name with parts between separators: a part `*` stands for any one part and may be
    inside a part, and a part `**` stands for any number of parts.

    Args:
        include: The pattern or patterns.
        exclude: The pattern or patterns of names that do not belong to the group.
        separator: What is between the parts of a name.

    Raises:
        ValueError: If `**` is not a whole part.

    Example:
        >>> from torch.package import GlobGroup
        >>> group = GlobGroup("torch.**", exclude="torch.nn")
        >>> group.matches("torch.nn.functional"), group.matches("torch.nn"), group.matches("torch")
        (True, False, True)
    """

    def __init__(
        self, include: GlobPattern, *, exclude: GlobPattern = (), separator: str = "."
    ) -> None:
        self.separator = separator
        self._text = f"GlobGroup(include={include}, exclude={exclude})"
        self.include = _compiled(include, separator)
        self.exclude = _compiled(exclude, separator)

    def matches(self, candidate: str) -> bool:
        """Return whether a name belongs to the group."""
        name = self.separator + candidate
        return any(p.fullmatch(name) for p in self.include) and not any(
            p.fullmatch(name) for p in self.exclude
        )

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__


def _compiled(patterns: GlobPattern, separator: str) -> list[re.Pattern[str]]:
    listed = [patterns] if isinstance(patterns, str) else patterns
    return [re.compile(_regular_expression(pattern, separator)) for pattern in listed]


def _regular_expression(pattern: str, separator: str) -> str:
    """Return an expression for names with a separator in front of each part."""
    between = re.escape(separator)
    one = f"[^{between}]"

    def part(text: str) -> str:
        if text == "**":
            return f"({between}{one}+)*"
        if "**" in text:
            raise ValueError("** can only appear as an entire path segment")
        return between + f"{one}*".join(map(re.escape, text.split("*")))

    return "".join(map(part, pattern.split(separator)))
