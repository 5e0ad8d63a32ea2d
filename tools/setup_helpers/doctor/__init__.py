"""What the enabled options need from the machine, checked before any work."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from ..config import Config, Doctor
from ..errors import environment_error
from ..options import Options
from ..predicates import evaluate
from ..probes import ProbeContext, ProbeResult, run_probe


@dataclass(frozen=True)
class Finding:
    """A requirement and what its probe said."""

    check: Doctor
    result: ProbeResult


def examine(config: Config, options: Options, environ: Mapping[str, str]) -> list[Finding]:
    """Runs every check that the options make necessary."""
    values = options.values_and_facts()
    context = ProbeContext(config.root, environ, sys.executable, dict(options))
    return [
        Finding(check, run_probe(check.probe, context, check.arguments))
        for check in config.checks
        if check.when is None or evaluate(check.when, values)
    ]


def require(config: Config, options: Options, environ: Mapping[str, str]) -> None:
    """Raises BuildError (exit code 3) that lists everything missing."""
    missing = [f for f in examine(config, options, environ) if not f.result.found]
    if missing:
        lines = [
            f"{f.check.name}: {f.result.reason}" + (f" ({f.check.hint})" if f.check.hint else "")
            for f in missing
        ]
        raise environment_error(
            "this machine lacks what the build needs",
            cause="\n".join(lines),
            hint="`python setup.py doctor` shows all checks",
        )


def table(findings: list[Finding]) -> str:
    """One line per check."""
    width = max((len(f.check.name) for f in findings), default=0)
    lines = []
    for finding in findings:
        mark = "ok     " if finding.result.found else "MISSING"
        lines.append(f"{mark} {finding.check.name:<{width}}  {finding.result.reason}")
        if not finding.result.found:
            lines += [f"        looked: {place}" for place in finding.result.looked]
            if finding.check.hint:
                lines.append(f"        {finding.check.hint}")
    return "\n".join(lines)
