"""build/report.html: one file that works offline, rendered from the contents of build/report.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.base.atomic import write_atomically
from tools.base.store import build_file

NAME = build_file("report.html")
_SCRIPTS = (
    "elements.js",
    "head.js",
    "changes.js",
    "timeline.js",
    "time.js",
    "profile.js",
    "page.js",
)
_PARTS = Path(__file__).parent / "html"


def write_page(document: Mapping[str, Any], build_dir: Path) -> None:
    """Write the template filled with style, scripts and facts."""
    write_atomically(build_dir / NAME, render(document).encode())


def render(document: Mapping[str, Any]) -> str:
    """Render the page; everything that comes from the build is embedded as data, never as markup."""
    data = json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "title": _text(f"{document['project']} {document['version']}: what a build did"),
        "style": _read("style.css"),
        "script": "\n".join(_read(name) for name in _SCRIPTS),
        "data": data,
    }
    page = _read("template.html")
    for name, text in parts.items():
        page = page.replace(f"@{name}@", text)
    return page


def _read(name: str) -> str:
    return (_PARTS / name).read_text(encoding="utf-8")


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
