"""Build C++ and CUDA extensions, with setuptools (BuildExtension) or at run time (load).

An extension either registers operators with TORCH_LIBRARY, without any Python code, or is a Python
module and defines PyInit_NAME itself.
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
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import setuptools
from setuptools.command.build_ext import build_ext

import torch
from torch.utils import _cuda_toolkit

__all__ = [
    "CUDA_HOME",
    "BuildExtension",
    "CUDAExtension",
    "CppExtension",
    "include_paths",
    "library_paths",
    "load",
]

_PACKAGE = Path(torch.__file__).resolve().parent
COMMON_FLAGS = ("-std=c++20", "-fPIC", "-fvisibility=hidden")
_toolkit = _cuda_toolkit.find_toolkit()
CUDA_HOME = str(_toolkit) if _toolkit else None


def include_paths(device_type: str = "cpu") -> list[str]:
    """Return the folders with torch's headers, for the compiler's -I.

    Args:
        device_type: "cpu", or "cuda" to add those of the CUDA toolkit.

    Raises:
        ValueError: For a device type that this build does not support.
        RuntimeError: If there is no CUDA toolkit.

    Example:
        >>> from torch.utils.cpp_extension import include_paths
        >>> include_paths()
        ['.../torch/include', '.../torch/include/torch/csrc/api/include']
    """
    folders = _folders_of_device(device_type)
    root = _PACKAGE / "include"
    return [str(root), str(root / "torch" / "csrc" / "api" / "include"), *folders[:1]]


def library_paths(device_type: str = "cpu") -> list[str]:
    """Return the folders with torch's libraries, for the linker's -L.

    Args:
        device_type: "cpu", or "cuda" to add those of the CUDA toolkit.

    Raises:
        ValueError: For a device type that this build does not support.
        RuntimeError: If there is no CUDA toolkit.

    Example:
        >>> from torch.utils.cpp_extension import library_paths
        >>> library_paths()
        ['.../torch/lib']
    """
    return [str(_PACKAGE / "lib"), *_folders_of_device(device_type)[1:]]


def _folders_of_device(device_type: str) -> list[str]:
    """Return the toolkit's folders with headers and libraries for CUDA; none for the CPU."""
    if device_type == "cpu":
        return []
    if device_type != "cuda" or not _has_nvcc_kernels():
        which = "the CPU and CUDA" if _has_nvcc_kernels() else "only the CPU"
        raise ValueError(f"this build of torch supports {which}, not {device_type!r}")
    folder = _cuda_toolkit.toolkit()
    return [str(folder / "include"), str(_cuda_toolkit.library_folder(folder))]


def _has_nvcc_kernels() -> bool:
    """Return whether nvcc compiled this torch, and not a C++ compiler for the emulated device."""
    flags = getattr(torch._C, "_cuda_getArchFlags", None)
    return flags is not None and flags() is not None


def _libraries(device_type: str = "cpu") -> list[str]:
    """Return the libraries for -l; the name of libtorch_python includes the Python ABI."""
    cuda = ["c10_cuda", "torch_cuda", "cudart"] if device_type == "cuda" else []
    return ["c10", "torch_cpu", "torch", f"torch_python.{sysconfig.get_config_var('SOABI')}", *cuda]


def CppExtension(
    name: str, sources: Sequence[str], *args: Any, **kwargs: Any
) -> setuptools.Extension:
    """Create a setuptools.Extension with torch's headers and libraries, for BuildExtension.

    Args:
        name: The full name of the module.
        sources: The C++ files.
        *args: Passed to setuptools.Extension.
        **kwargs: Passed to setuptools.Extension; torch's folders and libraries come last.

    Example:
        >>> from torch.utils.cpp_extension import CppExtension
        >>> extension = CppExtension("my_ops", ["my_ops.cpp"])
        >>> extension.language, extension.libraries[0]
        ('c++', 'c10')
    """
    return _extension("cpu", name, sources, *args, **kwargs)


