"""The virtual environments that setup.py creates in a checkout and runs in, one per version of Python.

A build that is up to date runs this code too, so this module imports next to nothing.
"""

from __future__ import annotations

import os
import sys

FIRST = ".venv"
MARK = "made-by-setup"
UNFINISHED = "being-made-by-setup"
# Without this file, Python does not take the folder for an environment.
SETTINGS = "pyvenv.cfg"


def running_version() -> str:
    """Return the version of the running Python, such as 3.12, or 3.13t for a free-threaded one."""
    free_threaded = "t" if "t" in getattr(sys, "abiflags", "") else ""
    return f"{sys.version_info[0]}.{sys.version_info[1]}{free_threaded}"


def in_virtual_environment() -> bool:
    """Whether the running Python is that of a virtual or conda environment."""
    conda = os.environ.get("CONDA_PREFIX")
    return sys.prefix != sys.base_prefix or bool(
        conda and os.path.realpath(conda) == os.path.realpath(sys.prefix)
    )


def name_interpreter() -> None:
    """Name the interpreter of a virtual environment `python`, however it was called.

    Builds record the name, and one by `python3` or `python3.12` would configure again.
    """
    folder, name = os.path.split(sys.executable)
    plain = os.path.join(folder, "python")
    if sys.prefix == sys.base_prefix or name == "python" or folder != f"{sys.prefix}/bin":
        return
    if os.path.exists(plain) and os.path.samefile(plain, sys.executable):
        sys.executable = plain


def own_environment(root: str) -> str:
    """Return the environment folder for the running version, which may not exist yet.

    `.venv` belongs to the version that was used first; a `.venv` of the user's is left alone.
    """
    first = os.path.join(root, FIRST)
    named = f"{first}-{running_version()}"
    if is_whole(named) or (is_whole(first) and version_of(first) != running_version()):
        return named
    return first


def is_whole(environment: str) -> bool:
    """Whether setup.py finished creating the environment and its Python still exists and runs in it."""
    needed = (os.path.join(environment, name) for name in (MARK, SETTINGS))
    return all(map(os.path.exists, (*needed, python_of(environment))))


def version_of(environment: str) -> str:
    """Return the Python version of a venv environment, as running_version; empty if it cannot be read."""
    version = ""
    try:
        with open(os.path.join(environment, SETTINGS), encoding="utf-8") as file:
            for line in file:
                name, _, value = line.partition("=")
                if name.strip() == "version":
                    version = ".".join(value.strip().split(".")[:2])
    except (OSError, ValueError):
        return ""
    free_threaded = os.path.exists(os.path.join(environment, "lib", f"python{version}t"))
    return f"{version}t" if version and free_threaded else version


def python_of(environment: str) -> str:
    """Return the environment's interpreter."""
    return os.path.join(environment, "bin", "python")


def variables_of(environment: str) -> dict[str, str]:
    """Return the variables to set for a command that runs in the environment."""
    return {"VIRTUAL_ENV": os.environ.get("VIRTUAL_ENV", environment)}


def run_in(environment: str, root: str, arguments: list[str]) -> None:
    """Replace this process with setup.py running in the environment's Python."""
    os.environ.update(variables_of(environment))
    python = python_of(environment)
    os.execv(python, [python, os.path.join(root, "setup.py"), *arguments])
