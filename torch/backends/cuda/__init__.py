"""What operators on CUDA devices would prefer; this build has no CUDA."""

from torch import _C

_LINALG_BACKENDS = {
    "default": _C._LinalgBackend.Default,
    "cusolver": _C._LinalgBackend.Cusolver,
    "magma": _C._LinalgBackend.Magma,
}


def is_built():
    """Whether this build has CUDA."""
    return _C.has_cuda


def preferred_linalg_library(backend=None):
    """The library that linear algebra on CUDA devices uses, after setting it if one is given."""
    if isinstance(backend, str):
        if backend not in _LINALG_BACKENDS:
            raise RuntimeError(f"Unknown input value. Choose from: {', '.join(_LINALG_BACKENDS)}.")
        backend = _LINALG_BACKENDS[backend]
    if backend is not None:
        if not isinstance(backend, _C._LinalgBackend):
            raise RuntimeError("Unknown input value type.")
        _C._set_linalg_preferred_backend(backend)
    return _C._get_linalg_preferred_backend()
