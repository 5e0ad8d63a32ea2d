"""What data cannot say: is it on this machine? One module per question, named by the table.

A probe module defines `probe(context, *arguments) -> ProbeResult` and never raises for an absent thing.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..programs import Programs


@dataclass(frozen=True)
class ProbeContext:
    """What a probe may look at."""

    root: Path
    programs: Programs
    python: str
    values: Mapping[str, object]
    """Options as asked for so far (compilers, paths)."""

    @property
    def environ(self) -> Mapping[str, str]:
        return self.programs.environ


@dataclass(frozen=True)
class ProbeResult:
    """`reason` completes "because ..."; `looked` lists places for the reader."""

    found: bool
    reason: str
    looked: tuple[str, ...] = ()
    applies: bool = True
    """False where there is nothing to ask about: `reason` says what is absent."""
    remedy: str = ""
    """What mends it, where that is not what the table says of everything that is not found."""


def run_probe(name: str, context: ProbeContext, arguments: tuple[str, ...] = ()) -> ProbeResult:
    """Runs probes/<name>.py. What it cannot start or read is not there."""
    module = importlib.import_module(f"{__name__}.{name}")
    try:
        result = module.probe(context, *arguments)
    except OSError as error:
        return ProbeResult(False, f"{error.strerror}: {error.filename}")
    assert isinstance(result, ProbeResult)
    return result
