"""Where a command failed: what the lookups of a cause may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Scene:
    """The tree, and the run that failed in it."""

    root: Path
    build_dir: Path
    environ: Mapping[str, str] = field(default_factory=dict)
    libraries: Sequence[str] = ()
    """The project's library targets, as the table names them."""
    jobs: int = 1

    def library_of(self, output: str) -> str:
        """The table's library that an object file or a linked file belongs to; empty for others."""
        stem = Path(output).name.partition(".")[0]
        for name in self.libraries:
            if stem == f"lib{name}" or f"CMakeFiles/{name}.dir/" in output:
                return name
        return ""

    def shorten(self, text: str) -> str:
        """Paths relative to the checkout."""
        return text.replace(f"{self.root}/", "")
