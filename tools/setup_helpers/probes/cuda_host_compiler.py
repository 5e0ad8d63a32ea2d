"""Probe whether nvcc supports the C++ compiler as its host compiler."""

from __future__ import annotations

import re
import shlex
import tempfile
from pathlib import Path

from . import ProbeContext, ProbeResult
from .compiler import complaint, find_compiler
from .cuda_toolkit import find_nvcc, nvcc_release

_CACHES = ("ccache", "sccache")


def probe(context: ProbeContext, language: str, host: str) -> ProbeResult:
    """Preprocess an empty file; the toolkit's own headers reject unsupported compilers."""
    nvcc = find_nvcc(context, language)
    command = find_compiler(context, context.language(host))
    if not nvcc or not command:
        absent = "nvcc" if not nvcc else "C++ compiler"
        return ProbeResult(True, f"there is no {absent}", applies=False)
    # nvcc accepts a single program, so a compiler cache has to be removed.
    host_compiler = next((w for w in command if Path(w).name not in _CACHES), command[0])
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.cu")
        source.touch()
        preprocessed = str(source.with_suffix(".ii"))
        answer = context.programs.ask(
            [nvcc, "-ccbin", host_compiler, "-E", str(source), "-o", preprocessed]
        )
    pair = f"nvcc {nvcc_release(context, nvcc)} with {shlex.join(command)}"
    if answer.code:
        if error := re.search(r"#error -- (.*)", answer.err):
            return ProbeResult(False, f"{pair}: {error[1]}")
        reason = f"{pair} cannot be tested: {complaint(answer)}"
        return ProbeResult(True, reason, applies=False)
    return ProbeResult(True, pair)
