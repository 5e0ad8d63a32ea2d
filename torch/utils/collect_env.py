"""Describe the machine and this build, for reports of problems: python -m torch.utils.collect_env."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from importlib import metadata
from typing import NamedTuple

import torch

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main"]

# Distributions whose versions matter in a report.
_DISTRIBUTIONS = re.compile(r"numpy|mypy|flake8|optree|onnx|mkl|magma|triton|nvidia-|torch", re.I)


class SystemEnv(NamedTuple):
    """Facts about the machine and the build.

    Example:
        >>> from torch.utils.collect_env import SystemEnv
        >>> "torch_version" in SystemEnv._fields
        True
    """

    torch_version: str
    is_debug_build: bool
    cuda_compiled_version: str
    gcc_version: str
    clang_version: str
    cmake_version: str
    os: str
    libc_version: str
    python_version: str
    python_platform: str
    is_cuda_available: bool
    cuda_runtime_version: str
    nvidia_gpu_models: str
    cpu_info: str
    pip_packages: list[str]
    build: str


def _version(program: str, *arguments: str) -> str:
    """Return the version that a program prints in its first line."""
    found = shutil.which(program)
    if found is None:
        return "Could not collect"
    command = [found, *(arguments or ("--version",))]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = result.stdout.strip().splitlines()
    match = re.search(r"\d+(\.\d+)+\S*", lines[-1 if program == "nvcc" else 0]) if lines else None
    return match[0] if match else "Could not collect"


def _operating_system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name} ({platform.machine()})"


def _processor() -> str:
    fields = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                name, _, value = line.partition(":")
                fields.setdefault(name.strip(), value.strip())
    except OSError:
        pass
    name = fields.get("model name") or platform.processor() or "unknown"
    return f"{name}, {len(os.sched_getaffinity(0))} processors usable of {os.cpu_count()}"


def get_env_info() -> SystemEnv:
    """Return facts about the machine and the build.

    Example:
        >>> from torch.utils.collect_env import get_env_info
        >>> get_env_info().torch_version == torch.__version__
        True
    """
    has_cuda = torch.cuda.is_available()
    devices = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    packages = {f"{d.name}=={d.version}" for d in metadata.distributions()}
    return SystemEnv(
        torch_version=str(torch.__version__),
        is_debug_build=torch.version.debug,
        cuda_compiled_version=torch.version.cuda or "None",
        gcc_version=_version("gcc"),
        clang_version=_version("clang"),
        cmake_version=_version("cmake"),
        os=_operating_system(),
        libc_version="-".join(platform.libc_ver()),
        python_version=f"{sys.version.split()[0]} ({platform.architecture()[0]} runtime)",
        python_platform=platform.platform(),
        is_cuda_available=has_cuda,
        cuda_runtime_version=_version("nvcc"),
        nvidia_gpu_models="\n".join(devices) if has_cuda else "No CUDA",
        cpu_info=_processor(),
        pip_packages=sorted(each for each in packages if _DISTRIBUTIONS.match(each)),
        build=torch.__config__.show().strip(),
    )


def get_pretty_env_info() -> str:
    """Return the report as text.

    Example:
        >>> from torch.utils.collect_env import get_pretty_env_info
        >>> get_pretty_env_info().startswith("PyTorch version: ")
        True
    """
    info = get_env_info()
    rows = [
        ("PyTorch version", info.torch_version),
        ("Is debug build", info.is_debug_build),
        ("CUDA used to build PyTorch", info.cuda_compiled_version),
        ("", ""),
        ("OS", info.os),
        ("GCC version", info.gcc_version),
        ("Clang version", info.clang_version),
        ("CMake version", info.cmake_version),
        ("Libc version", info.libc_version),
        ("", ""),
        ("Python version", info.python_version),
        ("Python platform", info.python_platform),
        ("Is CUDA available", info.is_cuda_available),
        ("CUDA runtime version", info.cuda_runtime_version),
        ("GPU models and configuration", info.nvidia_gpu_models),
        ("", ""),
        ("CPU", info.cpu_info),
    ]
    lines = [f"{name}: {value}" if name else "" for name, value in rows]
    packages = [f"[pip3] {each}" for each in info.pip_packages]
    return "\n".join(
        [*lines, "", "Versions of relevant libraries:", *packages, "", "Build:", info.build]
    )


def main() -> None:
    """Print the report.

    Example:
        >>> from torch.utils.collect_env import main
        >>> main()
        Collecting environment information...
        PyTorch version: ...
    """
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
