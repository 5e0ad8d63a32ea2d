"""Is there a CUDA compiler?"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from . import ProbeContext, ProbeResult

USUAL_PLACE = "/usr/local/cuda/bin/nvcc"


def asked_for(context: ProbeContext, name: str) -> str:
    """An option's value; a variable of the same name where the option has none."""
    return str(context.values.get(name) or context.environ.get(name, ""))


def nvcc_places(context: ProbeContext, compiler: str, home: str) -> list[str]:
    """Where nvcc is looked for, in order."""
    named = shlex.split(asked_for(context, compiler))[:1]
    folder = asked_for(context, home)
    chosen = [str(Path(folder, "bin", "nvcc"))] if folder else []
    return [*named, *chosen, "nvcc", USUAL_PLACE]


def find_nvcc(context: ProbeContext, compiler: str, home: str) -> str:
    """`compiler` and `home` name options; empty when there is no nvcc."""
    places = nvcc_places(context, compiler, home)
    return next((found for place in places if (found := context.programs.find(place))), "")


def nvcc_release(context: ProbeContext, nvcc: str) -> str:
    """Such as 13.0; empty when it does not say."""
    match = re.search(r"release (\d+\.\d+)", context.programs.ask([nvcc, "--version"]).out)
    return match[1] if match else ""


def probe(context: ProbeContext, compiler: str, home: str) -> ProbeResult:
    """Looks for nvcc and asks for its release."""
    nvcc = find_nvcc(context, compiler, home)
    if not nvcc:
        return ProbeResult(False, "there is no nvcc", tuple(nvcc_places(context, compiler, home)))
    return ProbeResult(True, f"nvcc {nvcc_release(context, nvcc)} ({nvcc})")
