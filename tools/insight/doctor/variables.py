"""Check for environment variables that change how the finished package behaves."""

from __future__ import annotations

from .check import Check, Finding, Machine, ok, skipped, warning


class Variables(Check):
    """Look for the variables that the table's `[[variable]]` rows name."""

    id = "variables"
    looks_at = "environment variables that change results or speed, according to the table"
    consequence = "tests and measurements in this shell differ from those in other shells"

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
