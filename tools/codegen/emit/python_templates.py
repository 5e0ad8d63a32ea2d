"""Access to the C++ templates of the Python family, in tools/autograd/templates."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

_ROOT = Path(__file__).resolve().parents[2] / "autograd" / "templates"


@cache
def template(name: str) -> Template:
    """Return the template file called `name`."""
    return Template((_ROOT / name).read_text(encoding="utf-8"))
