"""Make the pictures in docs/images from a real build: the terminal, and the page of the report.

    python docs/screenshots.py [--keep FOLDER]

Clones this checkout, builds it, edits a header, runs `explain`, and breaks a kernel. With a warm compiler
cache it takes a few minutes. FOLDER keeps the clone for the next run. Needs the `test` group and Chromium.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import escape
from pathlib import Path

import pyte
from pyte.screens import Char

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs/images"
sys.path.insert(0, str(ROOT))

from tests.build.browser import browser_page, find_browser  # noqa: E402
from tests.build.fixture_project import make_environment  # noqa: E402
from tests.build.pseudo_terminal import PseudoTerminal  # noqa: E402

COLUMNS = 100
# A header that about a hundred kernels include, and one kernel.
HEADER = "aten/src/ATen/native/cpu/Loops.h"
KERNEL = "aten/src/ATen/native/cpu/AmaxKernel.cpp"
PATIENCE = 1200.0
MOST_BYTES = 150_000

CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 8.4, 19, 14
BACKGROUND = "#0d1117"
FOREGROUND = "#d0d7de"
COLOURS = {
    "default": FOREGROUND,
    "green": "#3fb950",
    "red": "#ff7b72",
    "brown": "#d29922",  # pyte's name for yellow
    "cyan": "#39c5cf",
    "brightblack": "#7d8590",
}


class Screen(pyte.Screen):
    """A pyte screen that also knows dim text."""

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        super().select_graphic_rendition(*(90 if a == 2 else a for a in attributes))


def picture(terminal: PseudoTerminal, command: str, folder: Path) -> str:
    """Return the used rows as an SVG of a window. The folder and the home folder are shown as ~."""
    screen = terminal.screen
    used = max(row for row in range(screen.lines) if screen.display[row].strip())
    texts = [_text(0, 0, "$", f' fill="{COLOURS["green"]}"'), _text(2, 0, command, "")]
    for row in range(used + 1):
        texts += _row(screen.buffer[row], row + 1, screen.columns, folder)
    width = round(screen.columns * CELL_WIDTH + 32)
    height = (used + 2) * CELL_HEIGHT + 62
    dots = (
        f'<circle cx="{20 + 18 * i}" cy="18" r="5.5" fill="{fill}"/>'
        for i, fill in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    fonts = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}">',
        f'<rect width="100%" height="100%" rx="9" fill="{BACKGROUND}"/>',
        *dots,
        f'<g transform="translate(16 54)" fill="{FOREGROUND}" font-size="{FONT_SIZE}" '
        f'font-family="{fonts}">',
        *texts,
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Mapping[int, Char], row: int, columns: int, folder: Path) -> Iterator[str]:
    """Yield runs of text in one style, split where empty columns separate them."""
    start = 0
    while start < columns:
        style = _style(cells[start])
        end = start
        while end < columns and _style(cells[end]) == style:
            end += 1
        run = "".join(cells[column].data for column in range(start, end))
        for match in re.finditer(r"\S+(?: \S+)*", run):
            text = match[0].replace(str(folder), "~").replace(str(Path.home()), "~")
            yield _text(start + match.start(), row, text, style)
        start = end


def _text(column: int, row: int, text: str, style: str) -> str:
    """Return an SVG text with an explicit width, so that any font keeps the columns."""
    width = len(text) * CELL_WIDTH
    return (
        f'<text x="{column * CELL_WIDTH:.1f}" y="{row * CELL_HEIGHT}" '
        f'textLength="{width:.1f}"{style}>{escape(text)}</text>'
    )


def _style(char: Char) -> str:
    colour = COLOURS.get(char.fg, f"#{char.fg}")
    fill = f' fill="{colour}"' if colour != FOREGROUND else ""
    return fill + (' font-weight="bold"' if char.bold else "")


class Checkout:
    """A clone and an environment to install it into."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "torchsmith"
        if self.root.exists():
            for command in (["fetch", "-q"], ["reset", "-q", "--hard", "origin/HEAD"]):
                subprocess.run(["git", *command], cwd=self.root, check=True)
        else:
            subprocess.run(["git", "clone", "-q", str(ROOT), str(self.root)], check=True)
        venv = folder / "venv"
        self.python = venv / "bin/python" if venv.exists() else make_environment(venv)

    @contextmanager
    def at_a_terminal(
        self, *arguments: str, rows: int = 32, **environ: str
    ) -> Iterator[PseudoTerminal]:
        path = f"{self.python.parent}:{os.environ['PATH']}"
        own = {"PATH": path, "VIRTUAL_ENV": str(self.python.parents[1])}
        kept = {name: os.environ[name] for name in ("HOME", "CCACHE_DIR") if name in os.environ}
        with PseudoTerminal(
            [str(self.python), "setup.py", *arguments],
            cwd=self.root,
            environ=own | kept | {"LANG": "C.UTF-8"} | environ,
            columns=COLUMNS,
            rows=rows,
            screen=Screen(COLUMNS, rows),
        ) as terminal:
            yield terminal

    def edit(self, path: str, text: str) -> None:
        """Insert a line before the first include of a file."""
        file = self.root / path
        before, include, after = file.read_text().partition("#include")
        file.write_text(f"{before}{text}\n{include}{after}")


