"""Report the dependencies that a step of the build graph discovered to Ninja."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

_SPECIAL = re.compile(r"([ #])|(\$)")


def finish_step(build_dir: Path, stamp: str, dependencies: Iterable[str]) -> None:
    """Write STAMP.d in the format of a compiler's dependency file, and date the step's stamp.

    Dependencies are absolute paths. They may include files that the step wrote, and folders, which change
    when a file is added or removed. Absent ones are left out, because Ninja takes them for changed.
    """
    there = sorted(path for path in set(dependencies) if os.path.lexists(path))
    lines = "".join(f" \\\n  {_escape(path)}" for path in there)
    (build_dir / f"{stamp}.d").write_text(f"{stamp}:{lines}\n", encoding="utf-8")
    (build_dir / stamp).touch()


def _escape(path: str) -> str:
    return _SPECIAL.sub(lambda match: "$$" if match[2] else f"\\{match[1]}", path)
