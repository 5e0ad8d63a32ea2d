"""Settings of PyTorch's compiler: programs may set any of them, and they change nothing."""

import contextlib
from types import SimpleNamespace
from typing import Any

conv_1x1_as_mm = False
coordinate_descent_tuning = False
coordinate_descent_check_all_directions = False
cpp = SimpleNamespace(threads=-1, enable_kernel_profile=False, min_chunk_size=4096)
cpp_wrapper = False
debug = False
epilogue_fusion = True
fallback_random = False
force_fuse_int_mm_with_mul = False
freezing = False
fx_graph_cache = True
max_autotune = False
max_autotune_gemm = False
shape_padding = True
trace = SimpleNamespace(enabled=False)
triton = SimpleNamespace(
    cudagraphs=False,
    cudagraph_trees=True,
    unique_kernel_names=True,
    descriptive_names="original_aten",
)
use_mixed_mm = True


@contextlib.contextmanager
def patch(*args: Any, **settings: Any) -> Any:
    """Context manager that would change settings for its block; they change nothing."""
    yield
