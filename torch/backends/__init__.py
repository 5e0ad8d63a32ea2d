"""The capabilities of the CPU and of the libraries in this build."""

from importlib import import_module as _import_module

from torch.backends import cpu, cuda, openmp

__all__ = ["cpu", "cuda", "openmp"]

# Modules that are imported when they are first used as an attribute.
_LAZY = (
    "cudnn",
    "cusparselt",
    "kleidiai",
    "mha",
    "miopen",
    "mkl",
    "mkldnn",
    "mps",
    "nnpack",
    "opt_einsum",
    "quantized",
    "xnnpack",
)


def __getattr__(name):
    if name in _LAZY:
        try:
            return _import_module(f"torch.backends.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"torch.backends.{name}":
                raise
    raise AttributeError(f"module 'torch.backends' has no attribute '{name}'")
