"""Install a project's build requirements and dependency groups into an image's environment.

    install_requirements.py PYPROJECT [GROUP...]

CMake and Ninja are added. The certificate of a mirror is used if the build has the secret `ca.crt` and it
is not empty. The variable CUDA_VERSION chooses the release of NVIDIA's distributions that belong to the toolkit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import tomllib

CERTIFICATE = Path("/run/secrets/ca.crt")


def main(pyproject: str, *groups: str) -> int:
    """Install the requirements, and return pip's exit code."""
    document = tomllib.loads(Path(pyproject).read_text(encoding="utf-8"))
    requirements = [*document["build-system"]["requires"], "cmake", "ninja"]
    for group in groups:
        requirements += members(document.get("dependency-groups", {}), group)
    if release := os.environ.get("CUDA_VERSION"):
        toolkit = ("nvcc", "crt", "cccl", "runtime")
        names = [*(f"nvidia-cuda-{name}" for name in toolkit), "nvidia-nvvm"]
        requirements += [f"{name}=={release}.*" for name in names]
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    if CERTIFICATE.exists() and CERTIFICATE.stat().st_size:
        command += ["--cert", str(CERTIFICATE)]
    return subprocess.run([*command, *dict.fromkeys(requirements)], check=False).returncode


def members(groups: dict[str, Any], name: str) -> list[str]:
    """Return the requirements of a dependency group, with those of the groups it includes."""
    found: list[str] = []
    for entry in groups.get(name, []):
        found += [entry] if isinstance(entry, str) else members(groups, entry["include-group"])
    return found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
