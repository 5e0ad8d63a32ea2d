"""Settings of PyTorch's graph capture: programs may set them, and they change nothing."""

import contextlib
from typing import Any

accumulated_cache_size_limit = 256
accumulated_recompile_limit = 256
allow_unspec_int_on_nn_module = False
assume_static_by_default = True
automatic_dynamic_shapes = True
cache_size_limit = 8
capture_dynamic_output_shape_ops = False
capture_func_transforms = True
capture_scalar_outputs = False
compiled_autograd = False
disable = False
dynamic_shapes = True
error_on_recompile = False
fail_on_recompile_limit_hit = False
force_parameter_static_shapes = True
guard_nn_modules = True
inline_inbuilt_nn_modules = True
log_level = None
numpy_default_float = "float64"
numpy_default_int = "int64"
optimize_ddp: Any = True
recompile_limit = 8
skip_fsdp_guards = True
specialize_float = False
specialize_int = False
suppress_errors = False
verbose = False


@contextlib.contextmanager
def patch(*args: Any, **settings: Any) -> Any:
    """Context manager that would change settings for its block; they change nothing."""
    yield
