"""Probe for a CUDA compiler."""

from __future__ import annotations

import re

from ..table.languages import described_minimum
from . import ProbeContext, ProbeResult
from .build_tool import version_tuple
from .compiler import absent_compiler, find_compiler


def option_value(context: ProbeContext, name: str) -> str:
    """Return an option's value, or the environment variable of that name if the option has none."""
    return str(context.values.get(name) or context.environ.get(name, ""))


def find_nvcc(context: ProbeContext, language: str) -> str:
    """Return the path of nvcc, or an empty string."""
    return "".join(find_compiler(context, context.language(language))[:1])


def nvcc_release(context: ProbeContext, nvcc: str) -> str:
    """Return nvcc's release, such as 13.0; empty if it does not report one."""
    match = re.search(r"release (\d+\.\d+)", context.programs.ask([nvcc, "--version"]).out)
    return match[1] if match else ""


def probe(context: ProbeContext, name: str) -> ProbeResult:
    """Look for nvcc and compare its release with the oldest one that is supported."""
    language = context.language(name)
    assert language is not None
    nvcc = find_nvcc(context, name)
    if not nvcc:
        return absent_compiler(context, language)
    release = nvcc_release(context, nvcc)
    found = f"nvcc {release} ({nvcc})"
    if version_tuple(release) < version_tuple(language.minimum.get("NVIDIA", "")):
        return ProbeResult(False, f"{found} is too old: {described_minimum(language)} is needed")
    return ProbeResult(True, found)
