"""Load libraries that torch links but other distributions install, such as MKL's.

Only imported when the dynamic loader did not find such a library.
"""

from __future__ import annotations

import ctypes
import re
from importlib import metadata

# The distribution that installs a library, by the start of the library's name.
_DISTRIBUTIONS = {"libmkl_": "mkl"}


def load_missing(message: str) -> bool:
    """Load the library that the dynamic loader's message names; return whether that succeeded.

    Args:
        message: The text of an ImportError, such as "libmkl_rt.so.3: cannot open shared object file".
    """
    found = re.match(r"(lib[\w.+-]+\.so[.\d]*): cannot open shared object file", message)
    if not found:
        return False
    library = found[1]
    for start, distribution in _DISTRIBUTIONS.items():
        if library.startswith(start):
            return _load(library, distribution)
    return False


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
