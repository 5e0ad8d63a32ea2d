"""Compile and link extensions at run time, for torch.utils.cpp_extension.load.

A folder holds the objects and the library of one extension. Beside each object is a record of the
command and of the files that it was made from, so that unchanged files are not compiled again.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from torch.utils import _cuda_toolkit

COMMON_FLAGS = ("-std=c++20", "-fPIC", "-fvisibility=hidden")


@dataclass(frozen=True)
class Extension:
    """An extension to build, and its sources.

    Attributes:
        name: The name of the library, and of the Python module if it is one.
        sources: The C++ and CUDA files.
        folder: The folder for objects and the library.
        includes: The folders with headers.
        library_folders: The folders with libraries.
        libraries: The libraries to link.
        cflags: Arguments of the C++ compiler.
        cuda_flags: Arguments of nvcc; None if no file is for it.
        ldflags: Arguments of the linker.
        is_program: Whether to link a program instead of a library.
    """

    name: str
    sources: tuple[Path, ...]
    folder: Path
    includes: tuple[str, ...]
    library_folders: tuple[str, ...]
    libraries: tuple[str, ...]
    cflags: tuple[str, ...] = ()
    cuda_flags: tuple[str, ...] | None = None
    ldflags: tuple[str, ...] = ()
    is_program: bool = False

    def build(self, verbose: bool = False) -> Path:
        """Compile what changed, link it and return the library or the program.

        Raises:
            RuntimeError: If there is no compiler, or a command fails; the message has its output.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder):
            objects = _compile_all(self.sources, self.folder, self._compile_commands(), verbose)
            return self._link(objects, verbose)

    def _compile_commands(self) -> dict[str, list[str]]:
        """Return the command for the files of each suffix; the one for "" is the default."""
        folders = [*self.includes, sysconfig.get_path("include")]
        common = [f"-DTORCH_EXTENSION_NAME={self.name}", *(f"-I{folder}" for folder in folders)]
        defaults = without_overridden((*COMMON_FLAGS, "-O2"), self.cflags)
        commands = {"": [*compiler(), *defaults, *common, *self.cflags]}
        if self.cuda_flags is not None:
            nvcc = _cuda_toolkit.compile_command(list(self.cuda_flags))
            commands[".cu"] = [*nvcc, "-O2", *common, *self.cuda_flags]
        return commands

    def _link(self, objects: list[Path], verbose: bool) -> Path:
        """Link. A library's name contains a hash, as a loaded library must not be replaced."""
        digest = hashlib.sha256(repr(self.ldflags).encode())
        for path in objects:
            digest.update(path.read_bytes())
        number = digest.hexdigest()[:12]
        suffix = ".linked" if self.is_program else ".so"
        linked = self.folder / f"{self.name}-{number}{suffix}"  # for a program an empty file
        target = self.folder / self.name if self.is_program else linked
        if target.is_file() and linked.is_file():
            return target
        for old in self.folder.glob(f"{self.name}-????????????{suffix}"):
            old.unlink()
        partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
        command = [
            *compiler(),
            *([] if self.is_program else ["-shared"]),
            *map(str, objects),
            *(f"-L{path}" for path in self.library_folders),
            *(f"-Wl,-rpath,{path}" for path in self.library_folders),
            *(f"-l{library}" for library in self.libraries),
            *self.ldflags,
            *("-o", str(partial)),
        ]
        _run(command, verbose)
        os.replace(partial, target)
        if self.is_program:
            linked.touch()
        return target


def without_overridden(defaults: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Return the defaults that the user's arguments do not override."""
    overridden = {argument.partition("=")[0] for argument in arguments}
    return [flag for flag in defaults if flag.partition("=")[0] not in overridden]


def split_arguments(arguments: Sequence[str] | None) -> tuple[str, ...]:
    """Return arguments as a shell would pass them: one string may hold several."""
    return tuple(part for argument in arguments or () for part in shlex.split(argument))


def pybind11_folders() -> list[str]:
    """Return the folder with the headers of the package pybind11, if it is installed."""
    spec = importlib.util.find_spec("pybind11")
    return (
        [] if spec is None or spec.origin is None else [str(Path(spec.origin).parent / "include")]
    )


def require_pybind11(sources: Sequence[Path], arguments: Sequence[str]) -> None:
    """Raise an error if a source uses pybind11, which is not installed.

    Args:
        sources: The files.
        arguments: The folders and arguments of the compiler; an extension with any may bring pybind11.

    Raises:
        RuntimeError: If the headers are missing.
    """
    if arguments or pybind11_folders():
        return
    for source in sources:
        if source.is_file() and "PYBIND11_MODULE" in source.read_text(errors="replace"):
            raise RuntimeError(
                f"{source} defines a module of pybind11, which is not installed; "
                "`pip install pybind11`, or use TORCH_PYTHON_MODULE of torch/python.h"
            )


def default_root() -> Path:
    """Return the folder in the user's cache that has a folder for each extension."""
    return Path.home() / ".cache" / "torch_extensions"


def default_folder(name: str) -> Path:
    """Return the folder of an extension for this version of Python."""
    given = os.environ.get("TORCH_EXTENSIONS_DIR")
    root = Path(given) if given else default_root()
    return root / f"py{sys.version_info[0]}{sys.version_info[1]}_cpu" / name


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a lock, so that processes that load the same extension build it only once."""
    with open(folder / "lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def compiler() -> list[str]:
    """Return the command of the C++ compiler: CXX, or c++ on PATH."""
    command = shlex.split(os.environ.get("CXX", "")) or ["c++"]
    if shutil.which(command[0]) is None:
        raise RuntimeError(
            f"no C++ compiler: {command[0]} is not on PATH; install one or set CXX to its path"
        )
    return command


def _compile_all(
    files: Sequence[Path], folder: Path, commands: dict[str, list[str]], verbose: bool
) -> list[Path]:
    """Compile all files, each by the command for its suffix."""
    jobs = int(os.environ.get("MAX_JOBS") or len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(max_workers=max(jobs, 1)) as pool:
        return list(
            pool.map(
                lambda file: _compile(
                    file, folder, commands.get(file.suffix, commands[""]), verbose
                ),
                files,
            )
        )


def _compile(source: Path, folder: Path, command: list[str], verbose: bool) -> Path:
    """Compile one file, unless neither the command nor any file that it reads has changed."""
    key = hashlib.sha256(str(source).encode()).hexdigest()[:12]
    target = folder / f"{source.stem}-{key}.o"
    record = target.with_suffix(".json")
    if target.is_file() and _is_current(record, command):
        return target
    dependencies = target.with_suffix(".d")
    _run(
        [*command, "-MMD", "-MF", str(dependencies), "-c", str(source), "-o", str(target)], verbose
    )
    text = dependencies.read_text(encoding="utf-8").replace("\\\n", " ").partition(":")[2]
    states = {path: _file_state(path) for path in shlex.split(text)}
    record.write_text(json.dumps({"command": command, "files": states}), encoding="utf-8")
    return target


def _is_current(record: Path, command: list[str]) -> bool:
    try:
        known = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    same_files = all(_file_state(path) == state for path, state in known["files"].items())
    return bool(known["command"] == command and same_files)


def _file_state(path: str) -> list[int]:
    try:
        info = Path(path).stat()
    except OSError:
        return []
    return [info.st_size, info.st_mtime_ns]


def _run(command: list[str], verbose: bool) -> None:
    if verbose:
        print(shlex.join(command), flush=True)
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)}\n{result.stderr.rstrip()}")
