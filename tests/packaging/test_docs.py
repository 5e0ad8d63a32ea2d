"""The documentation says what the table and the tree say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def setup(*arguments: str) -> str:
    command = [sys.executable, "setup.py", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_option_table_is_what_the_command_prints() -> None:
    page = (ROOT / "docs" / "building.md").read_text(encoding="utf-8")
    match = re.search(r"<!-- made by: [^\n]*-->\n(.*?)<!-- end -->", page, re.DOTALL)
    assert match is not None
    assert match[1] == setup("options", "--markdown"), "paste it again"


def test_readme_lists_the_commands_that_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `python setup\.py (\w+)[^`]*`", readme, re.MULTILINE))
    assert listed == set(re.findall(r"^  (\w+) ", setup("--help"), re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)", prose):
        if "://" not in target:
            assert (page.parent / target).exists(), target
