"""Variables of the environment that change what a finished package does."""

from __future__ import annotations

from .check import Check, Finding, Machine, ok, skipped, warning


class Variables(Check):
    """Which ones matter, and why, is the table's to say: rows `[[variable]]`."""

    id = "variables"
    looks_at = "variables of the environment that the table says change results or speed"
    consequence = "tests and measurements of this shell differ from those of others"

    def examine(self, machine: Machine) -> Finding:
        rows = [row for row in machine.config.variables if machine.meets(row.when)]
        if not rows:
            return skipped("the table names none")
        found = [row for row in rows if machine.environ.get(row.name)]
        if not found:
            return ok(f"none of {len(rows)} is set")
        return warning(
            "; ".join(f"{row.name}={machine.environ[row.name]}" for row in found),
            f"unset {' '.join(row.name for row in found)}",
            "; ".join(
                row.consequence if len(found) == 1 else f"{row.name}: {row.consequence}"
                for row in found
            ),
        )
