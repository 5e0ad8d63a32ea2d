"""Probe for a CUDA compiler."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from . import ProbeContext, ProbeResult

USUAL_PLACE = "/usr/local/cuda/bin/nvcc"


def requested(context: ProbeContext, name: str) -> str:
    """Return an option's value, or the environment variable of that name if the option has none."""
    return str(context.values.get(name) or context.environ.get(name, ""))


def nvcc_places(context: ProbeContext, compiler: str, home: str) -> list[str]:
    """Return the places to search for nvcc, in order."""
    named = shlex.split(requested(context, compiler))[:1]
    folder = requested(context, home)
    chosen = [str(Path(folder, "bin", "nvcc"))] if folder else []
    return [*named, *chosen, "nvcc", USUAL_PLACE]


def find_nvcc(context: ProbeContext, compiler: str, home: str) -> str:
    """Return the path of nvcc, or an empty string; `compiler` and `home` are names of options."""
    places = nvcc_places(context, compiler, home)
    return next((found for place in places if (found := context.programs.find(place))), "")


def nvcc_release(context: ProbeContext, nvcc: str) -> str:
    """Return nvcc's release, such as 13.0; empty if it does not report one."""
    match = re.search(r"release (\d+\.\d+)", context.programs.ask([nvcc, "--version"]).out)
    return match[1] if match else ""


def probe(context: ProbeContext, compiler: str, home: str) -> ProbeResult:
    """Look for nvcc and ask for its release."""
    nvcc = find_nvcc(context, compiler, home)
    if not nvcc:
        return ProbeResult(False, "there is no nvcc", tuple(nvcc_places(context, compiler, home)))
    return ProbeResult(True, f"nvcc {nvcc_release(context, nvcc)} ({nvcc})")
