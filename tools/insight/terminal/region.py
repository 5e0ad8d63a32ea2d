"""Lines at the bottom of a terminal that are redrawn in place.

rich.live counts rows as they were when it drew them, so pieces remain when a narrower window wraps
them. It also erases before it writes, which flickers. Here a frame is a single write that erases
only leftovers.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

    from tools.base.console import Display

# Terminals with synchronised output show the frame in one go; others ignore both sequences.
_BEGIN, _COMMIT = "\x1b[?2026h", "\x1b[?2026l"
_ERASE = "\x1b[2K"


class Region:
    """Tracks what is on the screen; the cursor stays at the end of the last line."""

    def __init__(self, display: Display) -> None:
        from rich.console import Console

        self._display = display
        self._buffer = io.StringIO()
        self._console = Console(
            file=self._buffer,
            force_terminal=True,
            color_system="auto" if display.colour else None,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )
        self._lines: list[str] = []
        self._lengths: list[int] = []
        self._columns = 0

    def paint(self, texts: Sequence[Text], above: Sequence[str] = ()) -> None:
        """Draw `texts` in place of the last frame; `above` scrolls away above them."""
        columns, _ = self._display.size()
        lines = [self._rendered(text, columns) for text in texts]
        if not above and lines == self._lines and columns == self._columns:
            return
        rows = self._rows(columns)
        frame = ["\r", _up(rows - 1)]
        if above or columns != self._columns or len(lines) != rows:
            frame += ["\n".join([_ERASE] * rows), "\r", _up(rows - 1)]
            frame += [f"{line}\n" for line in above]
            self._lengths = []
        lengths = [min(text.cell_len, columns - 1) for text in texts]
        frame.append("\n".join(map(_over, lines, lengths, self._lengths or [0] * len(lines))))
        self._lines, self._lengths, self._columns = lines, lengths, columns
        self._write("".join(frame))

    def _rows(self, columns: int) -> int:
        """Count the rows that the last frame occupies now; a narrower window may have wrapped it."""
        if self._display.reflows and columns < self._columns:
            return sum(max(1, -(-length // columns)) for length in self._lengths)
        return len(self._lengths)

    def _rendered(self, text: Text, columns: int) -> str:
        """Render a line, narrower than the screen so that the cursor stays within it."""
        self._console.print(
            text, end="", width=columns - 1, no_wrap=True, overflow="ellipsis", soft_wrap=False
        )
        line = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return line.rstrip("\n")

    def _write(self, frame: str) -> None:
        self._display.stream.write(f"{_BEGIN}{frame}{_COMMIT}")
        self._display.stream.flush()


def _up(rows: int) -> str:
    return f"\x1b[{rows}A" if rows > 0 else ""


def _over(line: str, length: int, old_length: int) -> str:
    """Draw a line over an old one, which is erased first if it is longer.

    Erasing only the rest of the old line would not make it shorter for a terminal that wraps lines
    when its window gets narrower.
    """
    return f"{_ERASE}{line}" if length < old_length else line
