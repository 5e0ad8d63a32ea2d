"""Probes of CUDA: the toolkit, and whether the host compiler, the GPUs and the driver match it."""

from __future__ import annotations

import ctypes
import re
import shlex
import tempfile
from pathlib import Path

from ..table.languages import described_minimum
from . import ProbeContext, ProbeResult
from .build_tool import version_tuple
from .compilers import absent_compiler, complaint, find_compiler

_CACHES = ("ccache", "sccache")


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


def cuda_toolkit(context: ProbeContext, name: str) -> ProbeResult:
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


def cuda_host_compiler(context: ProbeContext, language: str, host: str) -> ProbeResult:
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


def cuda_architectures(context: ProbeContext, language: str, architectures: str) -> ProbeResult:
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


def cuda_driver(context: ProbeContext, language: str) -> ProbeResult:
    """Compare major versions; a driver supports all toolkits of its major version."""
    nvcc = find_nvcc(context, language)
    if not nvcc:
        return ProbeResult(True, "there is no nvcc", applies=False)
    driver = driver_release()
    if not driver:
        return ProbeResult(True, "there is no driver (libcuda.so.1)", applies=False)
    toolkit = nvcc_release(context, nvcc)
    reason = f"the driver supports CUDA {driver}, the toolkit is {toolkit}"
    return ProbeResult(version_tuple(driver)[:1] >= version_tuple(toolkit)[:1], reason)


def driver_release() -> str:
    """Return the newest CUDA version that the driver supports; empty without a driver."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
        version = ctypes.c_int()
        if library.cuDriverGetVersion(ctypes.byref(version)):
            return ""
    except (OSError, AttributeError):
        return ""
    return f"{version.value // 1000}.{version.value % 1000 // 10}"
