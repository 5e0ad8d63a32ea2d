"""Build the documentation site: the book, the API reference, and the index of operators.

    python setup.py develop                     # the API reference comes from the docstrings of the package
    python -m pip install --group docs
    python docs/build_site.py                   # then open build/site/html/index.html

Every warning of Sphinx and every link that leads nowhere is an error. Nothing is written outside build/site.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SITE = ROOT / "build" / "site"
PROJECT_PAGES = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
sys.path[:0] = [str(DOCS), str(ROOT)]


def main() -> int:
    """Build the site, and return the exit code."""
    try:
        import sphinx.cmd.build as sphinx

        import torch  # noqa: F401
    except ImportError as error:
        print(f"error: {error}\n{__doc__.partition(chr(10))[2]}", file=sys.stderr)
        return 3
    from website.links import dead_links

    source, html = SITE / "source", SITE / "html"
    collect_sources(source)
    shutil.rmtree(html, ignore_errors=True)
    command = ["-b", "html", "-q", "-W", "--keep-going", "-j", "auto", "-c", str(DOCS)]
    code = sphinx.main([*command, "-d", str(SITE / "doctrees"), str(source), str(html)])
    dead = dead_links(html)
    for link in dead:
        print(f"error: dead link in {link}", file=sys.stderr)
    if code or dead:
        return 1
    print(f"{len(list(html.rglob('*.html')))} pages in {html.relative_to(ROOT)}")
    return 0


def collect_sources(folder: Path) -> None:
    """Copy the book and the pages of the project, and write the generated pages."""
    from website import api_pages, operators_index

    shutil.rmtree(folder, ignore_errors=True)
    (folder / "api").mkdir(parents=True)
    for path in DOCS.iterdir():
        if path.suffix in (".md", ".svg"):
            shutil.copyfile(path, folder / path.name)
    shutil.copytree(DOCS / "images", folder / "images")
    for name in PROJECT_PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        (folder / name).write_text(text.replace("](docs/", "]("), encoding="utf-8")
    index = folder / "index.md"
    index.write_text(with_contents(index.read_text(encoding="utf-8")), encoding="utf-8")
    pages = api_pages.collect()
    api_pages.write(folder / "api", pages)
    names = api_pages.names_of_operators(pages)
    records = operators_index.read_records(ROOT)
    text = operators_index.page(records, names)
    (folder / "operators-index.rst").write_text(text, encoding="utf-8")


def with_contents(index: str) -> str:
    """Append a table of contents for the sidebar to the index, made from the index's own list."""
    parts = re.split(r"^\*\*(.*)\*\*$", index, flags=re.MULTILINE)[1:]
    chapters = [
        (caption, re.findall(r"\]\(([\w./-]+)\.md\)", links))
        for caption, links in zip(parts[::2], parts[1::2], strict=True)
    ]
    chapters[-1][1].extend(["api/index", "operators-index"])
    chapters.append(("Project", [name.removesuffix(".md") for name in PROJECT_PAGES]))
    blocks = [
        "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```"])
        for caption, pages in chapters
    ]
    return "\n\n".join([index.rstrip(), *blocks]) + "\n"


if __name__ == "__main__":
    sys.exit(main())
