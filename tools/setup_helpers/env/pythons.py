"""The Pythons that wheels are made for: the running one, and others that only lend their headers.

Nothing is installed into the others: their extension modules are compiled and packed by the running one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tools.base.errors import BuildError, environment_error, usage_error

from ..table.config import Config
from .options import Options

_VERSION = re.compile(r"3\.\d+t?")
# Printed by the other interpreter, which may be of any version.
_QUESTION = """
import json, platform, sys, sysconfig
print(json.dumps([
    platform.python_implementation(), "%d.%d" % sys.version_info[:2],
    str(sysconfig.get_config_var("SOABI")), sysconfig.get_path("include"),
]))
"""


@dataclass(frozen=True)
class TargetPython:
    """The facts about an interpreter that compiling and packing for it need."""

    executable: str
    version: str
    """Major and minor version, such as 3.12."""
    soabi: str
    """The tag in the names of its extension modules, such as cpython-312-x86_64-linux-gnu."""
    include: str
    """The folder of Python.h."""

    @property
    def abi(self) -> str:
        """Its ABI in the names of wheels, such as cp312, or cp313t for a free-threaded one."""
        return f"cp{self.soabi.split('-')[1]}"

    @property
    def tag(self) -> str:
        """The first two parts of a wheel's tag, such as cp312-cp312."""
        return f"cp{self.version.replace('.', '')}-{self.abi}"


def running_python() -> TargetPython:
    """Return the facts about the interpreter that runs the build."""
    return TargetPython(
        sys.executable,
        f"{sys.version_info[0]}.{sys.version_info[1]}",
        str(sysconfig.get_config_var("SOABI")),
        sysconfig.get_path("include"),
    )


def further_pythons(
    config: Config, options: Options, environ: Mapping[str, str]
) -> list[TargetPython]:
    """Return the requested Pythons except the running one, in the order of the request.

    Raises:
        BuildError: If one of them is not found, is too old, or has no headers.
    """
    words = re.split(r"[\s,]+", options.role("pythons").strip())
    found = [_find(word, config, environ) for word in words if word]
    known = {running_python().soabi}
    return [x for x in found if x.soabi not in known and not known.add(x.soabi)]  # type: ignore[func-returns-value]


def _find(word: str, config: Config, environ: Mapping[str, str]) -> TargetPython:
    option = config.option_for("pythons")
    name = option.name if option else "--pythons"
    if "/" not in word and not _VERSION.fullmatch(word):
        raise usage_error(
            f"{name}: {word!r} is neither a version of Python nor the path of one",
            hint=f"such as {name}=3.12,3.13 or {name}=/opt/python/bin/python3",
        )
    running = running_python()
    if word == running.version and "t" not in running.abi:
        return running
    candidates = [word] if "/" in word else list(_candidates(word, environ))
    wanted = "" if "/" in word else word
    found = next(filter(None, (_ask(path, wanted) for path in candidates)), None)
    if found is None:
        raise _missing(word, candidates, name)
    minimum = config.python_minimum
    if _number(found.version) < _number(minimum):
        raise usage_error(
            f"{name}: {found.executable} is Python {found.version}; {minimum} is needed"
        )
    if not Path(found.include, "Python.h").is_file():
        raise environment_error(
            f"{name}: Python {found.version} has no headers",
            cause=f"{found.include}/Python.h does not exist",
            hint=f"install them (Debian: apt-get install python{found.version}-dev)",
        )
    return found


def _candidates(version: str, environ: Mapping[str, str]) -> Iterator[str]:
    """Yield where an interpreter of a version may be: PATH, manylinux images, pyenv and uv."""
    name = f"python{version}"
    if found := shutil.which(name, path=environ.get("PATH")):
        yield found  # may be a shim of pyenv, which runs only the selected version
    digits = version.replace(".", "")
    home = Path(environ.get("HOME", "/"))
    data = Path(environ.get("XDG_DATA_HOME", home / ".local/share"))
    patterns = (
        (Path("/opt/python"), f"cp{digits.rstrip('t')}-cp{digits}/bin/python"),
        (Path(environ.get("PYENV_ROOT", home / ".pyenv"), "versions"), f"{version.rstrip('t')}.*/bin/{name}"),
        (Path(environ.get("UV_PYTHON_INSTALL_DIR", data / "uv/python")), f"cpython-*/bin/{name}"),
    )  # fmt: skip
    for folder, pattern in patterns:
        yield from (str(path) for path in sorted(folder.glob(pattern), reverse=True))


@lru_cache
def _ask(executable: str, wanted: str) -> TargetPython | None:
    """Return the facts about an interpreter; None if it does not run, or is of another version."""
    command = [executable, "-I", "-c", _QUESTION]
    try:
        answer = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
        implementation, version, soabi, include = json.loads(answer.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    python = TargetPython(os.path.abspath(executable), version, soabi, include)
    if implementation != "CPython" or (wanted and python.abi != f"cp{wanted.replace('.', '')}"):
        return None
    return python


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _missing(word: str, candidates: list[str], name: str) -> BuildError:
    if "/" in word:
        return environment_error(f"{name}: {word} is not a CPython that runs")
    return environment_error(
        f"{name}: Python {word} was not found",
        cause="\n".join(f"{path} does not run as {word}" for path in candidates),
        hint=f"install it (with pyenv, uv or the system's packages), or give the path: {name}=/path/to/python{word}",
    )