def take_pictures(folder: Path) -> None:
    """Make every picture, in the order of a developer's work."""
    checkout = Checkout(folder)
    with checkout.at_a_terminal("doctor", rows=48, OPENBLAS_CORETYPE="Prescott") as terminal:
        terminal.end()
        save("doctor.svg", picture(terminal, "python setup.py doctor", folder))
    with checkout.at_a_terminal("develop") as terminal:
        assert terminal.end(PATIENCE) == 0, "\n".join(terminal.lines())
    checkout.edit(HEADER, "// Shared by all elementwise kernels.")
    command_line = ("explain", "rebuild", "torch_cpu", Path(HEADER).name)
    with checkout.at_a_terminal(*command_line) as terminal:
        assert terminal.end() == 0
        save("explain.svg", picture(terminal, f"python setup.py {' '.join(command_line)}", folder))
    with checkout.at_a_terminal("develop") as terminal:
        terminal.until(lambda lines: any(map(half_way, lines)), "the middle of the build", PATIENCE)
        save("progress.svg", picture(terminal, "python setup.py develop", folder))
        assert terminal.end(PATIENCE) == 0, "\n".join(terminal.lines())
        save("summary.svg", picture(terminal, "python setup.py develop", folder))
    take_report(checkout.root / "build/report.html", folder)
    checkout.edit(KERNEL, "#include <numa.h>")
    with checkout.at_a_terminal("develop") as terminal:
        assert terminal.end(PATIENCE) == 1
        save("failure.svg", picture(terminal, "python setup.py develop", folder))


def half_way(line: str) -> bool:
    match = re.search(r" (\d+)/(\d+) ", line)
    return bool(match) and int(match[1]) >= 0.4 * int(match[2])


def take_report(page: Path, folder: Path) -> None:
    """Take the report as a desktop browser and as a phone would show it."""
    program = find_browser()
    assert program, "apt-get install chromium"
    with browser_page(program, folder / "profile") as tab:
        for name, width, height in (("report.png", 1200, 900), ("report-phone.png", 390, 720)):
            tab.open(page, width=width, height=height)
            tab.screenshot(IMAGES / name, whole=False)


def save(name: str, text: str) -> None:
    (IMAGES / name).write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="folder that keeps the clone")
    kept = parser.parse_args().keep
    folder = kept.absolute() if kept else Path(tempfile.mkdtemp(prefix="screenshots-"))
    folder.mkdir(exist_ok=True)
    IMAGES.mkdir(exist_ok=True)
    try:
        take_pictures(folder)
    finally:
        if not kept:
            shutil.rmtree(folder)
    for image in sorted(IMAGES.iterdir()):
        size = image.stat().st_size
        print(f"{image.relative_to(ROOT)}  {size / 1000:.0f} kB")
        assert size <= MOST_BYTES, f"{image.name} is larger than {MOST_BYTES} bytes"


if __name__ == "__main__":
    main()
