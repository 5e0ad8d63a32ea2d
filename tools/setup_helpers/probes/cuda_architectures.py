"""Probe whether nvcc supports the requested architectures, or those of this machine's GPUs."""

from __future__ import annotations

import re

from . import ProbeContext, ProbeResult
from .cuda_toolkit import find_nvcc, nvcc_release, option_value


def probe(context: ProbeContext, language: str, architectures: str) -> ProbeResult:
    """Ask nvcc for its list; words of the request that are not numbers are not checked."""
    nvcc = find_nvcc(context, language)
    if not nvcc:
        return ProbeResult(True, "there is no nvcc", applies=False)
    wanted = re.findall(r"\d+\.\d", option_value(context, architectures))
    source = architectures
    if not wanted:
        wanted, source = _machine_architectures(context), "the GPU of this machine"
    if not wanted:
        return ProbeResult(True, f"{architectures} is empty and there is no GPU", applies=False)
    known = _known(context, nvcc)
    unknown = [x for x in wanted if x not in known]
    release = f"nvcc {nvcc_release(context, nvcc)}"
    if unknown:
        newest = max(known, key=lambda x: tuple(map(int, x.split("."))), default="none")
        return ProbeResult(
            False,
            f"{release} does not support {', '.join(unknown)} ({source}); its newest is {newest}",
        )
    return ProbeResult(True, f"{release} supports {', '.join(wanted)} ({source})")


def _known(context: ProbeContext, nvcc: str) -> list[str]:
    answer = context.programs.ask([nvcc, "--list-gpu-arch"])
    return [f"{x[:-1]}.{x[-1]}" for x in re.findall(r"compute_(\d+)", answer.out)]


def _machine_architectures(context: ProbeContext) -> list[str]:
    program = context.programs.find("nvidia-smi")
    if not program:
        return []
    answer = context.programs.ask([program, "--query-gpu=compute_cap", "--format=csv,noheader"])
    return list(dict.fromkeys(re.findall(r"^\d+\.\d+$", answer.out, re.MULTILINE)))
