"""The documentation agrees with the table and the tree."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]


def setup(*arguments: str) -> str:
    command = [sys.executable, "setup.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def tables() -> list[tuple[str, str, str]]:
    """Return page, command and text of every table that a command prints."""
    marked = re.compile(
        r"<!-- made by: python setup\.py ([^\n]*?) -->\n(.*?)<!-- end -->", re.DOTALL
    )
    return [
        (page.name, command, text)
        for page in PAGES
        for command, text in marked.findall(page.read_text(encoding="utf-8"))
    ]


def test_the_tables_printed_by_commands_are_found() -> None:
    found = {(page, command) for page, command, _ in tables()}
    assert {
        ("README.md", "options --markdown --available build cpu"),
        ("reference.md", "options --markdown"),
        ("reference.md", "doctor --markdown"),
    } <= found


@pytest.mark.parametrize(("page", "command", "text"), tables(), ids=lambda x: str(x)[:40])
def test_a_table_equals_the_output_of_its_command(page: str, command: str, text: str) -> None:
    assert text == setup(*command.split()), f"paste it again into {page}"


def test_readme_lists_the_commands_that_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `python setup\.py (\w+)[^`]*`", readme, re.MULTILINE))
    assert listed == set(re.findall(r"^  (\w+) ", setup("--help"), re.MULTILINE))


def test_the_numbers_of_operators_are_those_of_the_table() -> None:
    table = (ROOT / "aten/src/ATen/native/native_functions.yaml").read_text(encoding="utf-8")
    overloads = re.findall(r"^- func: (\w+)", table, re.MULTILINE)
    names = set(overloads)
    operators = {name for name in names if not (name.endswith("_") and name[:-1] in names)}
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{len(operators)} operators ({len(overloads):,} overloads)" in readme
    page = (ROOT / "docs/third_party.md").read_text(encoding="utf-8")
    assert f"overloads, Torchsmith {len(overloads):,}." in page


def commands(page: Path) -> list[str]:
    """Return the commands that a page shows, continuation lines joined and comments left out."""
    blocks = re.findall(
        r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line[2:].split("  #")[0] for line in lines if line.startswith(("$ ", "# "))]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=lambda x: x.name)
def test_commands_name_files_and_subcommands_that_exist(page: Path) -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"dist", "build"}
    known = re.findall(r"^  (\w+) ", setup("--help"), re.MULTILINE)
    for command in commands(page):
        for word in re.findall(r"(?<![\w/.+~-])[.\w][\w./-]*", command):
            if word.split("/")[0] in folders and "..." not in word and "/" in word:
                assert re.search(r"[/.]$", word) or (ROOT / word).exists(), command
        for subcommand in re.findall(r"python3? setup\.py ([a-z]\w*)", command):
            assert subcommand in known, command


def headings(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_have_targets(page: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", prose):
        if "://" in target:
            continue
        path = page.parent / target if target else page
        assert path.exists(), target
        if anchor:
            assert anchor in headings(path), f"{target}#{anchor}"
