"""Describe first causes: an input by its path, a generated input by the stage that wrote it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.base.generation import read_records
from tools.setup_helpers.ninja.reasons import COMMAND_CHANGED, OutOfDate, Reason

from ..profile.compile_commands import from_root

# Used instead of the number of a cause.
NO_CAUSE = -1


@dataclass(frozen=True)
class Wording:
    """Describes reasons, including why command lines and generated files changed."""

    root: Path
    build_dir: Path
    configured: str
    """Why CMake ran; empty when it did not."""
    stages: Mapping[str, str]
    """Output of a stage that ran -> its description."""
    unforeseen: str = "something that was built while the build ran"
    """The description for a command that was not known to be necessary before the build started."""

    @classmethod
    def of(
        cls, root: Path, build_dir: Path, configured: str, stage_reasons: Mapping[str, str]
    ) -> Wording:
        """Create the wording for a tree; `stage_reasons` holds the stages that ran, or would, and why."""
        records = read_records(build_dir) if stage_reasons else {}
        descriptions = {
            path: f"{reason} (code generation: {stage})"
            for stage, reason in stage_reasons.items()
            for path in records.get(stage, {}).get("outputs", ())
        }
        return cls(root, build_dir, configured, descriptions)

    def cause(self, out_of_date: OutOfDate, output: str) -> str:
        """Return the cause for an output that was or must be built; empty for Ninja's own files."""
        if output not in out_of_date.graph.makers:
            return ""
        reason = out_of_date.cause(output)
        return self.describe(reason) if reason else self.unforeseen

    def describe(self, reason: Reason) -> str:
        if reason.of_command and self.configured:
            return self._command_changed()
        if not reason.input:
            return reason.text
        path = self.path(reason.input)
        if reason.removed:
            moved = self.configured and os.path.isabs(path)  # the checkout was in another folder
            return self._command_changed() if moved else f"{path} was removed"
        inside = os.path.relpath(self.build_dir / reason.input, self.build_dir)
        return self.stages.get(inside) or f"{path} changed"

    def _command_changed(self) -> str:
        return f"{COMMAND_CHANGED} ({self.configured})"

    def path(self, path: str) -> str:
        """Return a path of Ninja relative to the source root."""
        return from_root(path, self.root, self.build_dir)
