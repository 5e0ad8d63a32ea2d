"""Find links in the built site that lead nowhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def dead_links(folder: Path) -> list[str]:
    """Return `page: link` for each link within the site whose file or anchor does not exist."""
    pages: dict[Path, _Page] = {}
    for path in sorted(folder.rglob("*.html")):
        pages[path] = _Page()
        pages[path].feed(path.read_text(encoding="utf-8"))
    found: list[str] = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            missing = not target.exists()
            if not missing and anchor and target in pages:
                missing = anchor not in pages[target].anchors
            if missing:
                found.append(f"{path.relative_to(folder)}: {link}")
    return sorted(set(found))
