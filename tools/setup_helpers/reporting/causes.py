"""First causes in words: an input by its path, a generated one by the stage that wrote it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..code_generation.generation import read_records
from .reasons import COMMAND_CHANGED, OutOfDate, Reason
from .source_paths import from_root


@dataclass(frozen=True)
class Wording:
    """Knows what lies behind a changed command line and a changed generated file."""

    root: Path
    build_dir: Path
    configured: str
    """Why CMake ran; empty when it did not."""
    stages: Mapping[str, str]
    """Output of a stage that ran -> what to say of it."""
    unforeseen: str = "something that was made while the build ran"
    """What to say of a command that was not known to be necessary before the build began."""

    @classmethod
    def of(
        cls, root: Path, build_dir: Path, configured: str, stage_reasons: Mapping[str, str]
    ) -> Wording:
        """`stage_reasons` holds the stages that ran, or would, and why."""
        records = read_records(build_dir) if stage_reasons else {}
        said = {
            path: f"{reason} (code generation: {stage})"
            for stage, reason in stage_reasons.items()
            for path in records.get(stage, {}).get("outputs", ())
        }
        return cls(root, build_dir, configured, said)

    def cause(self, out_of_date: OutOfDate, output: str) -> str:
        """Of an output that was made, or has to be; empty for Ninja's care of its own files."""
        if output not in out_of_date.graph.makers:
            return ""
        reason = out_of_date.cause(output)
        return self.describe(reason) if reason else self.unforeseen

    def describe(self, reason: Reason) -> str:
        if reason.of_command and self.configured:
            return self._of_command()
        if not reason.input:
            return reason.text
        path = self.path(reason.input)
        if reason.removed:
            moved = self.configured and os.path.isabs(path)  # of a checkout that lay elsewhere
            return self._of_command() if moved else f"{path} was removed"
        inside = os.path.relpath(self.build_dir / reason.input, self.build_dir)
        return self.stages.get(inside) or f"{path} changed"

    def _of_command(self) -> str:
        return f"{COMMAND_CHANGED} ({self.configured})"

    def path(self, path: str) -> str:
        """As seen from the source root; Ninja's are relative to the build."""
        return from_root(path, self.root, self.build_dir)
