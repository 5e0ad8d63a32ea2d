"""What the processor supports, by the names of PyTorch's extension module."""

from __future__ import annotations

import os

from torch.cpu import (  # noqa: F401 (programs import them from here)
    _init_amx,
    _is_amx_fp16_supported,
    _is_amx_tile_supported,
    _is_avx2_supported,
    _is_avx512_bf16_supported,
    _is_avx512_supported,
    _is_vnni_supported,
)


def _cache_size(name: str) -> int:
    try:
        return max(0, os.sysconf(name))
    except (AttributeError, OSError, ValueError):  # a system that does not tell
        return 0


def _L1d_cache_size() -> int:
    """Return the size in bytes of a core's cache of data; 0 if it is unknown."""
    return _cache_size("SC_LEVEL1_DCACHE_SIZE")


def _L2_cache_size() -> int:
    """Return the size in bytes of the second cache of a core; 0 if it is unknown."""
    return _cache_size("SC_LEVEL2_CACHE_SIZE")
