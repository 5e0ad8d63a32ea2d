"""build/report.html in a real browser: on a desktop, on a phone, in dark mode, without a network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.insight.report.page import render

from .browser import Page, browser_page, find_browser
from .fixture_project import Project

pytestmark = pytest.mark.slow

SIZES = {"desktop": (1280, False), "phone": (390, False), "small phone": (320, True), "dark": (1280, True)}  # fmt: skip


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium on PATH: apt-get install chromium")
    profile = tmp_path / "profile"
    profile.mkdir()
    with browser_page(program, profile) as opened:
        yield opened


@pytest.fixture
def report(developed: Project) -> Path:
    """The report of a build in which an option, a header and a generator's input changed."""
    developed.edit("words.yaml", "- world", "- there")
    developed.edit("src/greet.h", "#pragma once", "#pragma once\n")
    developed.run("build", TINY_LOUD="0")
    return developed.root / "build/report.html"


def texts(page: Page, selector: str) -> list[str]:
    """Return the visible texts of these elements."""
    found = page.evaluate(
        f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.innerText)"
    )
    return list(found)


def test_the_page_fits_every_screen_without_console_messages(
    page: Page, report: Path, tmp_path: Path
) -> None:
    for name, (width, dark) in SIZES.items():
        page.open(report, width=width, dark=dark)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        page.screenshot(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 20_000  # the timeline is not empty
    assert page.problems == []


def test_dark_and_light_mode_are_legible(page: Page, report: Path) -> None:
    """The contrast of the text and of the soft text is at least WCAG's 4.5."""
    luminance = """
    (colour) => {
      const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
        .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    }"""
    for dark in (False, True):
        page.open(report, width=1280, dark=dark)
        for selector in ("section h2", "section .soft", ".eyebrow"):
            contrast = page.evaluate(f"""(() => {{
              const luminance = {luminance};
              const element = document.querySelector({json.dumps(selector)});
              let behind = element;
              while (getComputedStyle(behind).backgroundColor === "rgba(0, 0, 0, 0)") behind = behind.parentElement;
              const pair = [getComputedStyle(element).color, getComputedStyle(behind).backgroundColor].map(luminance);
              return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
            }})()""")
            assert contrast >= 4.5, (selector, dark, contrast)


def test_the_page_shows_the_facts_of_the_report(page: Page, report: Path) -> None:
    document = json.loads((report.parent / "report.json").read_text())
    page.open(report, width=1280)
    assert texts(page, "h1")[0].startswith("Built in ")
    changes = texts(page, "#changes")[0]
    for words in (
        "TINY_LOUD",
        "ON → OFF (environment)",
        "src/greet.h",
        "edited",
        "code generation: words",
    ):
        assert words in changes
    for cause in document["causes"]:
        assert cause["text"] in changes
    assert len(texts(page, "#critical li")) == len(document["critical_path"])
    assert page.evaluate("document.querySelectorAll('#timeline rect.job').length") >= len(
        document["jobs"]
    )
    for size in document["sizes"]:
        assert size in texts(page, "#sizes")[0]


def test_the_timeline_reacts_to_taps_and_legend_entries(page: Page, report: Path) -> None:
    page.open(report, width=390)
    assert "Hover over or tap" in texts(page, ".readout")[0]
    page.evaluate("""[...document.querySelectorAll('#timeline rect.job')].at(-1)
        .dispatchEvent(new MouseEvent('click', { bubbles: true }))""")
    assert "slot" not in texts(page, ".readout")[0] and " from " in texts(page, ".readout")[0]
    page.evaluate(
        "[...document.querySelectorAll('#timeline button')].find((b) => b.innerText.includes('link')).click()"
    )
    assert page.evaluate("document.querySelectorAll('rect.dim').length") > 0
    width = page.evaluate("document.querySelector('#timeline svg').clientWidth")
    page.evaluate("document.querySelector('[aria-label=\"zoom in\"]').click()")
    assert page.evaluate("document.querySelector('#timeline svg').clientWidth") > 1.5 * width
    assert (
        page.evaluate("document.documentElement.scrollWidth") <= 390
    )  # the timeline scrolls in its frame
    assert page.problems == []


def test_a_failure_is_shown_first(page: Page, developed: Project) -> None:
    developed.edit("src/greet.c", "#include", "#error broken here\n#include")
    developed.run("build", check=False)
    page.open(developed.root / "build/report.html", width=390)
    assert texts(page, "h1")[0].startswith("Failed after ")
    first = texts(page, "section")[0]
    assert "building greet.c failed" in first and "broken here" in first
    page.evaluate("document.querySelector('svg .failed').dispatchEvent(new Event('click'))")
    assert "failed · " in texts(page, "#timeline .readout")[0]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.problems == []


def test_runs_that_failed_early_or_were_retried_are_drawn(page: Page, developed: Project) -> None:
    """One report lacks most fields; the other has the fields of a retried command."""
    developed.edit("CMakeLists.txt", "include(BuildDefaults)", 'message(FATAL_ERROR "no")')
    developed.run("build", check=False)
    file = developed.root / "build/report.html"
    page.open(file, width=390)
    assert "no" in texts(page, "#failure")[0] and page.problems == []
    document = json.loads((developed.root / "build/report.json").read_text())
    retry = {"name": "a.c", "output": "a.o", "cause": "the compiler was killed", "how": "alone"}
    file.write_text(render({**document, "retries": [retry]}))
    page.open(file, width=390)
    assert "the compiler was killed; built alone" in texts(page, "#retries")[0]
    assert page.problems == []
