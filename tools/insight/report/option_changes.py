"""Find the options that changed since this build directory was last built."""

from __future__ import annotations

from pathlib import Path

from tools.setup_helpers.env.changes import (
    OptionChange,
    changes_from,
    last_configured,
    recorded_values,
)
from tools.setup_helpers.env.options import Options

from .report import NAME as REPORT


def changed_options(options: Options, build_dir: Path) -> list[OptionChange]:
    """Return the changes in the table's order; none for a directory that was never built.

    They are the changes since the last run; for CMake's options, since the last configuration.
    """
    known = recorded_values(build_dir / REPORT, "options") | last_configured(options, build_dir)
    return changes_from(known, options)
