"""Does the CUDA compiler accept the C++ compiler that it would call?"""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from pathlib import Path

from . import ProbeContext, ProbeResult
from .compiler import find_compiler
from .cuda_toolkit import find_nvcc, nvcc_release


def probe(context: ProbeContext, compiler: str, home: str, host: str) -> ProbeResult:
    """Preprocesses an empty file: the toolkit's own headers refuse what they do not support."""
    nvcc = find_nvcc(context, compiler, home)
    command = find_compiler(context, host, "c++,g++,clang++")
    if not nvcc or not command:
        absent = "nvcc" if not nvcc else "C++ compiler"
        return ProbeResult(True, f"there is no {absent}", applies=False)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.cu")
        source.touch()
        result = subprocess.run(
            [nvcc, "-ccbin", command[0], "-E", str(source), "-o", str(source.with_suffix(".ii"))],
            capture_output=True,
            text=True,
            check=False,
        )
    pair = f"nvcc {nvcc_release(nvcc)} with {shlex.join(command)}"
    if result.returncode:
        said = re.search(r"#error -- (.*)", result.stderr)
        reason = said[1] if said else (result.stderr.strip().splitlines() or ["it fails"])[0]
        return ProbeResult(False, f"{pair}: {reason}")
    return ProbeResult(True, pair)