def CUDAExtension(
    name: str, sources: Sequence[str], *args: Any, **kwargs: Any
) -> setuptools.Extension:
    """Create a setuptools.Extension with C++ and CUDA files, for BuildExtension.

    nvcc compiles the files that end in `.cu`, for the architectures in TORCH_CUDA_ARCH_LIST. Without
    that variable, these are the GPUs of this machine or, if it has none, those of torch's kernels.

    Args:
        name: The full name of the module.
        sources: The C++ and CUDA files.
        *args: Passed to setuptools.Extension.
        **kwargs: Passed to setuptools.Extension. `extra_compile_args` may be a dictionary with the
            arguments of each compiler: {"cxx": [...], "nvcc": [...]}.

    Raises:
        ValueError: If this torch was built without CUDA.
        RuntimeError: If there is no CUDA toolkit.

    Example:
        >>> from torch.utils.cpp_extension import CUDAExtension
        >>> CUDAExtension("my_ops", ["my_ops.cpp", "kernels.cu"])  # doctest: +SKIP
        <setuptools.extension.Extension('my_ops') at ...>
    """
    return _extension("cuda", name, sources, *args, **kwargs)


def _extension(
    device_type: str, name: str, sources: Sequence[str], *args: Any, **kwargs: Any
) -> setuptools.Extension:
    for key, own in (
        ("include_dirs", include_paths(device_type)),
        ("library_dirs", library_paths(device_type)),
        ("libraries", _libraries(device_type)),
    ):
        kwargs[key] = [*kwargs.get(key, []), *own]
    kwargs["language"] = "c++"
    return setuptools.Extension(name, list(sources), *args, **kwargs)


class BuildExtension(build_ext):
    """The setuptools command build_ext with the compiler arguments that torch needs.

    An argument that the extension itself sets, such as `-std`, is kept.

    Example:
        >>> from torch.utils.cpp_extension import BuildExtension, CppExtension
        >>> options = {
        ...     "ext_modules": [CppExtension("my_ops", ["my_ops.cpp"])],
        ...     "cmdclass": {"build_ext": BuildExtension},
        ... }
        >>> # in setup.py: setuptools.setup(name="my_ops", **options)
    """

    @classmethod
    def with_options(cls, **options: Any) -> type[BuildExtension]:
        """Return a subclass with options; `no_python_abi_suffix` omits the ABI from file names."""
        return type("ConfiguredBuildExtension", (cls,), {"torch_options": options})

    torch_options: ClassVar[dict[str, Any]] = {}

    def build_extensions(self) -> None:
        """Build all extensions."""
        self._compile_cuda_files()
        super().build_extensions()

    def build_extension(self, ext: setuptools.Extension) -> None:
        """Build one extension."""
        given = ext.extra_compile_args
        arguments = list(given.get("cxx", []) if isinstance(given, dict) else given)
        name = f"-DTORCH_EXTENSION_NAME={ext.name.rpartition('.')[2]}"
        own = list(given.get("nvcc", [])) if isinstance(given, dict) else []
        self._nvcc_arguments = [name, *own]
        ext.extra_compile_args = [*_without_overridden(COMMON_FLAGS, arguments), name, *arguments]
        super().build_extension(ext)

    def _compile_cuda_files(self) -> None:
        """Let the compiler object of setuptools call nvcc for CUDA files."""
        compiler = self.compiler
        compile_other = compiler._compile
        compiler.src_extensions = [*compiler.src_extensions, ".cu"]

        def compile_file(
            target: str,
            source: str,
            suffix: str,
            first: list[str],
            last: list[str],
            macros: list[str],
        ) -> None:
            if suffix != ".cu":
                compile_other(target, source, suffix, first, last, macros)
                return
            command = _cuda_toolkit.compile_command(self._nvcc_arguments)
            compiler.spawn([*command, *macros, "-c", source, "-o", target, *self._nvcc_arguments])

        compiler._compile = compile_file

    def get_ext_filename(self, fullname: str) -> str:
        """Return the path of a module's file."""
        filename = str(super().get_ext_filename(fullname))
        if self.torch_options.get("no_python_abi_suffix"):
            parts = filename.split(".")
            return ".".join([*parts[:-2], parts[-1]]) if len(parts) > 2 else filename
        return filename


