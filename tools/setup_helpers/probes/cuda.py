"""Probes of CUDA: the toolkit, its libraries, and whether host compiler, GPUs and driver match it."""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tools.base.programs import Programs

from ..table.architectures import versions_of
from ..table.languages import described_minimum
from . import ProbeContext, ProbeResult
from .build_tool import version_tuple
from .compilers import absent_compiler, complaint, find_compiler
from .python import find_file

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


def cuda(context: ProbeContext, name: str) -> ProbeResult:
    """Look for nvcc, and unless CUDA was requested, for something to compile for: a driver or a list."""
    result = cuda_toolkit(context, name)
    language = context.language(name)
    if not result.found or context.requested or language is None:
        return result
    if wanted := option_value(context, language.architectures):
        return replace(result, reason=f"{result.reason}, for {wanted}")
    if driver := driver_release():
        return replace(result, reason=f"{result.reason}; the driver supports CUDA {driver}")
    reason = f"{result.reason}, but there is no driver, and {language.architectures} is empty"
    return ProbeResult(False, reason, ("libcuda.so.1",))


def cuda_library(
    context: ProbeContext, language: str, header: str, library: str, distribution: str
) -> ProbeResult:
    """Look for a header and a shared library in the toolkit, in the system, and in NVIDIA's wheel."""
    places = toolkit_folders(context, language)
    if found := find_library(header, library, distribution, places):
        return ProbeResult(True, f"{found[1]} and {found[0]}")
    looked = (*map(str, places), f"{distribution} of {context.python}")
    needed = f"{header} and lib{library}.so are not installed"
    return ProbeResult(False, needed, looked, remedy=f"pip install {distribution}")


def toolkit_folders(context: ProbeContext, language: str) -> list[Path]:
    """Return the folders that may have `include` and `lib64` or `lib`: the toolkit's, then the system's."""
    row, nvcc = context.language(language), find_nvcc(context, language)
    home = option_value(context, row.home) if row and row.home else ""
    toolkit = [Path(home)] if home else []
    if nvcc:  # it may be a link or a script, so ask it where the toolkit is
        answer = context.programs.ask([nvcc, "--dryrun", "-x", "cu", "-c", os.devnull])
        top = re.search(r"^#\$ TOP=(.+)$", answer.out + answer.err, re.MULTILINE)
        toolkit.append(Path(os.path.realpath(top[1])) if top else Path(nvcc).parents[1])
    return list(dict.fromkeys([*toolkit, Path("/usr/local"), Path("/usr")]))


def find_library(
    header: str, library: str, distribution: str, places: Sequence[Path]
) -> tuple[Path, Path] | None:
    """Return the header and the library, from one place; None if no place has both."""
    arch = sysconfig.get_config_var("MULTIARCH") or ""
    for place in places:
        headers = (place / "include" / header, place / "include" / arch / header)
        libraries = (place / folder for folder in ("lib64", "lib", f"lib/{arch}"))
        found = next((h for h in headers if h.is_file()), None)
        files = (file for folder in libraries for file in sorted(folder.glob(f"lib{library}.so*")))
        if found and (file := next(files, None)):
            return found, file
    paths = find_file(distribution, header), find_file(distribution, f"lib{library}.so*")
    return (paths[0], paths[1]) if paths[0] and paths[1] else None


def cuda_host_compiler(context: ProbeContext, language: str, host: str) -> ProbeResult:
    """Preprocess an empty file; the toolkit's own headers reject unsupported compilers."""
    nvcc = find_nvcc(context, language)
    command = _host_command(context, language, host)
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


def _host_command(context: ProbeContext, language: str, host: str) -> list[str]:
    """Return the command of the compiler that nvcc runs: that of its own option, or the host language's."""
    row = context.language(language)
    own = option_value(context, row.host_compiler) if row and row.host_compiler else ""
    return shlex.split(own) or find_compiler(context, context.language(host))


def cuda_architectures(context: ProbeContext, language: str, architectures: str) -> ProbeResult:
    """Ask nvcc for its list; words of the request that are not numbers are not checked."""
    nvcc = find_nvcc(context, language)
    if not nvcc:
        return ProbeResult(True, "there is no nvcc", applies=False)
    wanted, source = versions_of(option_value(context, architectures)), architectures
    if not wanted:
        wanted, source = machine_architectures(context.programs), "the GPU of this machine"
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


def machine_architectures(programs: Programs) -> list[str]:
    """Return the versions of this machine's GPUs; none without a driver."""
    program = programs.find("nvidia-smi")
    if not program:
        return []
    answer = programs.ask([program, "--query-gpu=compute_cap", "--format=csv,noheader"])
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
