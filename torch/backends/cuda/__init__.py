"""Settings of operators on CUDA devices, which this build does not support."""

from torch import _C

_LINALG_BACKENDS = {
    "default": _C._LinalgBackend.Default,
    "cusolver": _C._LinalgBackend.Cusolver,
    "magma": _C._LinalgBackend.Magma,
}


def is_built():
    """Return whether this build supports CUDA.

    Example:
        >>> torch.backends.cuda.is_built()
        False
    """
    return _C.has_cuda


def preferred_linalg_library(backend=None):
    """Set or return the library that linear algebra on CUDA devices prefers.

    Args:
        backend: "default", "cusolver" or "magma"; None leaves the setting unchanged.

    Raises:
        RuntimeError: If `backend` is none of these.

    Example:
        >>> torch.backends.cuda.preferred_linalg_library("default")
        <_LinalgBackend.Default: 0>
    """
    if isinstance(backend, str):
        if backend not in _LINALG_BACKENDS:
            raise RuntimeError(f"Unknown input value. Choose from: {', '.join(_LINALG_BACKENDS)}.")
        backend = _LINALG_BACKENDS[backend]
    if backend is not None:
        if not isinstance(backend, _C._LinalgBackend):
            raise RuntimeError("Unknown input value type.")
        _C._set_linalg_preferred_backend(backend)
    return _C._get_linalg_preferred_backend()
