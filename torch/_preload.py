"""Load libraries that other distributions install, such as MKL's or CUDA's, or say which one must be installed.

Only imported when the libraries of torch do not load or do not match.
"""

from __future__ import annotations

import ctypes
import re
from importlib import import_module, metadata
from pathlib import Path
from typing import NoReturn

# The distribution that installs a library, by the start of the library's name.
_DISTRIBUTIONS = {
    "libmkl_": "mkl",
    "libcudart.": "nvidia-cuda-runtime",
    "libcublas": "nvidia-cublas",
    "libcudnn": "nvidia-cudnn-cu13",
    "libcusolver": "nvidia-cusolver",
    "libcufft": "nvidia-cufft",
    "libnvrtc": "nvidia-cuda-nvrtc",
    "libnccl": "nvidia-nccl-cu13",
}


def refuse_libraries(found: str, needed: str) -> NoReturn:
    """Raise the ImportError for libraries of another version than the modules'."""
    raise ImportError(
        f"torch/lib holds the libraries of version {found}, but these modules are of version {needed}: "
        + _remedy(needed)
    )


def _remedy(needed: str) -> str:
    """Return the command that installs the libraries that the modules need."""
    for owner in metadata.packages_distributions().get("torch", []):
        for requirement in metadata.requires(owner) or []:
            if requirement.endswith(f"=={needed}"):
                return f"python -m pip install {requirement}"
    return "install the same version of everything that owns torch/, or build again"


def load_missing(message: str) -> bool:
    """Load the libraries that the dynamic loader misses, until torch._C loads; return whether it does.

    Args:
        message: The text of an ImportError, such as "libmkl_rt.so.3: cannot open shared object file".
    """
    while _load_named(message):
        try:
            import_module("torch._C")
        except ImportError as error:
            message = str(error)
        else:
            return True
    return False


def _load_named(message: str) -> bool:
    """Load the library that a message of the dynamic loader names; return whether that succeeded."""
    found = re.match(r"(lib[\w.+-]+\.so[.\d]*): cannot open shared object file", message)
    if not found:
        return False
    library = found[1]
    for start, distribution in _DISTRIBUTIONS.items():
        if library.startswith(start):
            return _load(library, distribution)
    if not Path(__file__).with_name("lib").joinpath("VERSION").exists():
        raise ImportError(
            "the libraries of torch are not installed (torch/lib): " + _remedy(_modules_version())
        )
    return False


def _modules_version() -> str:
    from torch.version import distribution_version

    return distribution_version


def _load(library: str, distribution: str) -> bool:
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        raise ImportError(
            f"torch needs {library} of {distribution}, which is not installed: "
            f"python -m pip install {distribution}"
        ) from None
    for file in files:
        if file.name == library:
            ctypes.CDLL(str(file.locate()), ctypes.RTLD_GLOBAL)
            return True
    return False
