"""Probe for a Python package of the running Python."""

from __future__ import annotations

import importlib.util

from tools.base.distributions import installed_version

from . import ProbeContext, ProbeResult


def probe(context: ProbeContext, module: str, distribution: str) -> ProbeResult:
    """Find the module without importing it."""
    if importlib.util.find_spec(module) is None:
        return ProbeResult(False, f"{distribution} is not installed for {context.python}")
    return ProbeResult(True, f"{distribution} {installed_version(distribution)}")
