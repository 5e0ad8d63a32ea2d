"""Questions about the compiler and the build tools of extensions."""

from __future__ import annotations

import re
import shutil
import subprocess

from torch.torch_version import TorchVersion

_OLDEST = {"clang": (10, 0, 0), "gcc": (11, 0, 0)}  # the first that compile C++20 well enough


def is_ninja_available() -> bool:
    """Return whether Ninja is on PATH; extensions are built without it.

    Example:
        >>> from torch.utils.cpp_extension import is_ninja_available
        >>> isinstance(is_ninja_available(), bool)
        True
    """
    return shutil.which("ninja") is not None


def verify_ninja_availability() -> None:
    """Raise an error unless Ninja is on PATH; extensions are built without it.

    Raises:
        RuntimeError: If it is not.

    Example:
        >>> from torch.utils.cpp_extension import verify_ninja_availability
        >>> verify_ninja_availability()  # doctest: +SKIP
    """
    if not is_ninja_available():
        raise RuntimeError("Ninja is not on PATH; `pip install ninja` installs it")


def _identity(command: str) -> tuple[str, tuple[int, ...]]:
    """Return the kind and the version of a compiler; the kind is "" if it is not known."""
    try:
        result = subprocess.run([command, "-v"], capture_output=True, text=True, check=False)
    except OSError:
        return "", ()
    found = re.search(r"(gcc|clang) version (\d+)\.(\d+)\.(\d+)", result.stdout + result.stderr)
    return (found[1], tuple(map(int, found.groups()[1:]))) if found else ("", ())


def check_compiler_ok_for_platform(compiler: str) -> bool:
    """Return whether a command is a C++ compiler whose libraries fit those of torch.

    Args:
        compiler: The command, such as "c++".

    Example:
        >>> from torch.utils.cpp_extension import check_compiler_ok_for_platform
        >>> check_compiler_ok_for_platform("true")
        False
    """
    return _identity(compiler)[0] != ""


def get_compiler_abi_compatibility_and_version(compiler: str) -> tuple[bool, TorchVersion]:
    """Return whether a compiler fits torch's libraries and is recent enough, and its version.

    Args:
        compiler: The command, such as "c++".

    Example:
        >>> from torch.utils.cpp_extension import get_compiler_abi_compatibility_and_version
        >>> get_compiler_abi_compatibility_and_version("true")
        (False, '0.0.0')
    """
    kind, version = _identity(compiler)
    if not kind:
        return False, TorchVersion("0.0.0")
    return version >= _OLDEST[kind], TorchVersion(".".join(map(str, version)))
