"""The CUDA toolkit for torch.utils.cpp_extension: where it is, and nvcc's arguments."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch

# Macros that kernels written for PyTorch's headers use.
_LANGUAGE = ("-std=c++20", "--extended-lambda", "--expt-relaxed-constexpr")
_HOST = ("-Xcompiler=-fPIC", "-Xcompiler=-fvisibility=hidden")
_GENERATIONS = {
    "turing": "7.5+PTX",
    "ampere": "8.0 8.6+PTX",
    "ada": "8.9+PTX",
    "hopper": "9.0+PTX",
    "blackwell": "10.0 12.0+PTX",
}


def find_toolkit() -> Path | None:
    """Return the folder of the toolkit: CUDA_HOME, that of nvcc on PATH, or /usr/local/cuda."""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if folder := os.environ.get(name):
            return Path(folder)
    # The program may be a link from /usr/local/bin, which has no headers.
    if nvcc := shutil.which("nvcc"):
        for place in (Path(nvcc), Path(nvcc).resolve()):
            if (place.parents[1] / "include" / "cuda_runtime_api.h").is_file():
                return place.parents[1]
    usual = Path("/usr/local/cuda")
    return usual if usual.is_dir() else None


def toolkit() -> Path:
    """Return the folder of the toolkit.

    Raises:
        RuntimeError: If there is none, or if it has no nvcc.
    """
    folder = find_toolkit()
    if folder is None or not (folder / "bin" / "nvcc").is_file():
        where = f"{folder}/bin has no nvcc" if folder else "nvcc is not on PATH"
        raise RuntimeError(f"no CUDA toolkit: {where}; install one or set CUDA_HOME to its folder")
    return folder


def library_folder(folder: Path) -> Path:
    """Return the toolkit's folder with libcudart."""
    places = (folder / "lib64", folder / "lib", folder / "targets/x86_64-linux/lib")
    return next((place for place in places if place.is_dir()), places[0])


def compile_command(flags: Sequence[str]) -> list[str]:
    """Return the start of an nvcc command, with the arguments that torch's headers need.

    Args:
        flags: The user's arguments. Those for architectures replace torch's own.
    """
    given = {flag.partition("=")[0] for flag in flags}
    host = shlex.split(os.environ.get("CUDAHOSTCXX") or os.environ.get("CXX", ""))
    own = [flag for flag in _LANGUAGE if flag.partition("=")[0] not in given]
    chosen = given & {"-arch", "--gpu-architecture", "-gencode", "--generate-code"}
    return [
        str(toolkit() / "bin" / "nvcc"),
        *own,
        *_HOST,
        *([] if chosen else architecture_arguments()),
        *([f"-ccbin={host[-1]}"] if host else []),
    ]


def architecture_arguments() -> list[str]:
    """Return nvcc's arguments for TORCH_CUDA_ARCH_LIST; without it, for this machine's GPUs.

    Without a GPU, the architectures are those of torch's own kernels.

    Raises:
        ValueError: If the list has a word that is no architecture.
    """
    if listed := os.environ.get("TORCH_CUDA_ARCH_LIST"):
        names = _parse(listed)
    elif torch.cuda.is_available():
        devices = range(torch.cuda.device_count())
        pairs = sorted({torch.cuda.get_device_capability(index) for index in devices})
        names = [f"sm_{major}{minor}" for major, minor in pairs]
    else:
        names = (torch._C._cuda_getArchFlags() or "").split()
    arguments = []
    for name in names:
        number = name.partition("_")[2]
        arguments.append(f"--generate-code=arch=compute_{number},code=[{name}]")
    return arguments


def _parse(text: str) -> list[str]:
    found: dict[str, None] = {}
    words = [w for part in re.split(r"[;,\s]+", text) if (w := part.strip())]
    for word in words:
        for version in _GENERATIONS.get(word.casefold(), word).split():
            match = re.fullmatch(r"(\d+)\.(\d[af]?)(\+PTX)?", version)
            if match is None:
                known = ", ".join(name.capitalize() for name in _GENERATIONS)
                raise ValueError(
                    f"TORCH_CUDA_ARCH_LIST: {word} is no architecture; use versions such as"
                    f" 8.0;9.0+PTX, or {known}"
                )
            found[f"sm_{match[1]}{match[2]}"] = None
            if match[3]:
                found[f"compute_{match[1]}{match[2]}"] = None
    return list(found)
