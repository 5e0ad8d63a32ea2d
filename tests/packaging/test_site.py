"""How the documentation site is put together. `.ci/run` builds the site itself."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import build_site  # noqa: E402
from website import docstrings, links, operators_index  # noqa: E402


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("Add `other` to `input`.", "Add ``other`` to ``input``."),
        ("See :func:`torch.add`.", "See :func:`torch.add`."),
        ("Shape (*, n), a * b, x_ and |x|.", r"Shape (\*, n), a \* b, x\_ and \|x\|."),
        (
            "Args:\n    *args: A.\n    **kwargs: B `c`.",
            "Args:\n    *args: A.\n    **kwargs: B ``c``.",
        ),
        ("Computes\n\n    a * b\n\nas in C.", "Computes\n\n::\n\n    a * b\n\nas in C."),
        ("Example:\n    >>> f(`x`, *a)\n    *", "Example:\n    >>> f(`x`, *a)\n    *"),
        ("Returns:\n    A.\n\n    B `b`.", "Returns:\n    A.\n\n    B ``b``."),
    ],
)
def test_only_code_is_markup_in_docstrings(text: str, converted: str) -> None:
    assert docstrings.to_rst(text).rstrip() == converted


def test_a_summary_leaves_out_signatures() -> None:
    text = "add(input, other) -> Tensor\nadd(x) -> Tensor\n\nAdd `other`\nto it.\n\nMore."
    assert docstrings.summary(text) == "Add ``other`` to it."


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a id="here" href="#here"></a><a href="b.html#x">b</a>')
    assert links.dead_links(tmp_path) == ["a.html: b.html#x"]
    (tmp_path / "b.html").write_text('<img src="none.png"><a href="https://example.org/#y">c</a>')
    assert links.dead_links(tmp_path) == ["a.html: b.html#x", "b.html: none.png"]
    (tmp_path / "none.png").touch()
    (tmp_path / "b.html").write_text('<p id="x">')
    assert links.dead_links(tmp_path) == []


def test_the_sidebar_has_every_page_of_the_book() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```{toctree}\n(.*?)```", build_site.with_contents(index), re.DOTALL)
    listed = {line for block in blocks for line in block.splitlines() if not line.startswith(":")}
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    project = {path.stem for path in ROOT.glob("*.md")} - {"README"}
    assert listed - {""} == pages | project | {"api/index", "operators-index"}


def test_the_operator_index_has_schemas_kernels_and_gradients() -> None:
    records = operators_index.read_records(ROOT)
    page = operators_index.page(records, {"add": "torch.add"})
    row = page[page.index(":py:obj:`add <torch.add>`") :].split("   * - ")
    tensor = next(text for text in row if "``add.Tensor(" in text)
    assert "-> Tensor``" in tensor and "``AddBackward0``" in tensor
    assert all(f"``{record['schema']}``" in page for record in records.values())
