"""Render a running build for a terminal width: the bar, and one row per running job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from .lines import about, clock_time, step_name
from .tally import Tally

_NARROWEST_BAR, _WIDEST_BAR = 8, 40
# Wide enough for "1:02:03", so that the columns do not move.
_TIME = 7
_NAME, _TARGET = 40, 30


@dataclass(frozen=True)
class Glyphs:
    """The characters of the bar."""

    full: str
    half: str
    rest: str
    cross: str


UNICODE = Glyphs("━", "╸", "━", "✗")
ASCII = Glyphs("#", "#", "-", "x")


@dataclass(frozen=True)
class Frame:
    """The contents of one frame."""

    tally: Tally
    jobs: Sequence[str | None]
    """The job's description for each row; None if it has ended."""
    hit_rate: float | None
    """Hit rate of the compiler cache, 0 to 1."""


def render(frame: Frame, columns: int, glyphs: Glyphs) -> list[Text]:
    """Render the bar and the rows; `columns` must be at least 20."""
    rows = [_job(frame.tally, job, columns) for job in frame.jobs]
    return [_headline(frame, columns, glyphs), *rows]


def _headline(frame: Frame, columns: int, glyphs: Glyphs) -> Text:
    """Render the bar and as many fields as fit next to it, the most important ones first."""
    tally = frame.tally
    fields = _fields(frame, glyphs)
    space = columns - len("build ") - 1
    while len(fields) > 1 and space - _width(fields) < _NARROWEST_BAR:
        least = max(fields, key=lambda field: field[0])
        fields.remove(least)
    size = max(0, min(_WIDEST_BAR, space - _width(fields)))
    bar = _bar(tally, size, glyphs)
    return Text.assemble(("build ", "bold"), bar, *(text for _, text in fields))


def _fields(frame: Frame, glyphs: Glyphs) -> list[tuple[int, Text]]:
    """Return the fields in display order; the highest number is dropped first if space is short."""
    tally = frame.tally
    digits = len(str(tally.total))
    fields = [(0, Text(f"  {tally.done:>{digits}}/{tally.total}", "bold"))]
    if tally.total:
        fields.append((3, Text(f"  {100 * tally.done // tally.total:>3} %")))
    fields.append((2, Text(f"  {clock_time(tally.elapsed)}", "dim")))
    if tally.failed:
        fields.append((1, Text(f"  {glyphs.cross} {len(tally.failed)} failed", "bold red")))
    elif (remaining := tally.remaining()) is not None:
        fields.append((1, Text(f"  {about(remaining)} left", "cyan")))
    if frame.hit_rate is not None:
        fields.append((4, Text(f"  {round(100 * frame.hit_rate)} % cached", "green")))
    return fields


def _width(fields: Sequence[tuple[int, Text]]) -> int:
    return sum(text.cell_len for _, text in fields)


def _bar(tally: Tally, size: int, glyphs: Glyphs) -> Text:
    halves = 2 * size * tally.done // tally.total if tally.total else 0
    done = glyphs.full * (halves // 2) + glyphs.half * (halves % 2)
    style = "red" if tally.failed else "green"
    return Text.assemble((done, style), (glyphs.rest * (size - len(done)), "bright_black"))


def _job(tally: Tally, job: str | None, columns: int) -> Text:
    if job is None or job not in tally.running:
        return Text()
    step = step_name(job)
    seconds = tally.clock() - tally.running[job]
    text = Text.assemble((f"{clock_time(seconds):>{_TIME}}", "dim"), "  ", step.name)
    if columns >= _TIME + _NAME + _TARGET:
        text.pad_right(max(0, _NAME + _TIME - text.cell_len))
        text.append(f"  {step.target}", "dim")
        usual = tally.forecast.seconds.get(step.output)
        if usual and usual > seconds and columns >= _TIME + _NAME + _TARGET + 20:
            text.pad_right(max(0, _TIME + _NAME + _TARGET - text.cell_len))
            text.append(f"  of about {about(usual)}", "dim")
    return text