def _without_overridden(defaults: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Return the defaults that the user's arguments do not override."""
    overridden = {argument.partition("=")[0] for argument in arguments}
    return [flag for flag in defaults if flag.partition("=")[0] not in overridden]


def load(
    name: str,
    sources: str | Sequence[str],
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str] | None = None,
    build_directory: str | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    is_python_module: bool = True,
) -> ModuleType | str:
    """Compile C++ and CUDA files into a library and load it. Unchanged files are not compiled again.

    Args:
        name: The name of the extension, and of the Python module if it is one.
        sources: The file or files; nvcc compiles those that end in `.cu`.
        extra_cflags: Further arguments of the C++ compiler.
        extra_cuda_cflags: Further arguments of nvcc.
        extra_ldflags: Further arguments of the linker.
        extra_include_paths: Further folders with headers.
        build_directory: The folder for objects and the library; by default one per extension
            in TORCH_EXTENSIONS_DIR or `~/.cache/torch_extensions`.
        verbose: Whether to print the commands.
        with_cuda: Whether to use the CUDA toolkit's headers and libraries; by default, if a file
            ends in `.cu`.
        is_python_module: Whether the library is a Python module. If not, it is loaded so that
            its operators are registered in `torch.ops`.

    Returns:
        The module, or the path of a library that is not one.

    Raises:
        RuntimeError: If there is no compiler, or a command fails; the message has its output.

    Example:
        >>> from torch.utils.cpp_extension import load
        >>> load("my_ops", "my_ops.cpp", is_python_module=False)  # doctest: +SKIP
        '~/.cache/torch_extensions/py311_cpu/my_ops/my_ops-5f0c3a1d92b4.so'
        >>> torch.ops.my_ops.double(torch.ones(2))  # doctest: +SKIP
        tensor([2., 2.])
    """
    files = [Path(s).resolve() for s in ([sources] if isinstance(sources, str) else sources)]
    folder = Path(build_directory) if build_directory else _default_folder(name)
    folder.mkdir(parents=True, exist_ok=True)
    if with_cuda is None:
        with_cuda = any(file.suffix == ".cu" for file in files)
    device_type = "cuda" if with_cuda else "cpu"
    common = _common_arguments(name, extra_include_paths or (), device_type)
    commands = {"": [*_compile_command(extra_cflags or ()), *common, *(extra_cflags or ())]}
    if with_cuda:
        flags = list(extra_cuda_cflags or ())
        commands[".cu"] = [*_cuda_toolkit.compile_command(flags), "-O2", *common, *flags]
    with _locked(folder):
        objects = _compile_all(files, folder, commands, verbose)
        library = _link(name, objects, folder, device_type, extra_ldflags or (), verbose)
    if not is_python_module:
        torch.ops.load_library(str(library))
        return str(library)
    spec = importlib.util.spec_from_file_location(name, library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _default_folder(name: str) -> Path:
    root = os.environ.get("TORCH_EXTENSIONS_DIR")
    cache = Path(root) if root else Path.home() / ".cache" / "torch_extensions"
    return cache / f"py{sys.version_info[0]}{sys.version_info[1]}_cpu" / name


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a lock, so that processes that load the same extension build it only once."""
    with open(folder / "lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _compiler() -> list[str]:
    command = shlex.split(os.environ.get("CXX", "")) or ["c++"]
    if shutil.which(command[0]) is None:
        raise RuntimeError(
            f"no C++ compiler: {command[0]} is not on PATH; install one or set CXX to its path"
        )
    return command


def _compile_command(flags: Sequence[str]) -> list[str]:
    return [*_compiler(), *_without_overridden((*COMMON_FLAGS, "-O2"), flags)]


def _common_arguments(name: str, includes: Sequence[str], device_type: str) -> list[str]:
    folders = [*includes, *include_paths(device_type), sysconfig.get_path("include")]
    return [f"-DTORCH_EXTENSION_NAME={name}", *(f"-I{folder}" for folder in folders)]


def _compile_all(
    files: list[Path], folder: Path, commands: dict[str, list[str]], verbose: bool
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


def _link(
    name: str,
    objects: list[Path],
    folder: Path,
    device_type: str,
    flags: Sequence[str],
    verbose: bool,
) -> Path:
    """Link the library. Its name contains a hash, as a loaded file must not be replaced."""
    digest = hashlib.sha256(repr(flags).encode())
    for path in objects:
        digest.update(path.read_bytes())
    target = folder / f"{name}-{digest.hexdigest()[:12]}.so"
    if target.is_file():
        return target
    for old in folder.glob(f"{name}-*.so"):
        old.unlink()
    partial = target.with_suffix(f".{os.getpid()}.partial")
    folders = library_paths(device_type)
    command = [
        *_compiler(),
        "-shared",
        *map(str, objects),
        *(f"-L{path}" for path in folders),
        *(f"-Wl,-rpath,{path}" for path in folders),
        *(f"-l{library}" for library in _libraries(device_type)),
        *flags,
        *("-o", str(partial)),
    ]
    _run(command, verbose)
    os.replace(partial, target)
    return target


def _run(command: list[str], verbose: bool) -> None:
    if verbose:
        print(shlex.join(command), flush=True)
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise RuntimeError(f"{shlex.join(command)}\n{result.stderr.rstrip()}")
