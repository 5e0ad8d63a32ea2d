"""Probes of what is installed on this machine, which the table refers to by name.

A probe is a function `NAME(context, *arguments) -> ProbeResult`, which does not raise if something is
missing. `PROBES` in ../table/config_references.py
has its module.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.base.programs import Programs

from ..table.languages import Language


@dataclass(frozen=True)
class ProbeContext:
    """The inputs of a probe."""

    root: Path
    programs: Programs
    python: str
    values: Mapping[str, object]
    """The values of options that were set so far (compilers, paths)."""
    languages: tuple[Language, ...] = ()
    requested: bool = False
    """Whether the option was turned on, rather than left to the probe."""

    @property
    def environ(self) -> Mapping[str, str]:
        return self.programs.environ

    def language(self, name: str) -> Language | None:
        """Return a language of the table."""
        return next((language for language in self.languages if language.name == name), None)


@dataclass(frozen=True)
class ProbeResult:
    """The result of a probe; `reason` completes "because ...", `looked` lists the searched places."""

    found: bool
    reason: str
    looked: tuple[str, ...] = ()
    applies: bool = True
    """False if there is nothing to probe; `reason` then says what is missing."""
    remedy: str = ""
    """How to fix the problem, if it differs from the table's general remedy."""


def run_probe(name: str, context: ProbeContext, arguments: tuple[str, ...] = ()) -> ProbeResult:
    """Run a probe; a program or file that it cannot use counts as not found."""
    from ..table.config_references import PROBES

    probe = getattr(importlib.import_module(f"{__name__}.{PROBES[name]}"), name)
    try:
        result = probe(context, *arguments)
    except OSError as error:
        return ProbeResult(False, f"{error.strerror}: {error.filename}")
    assert isinstance(result, ProbeResult)
    return result
