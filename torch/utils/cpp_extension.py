"""Build C++ and CUDA extensions, with setuptools (BuildExtension) or at run time (load).

An extension either registers operators with TORCH_LIBRARY, without any Python code, or is a Python
module and defines PyInit_NAME itself.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import setuptools
from setuptools.command.build_ext import build_ext

import torch
from torch._absent import refusing
from torch.utils import _cuda_toolkit
from torch.utils._build_tools import (
    check_compiler_ok_for_platform,
    get_compiler_abi_compatibility_and_version,
    is_ninja_available,
    verify_ninja_availability,
)
from torch.utils._extension_build import (
    COMMON_FLAGS,
    Extension,
    default_folder,
    default_root,
    pybind11_folders,
    require_pybind11,
    split_arguments,
    without_overridden,
)

__all__ = [
    "CUDA_HOME",
    "BuildExtension",
    "CUDAExtension",
    "CppExtension",
    "SyclExtension",
    "check_compiler_ok_for_platform",
    "get_compiler_abi_compatibility_and_version",
    "get_default_build_root",
    "include_paths",
    "is_ninja_available",
    "library_paths",
    "load",
    "load_inline",
    "verify_ninja_availability",
]

_NO_SYCL = "this build of torch supports only the CPU and CUDA: there is no SYCL"
SyclExtension = refusing(__name__, ("SyclExtension",), ValueError, _NO_SYCL)["SyclExtension"]

_PACKAGE = Path(torch.__file__).resolve().parent
_toolkit = _cuda_toolkit.find_toolkit()
LIB_EXT = ".so"  # extensions are built as such libraries
CUDA_HOME = str(_toolkit) if _toolkit else None
# Build scripts of libraries ask for the toolkits of other back ends, too.
ROCM_HOME = HIP_HOME = CUDNN_HOME = SYCL_HOME = None
IS_HIP_EXTENSION = False


def include_paths(device_type: str = "cpu", torch_include_dirs: bool = True) -> list[str]:
    """Return the folders with torch's headers, and pybind11's if it is installed, for the compiler's -I.

    Args:
        device_type: "cpu", or "cuda" to add those of the CUDA toolkit.
        torch_include_dirs: Whether torch's own folders are included.

    Raises:
        ValueError: For a device type that this build does not support.
        RuntimeError: If there is no CUDA toolkit.

    Example:
        >>> from torch.utils.cpp_extension import include_paths
        >>> include_paths()[:2]
        ['.../torch/include', '.../torch/include/torch/csrc/api/include']
    """
    folders = _folders_of_device(device_type)[:1]
    root = _PACKAGE / "include"
    own = [str(root), str(root / "torch" / "csrc" / "api" / "include"), *pybind11_folders()]
    return [*own, *folders] if torch_include_dirs else folders


def library_paths(
    device_type: str = "cpu",
    torch_include_dirs: bool = True,
    cross_target_platform: str | None = None,
) -> list[str]:
    """Return the folders with torch's libraries, for the linker's -L.

    Args:
        device_type: "cpu", or "cuda" to add those of the CUDA toolkit.
        torch_include_dirs: Whether torch's own folder is included.
        cross_target_platform: Must be None; this build has libraries for this machine only.

    Raises:
        ValueError: For a device type or a platform that this build does not support.
        RuntimeError: If there is no CUDA toolkit.

    Example:
        >>> from torch.utils.cpp_extension import library_paths
        >>> library_paths()
        ['.../torch/lib']
    """
    if cross_target_platform is not None:
        raise ValueError(f"this build of torch has no libraries for {cross_target_platform!r}")
    own = [str(_PACKAGE / "lib")] if torch_include_dirs else []
    return [*own, *_folders_of_device(device_type)[1:]]


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
        ext.extra_compile_args = [*without_overridden(COMMON_FLAGS, arguments), name, *arguments]
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


def load(
    name: str,
    sources: str | Sequence[str],
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str] | None = None,
    build_directory: str | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: bool | None = None,
    is_python_module: bool = True,
    is_standalone: bool = False,
    keep_intermediates: bool = True,
) -> ModuleType | str:
    """Compile C++ and CUDA files into a library and load it. Unchanged files are not compiled again.

    Args:
        name: The name of the extension, and of the Python module if it is one.
        sources: The file or files; nvcc compiles those that end in `.cu`.
        extra_cflags: Further arguments of the C++ compiler; one string may hold several, as in a shell.
        extra_cuda_cflags: Further arguments of nvcc.
        extra_sycl_cflags: Accepted; see `with_sycl`.
        extra_ldflags: Further arguments of the linker.
        extra_include_paths: Further folders with headers.
        build_directory: The folder for objects and the library; by default one per extension
            in TORCH_EXTENSIONS_DIR or `~/.cache/torch_extensions`.
        verbose: Whether to print the commands.
        with_cuda: Whether to use the CUDA toolkit's headers and libraries; by default, if a file
            ends in `.cu`.
        with_sycl: Must not be true: there is no SYCL.
        is_python_module: Whether the library is a Python module. If not, it is loaded so that
            its operators are registered in `torch.ops`.
        is_standalone: Whether to link a program and return its path.
        keep_intermediates: Accepted; objects are always kept for the next call.

    Returns:
        The module, or the path of a library or program that is not one.

    Raises:
        ValueError: If the name cannot be that of a module, or SYCL is requested.
        RuntimeError: If there is no compiler, or a command fails; the message has its output.

    Example:
        >>> from torch.utils.cpp_extension import load
        >>> load("my_ops", "my_ops.cpp", is_python_module=False)  # doctest: +SKIP
        '~/.cache/torch_extensions/py311_cpu/my_ops/my_ops-5f0c3a1d92b4.so'
        >>> torch.ops.my_ops.double(torch.ones(2))  # doctest: +SKIP
        tensor([2., 2.])
    """
    if not name.isidentifier():
        raise ValueError(f"the name of an extension must be that of a Python module, not {name!r}")
    if with_sycl:
        raise ValueError(_NO_SYCL)
    files = tuple(Path(s).resolve() for s in ([sources] if isinstance(sources, str) else sources))
    require_pybind11(files, [*(extra_include_paths or ()), *(extra_cflags or ())])
    if with_cuda is None:
        with_cuda = any(file.suffix == ".cu" for file in files)
    device_type = "cuda" if with_cuda else "cpu"
    extension = Extension(
        name=name,
        sources=files,
        folder=Path(build_directory) if build_directory else default_folder(name),
        includes=(*(extra_include_paths or ()), *include_paths(device_type)),
        library_folders=tuple(library_paths(device_type)),
        libraries=tuple(_libraries(device_type)),
        cflags=split_arguments(extra_cflags),
        cuda_flags=split_arguments(extra_cuda_cflags) if with_cuda else None,
        ldflags=split_arguments(extra_ldflags),
        is_program=is_standalone,
    )
    built = extension.build(verbose)
    if is_standalone:
        return str(built)
    if is_python_module:
        return _import_file(name, built)
    torch.ops.load_library(str(built))
    return str(built)


def _import_file(name: str, library: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, library)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_inline(
    name: str,
    cpp_sources: str | Sequence[str],
    cuda_sources: str | Sequence[str] | None = None,
    sycl_sources: str | Sequence[str] | None = None,
    functions: str | Sequence[str] | Mapping[str, str] | None = None,
    extra_cflags: Sequence[str] | None = None,
    extra_cuda_cflags: Sequence[str] | None = None,
    extra_sycl_cflags: Sequence[str] | None = None,
    extra_ldflags: Sequence[str] | None = None,
    extra_include_paths: Sequence[str] | None = None,
    build_directory: str | None = None,
    verbose: bool = False,
    with_cuda: bool | None = None,
    with_sycl: bool | None = None,
    is_python_module: bool = True,
    with_pytorch_error_handling: bool = True,
    keep_intermediates: bool = True,
    use_pch: bool = False,
    no_implicit_headers: bool = False,
) -> ModuleType | str:
    """Compile an extension from strings and load it, as `load` does from files.

    Args:
        name: The name of the extension, and of the Python module if it is one.
        cpp_sources: The C++ source or sources; they are concatenated, after an include of
            `torch/extension.h`.
        cuda_sources: The CUDA source or sources, after an include of `torch/types.h`.
        sycl_sources: Must be empty: there is no SYCL.
        functions: The names of C++ functions to add to the Python module, or a dictionary from the
            names to docstrings. Their arguments and results have the types of operators' arguments
            and results.
        extra_cflags: See `load`.
        extra_cuda_cflags: See `load`.
        extra_sycl_cflags: See `load`.
        extra_ldflags: See `load`.
        extra_include_paths: See `load`.
        build_directory: See `load`; the folder for the written files, too.
        verbose: See `load`.
        with_cuda: See `load`; by default, if there is a CUDA source.
        with_sycl: See `load`.
        is_python_module: See `load`.
        with_pytorch_error_handling: Accepted; C++ exceptions always become Python exceptions.
        keep_intermediates: See `load`.
        use_pch: Accepted; no header is compiled in advance.
        no_implicit_headers: Whether the sources include what they need themselves.

    Returns:
        The module, or the path of a library that is not one.

    Raises:
        ValueError: If the name cannot be that of a module, or SYCL is requested.
        RuntimeError: If there is no compiler, or a command fails; the message has its output.

    Example:
        >>> from torch.utils.cpp_extension import load_inline
        >>> source = "at::Tensor twice(const at::Tensor& x) { return x + x; }"
        >>> module = load_inline("inline_ops", source, functions="twice")  # doctest: +SKIP
        >>> module.twice(torch.ones(2))  # doctest: +SKIP
        tensor([2., 2.])
    """
    if sycl_sources:
        raise ValueError(_NO_SYCL)
    folder = Path(build_directory) if build_directory else default_folder(name)
    folder.mkdir(parents=True, exist_ok=True)
    cpp, cuda = _as_list(cpp_sources), _as_list(cuda_sources or ())
    if not no_implicit_headers:
        cpp.insert(0, "#include <torch/extension.h>")
        if cuda:
            cuda.insert(0, "#include <torch/types.h>")
    if functions is not None:
        if not isinstance(functions, (str, Mapping, list, tuple)):
            raise ValueError(
                f"Expected 'functions' to be a list or dict, but was {type(functions)}"
            )
        cpp += ["#include <torch/python.h>", _module_of(functions)]
    files = [_write_if_changed(folder / "main.cpp", cpp)]
    if cuda:
        files.append(_write_if_changed(folder / "cuda.cu", cuda))
    return load(
        name,
        files,
        extra_cflags=extra_cflags,
        extra_cuda_cflags=extra_cuda_cflags,
        extra_ldflags=extra_ldflags,
        extra_include_paths=extra_include_paths,
        build_directory=str(folder),
        verbose=verbose,
        with_cuda=with_cuda,
        with_sycl=with_sycl,
        is_python_module=is_python_module,
    )


def _as_list(sources: str | Sequence[str]) -> list[str]:
    return [sources] if isinstance(sources, str) else list(sources)


def _module_of(functions: str | Sequence[str] | Mapping[str, str]) -> str:
    """Return C++ that defines a Python module of functions."""
    if not isinstance(functions, Mapping):
        functions = dict.fromkeys(_as_list(functions), "")
    bound = (
        f'  torch::python::bind_function(m, "{function}", &{function}, {json.dumps(text)});'
        for function, text in functions.items()
    )
    return "\n".join(["TORCH_PYTHON_MODULE(TORCH_EXTENSION_NAME, m) {", *bound, "}"])


def _write_if_changed(path: Path, parts: Sequence[str]) -> str:
    """Write a source file; an unchanged one keeps its time, so that it is not compiled again."""
    text = "\n".join([*parts, ""])
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return str(path)


def _get_build_directory(name: str, verbose: bool) -> str:
    """Return the folder in which `load` builds an extension; create it if it does not exist.

    Args:
        name: The name of the extension.
        verbose: Whether to print the folder.
    """
    folder = default_folder(name)
    if verbose:
        print(f"Using {folder} as PyTorch extensions folder...", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def get_default_build_root() -> str:
    """Return the folder for extensions of `load`, unless TORCH_EXTENSIONS_DIR names another.

    Example:
        >>> from torch.utils.cpp_extension import get_default_build_root
        >>> get_default_build_root()
        '.../torch_extensions'
    """
    return str(default_root())
