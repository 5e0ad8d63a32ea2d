"""Modules without files, which programs import names from that another module defines here."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec

TYPE_CHECKING = False  # `import torch` does not pay for typing
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

# Modules of quantization that have moved to torch.ao.
_QUANTIZATION = [
    "nn.intrinsic",
    "nn.intrinsic.modules",
    "nn.intrinsic.modules.fused",
    "nn.intrinsic.qat",
    "nn.intrinsic.qat.modules",
    "nn.intrinsic.quantized",
    "nn.intrinsic.quantized.dynamic",
    "nn.intrinsic.quantized.modules",
    "nn.qat",
    "nn.qat.dynamic",
    "nn.qat.dynamic.modules",
    "nn.qat.modules",
    "nn.quantizable",
    "nn.quantized",
    "nn.quantized.dynamic",
    "nn.quantized.dynamic.modules",
    "nn.quantized.functional",
    "nn.quantized.modules",
    "quantization",
    "quantization.fake_quantize",
    "quantization.fuse_modules",
    "quantization.fuser_method_mappings",
    "quantization.observer",
    "quantization.qconfig",
    "quantization.quantization_mappings",
    "quantization.quantize",
    "quantization.stubs",
    "quantization.utils",
]
# The name of the module: the module that defines its names here, and these names; * means all.
_MODULES = {
    "torch._VF": ("torch._C._VariableFunctions", "*"),
    "torch._functorch.apis": ("torch.func", "chunk_vmap grad grad_and_value vmap"),
    "torch._functorch.batch_norm_replacement": ("torch.func", "replace_all_batch_norm_modules_"),
    "torch._functorch.eager_transforms": (
        "torch.func",
        "functionalize grad grad_and_value hessian jacfwd jacrev jvp linearize vjp",
    ),
    "torch._functorch.functional_call": ("torch.func", "functional_call stack_module_state"),
    "torch.jit._script": ("torch.jit", "RecursiveScriptModule ScriptModule interface script"),
    "torch.masked._ops": ("torch.masked", "*"),
    "torch.multiprocessing.pool": ("torch.multiprocessing", "Pool"),
    "torch.multiprocessing.queue": ("torch.multiprocessing", "JoinableQueue Queue SimpleQueue"),
    **{f"torch.{name}": (f"torch.ao.{name}", "*") for name in _QUANTIZATION},
    "torch.signal.windows.windows": ("torch.signal.windows", "*"),
    "torch.utils.data._utils.fetch": (
        "torch.utils.data._utils.dataset_kind",
        "_BaseDatasetFetcher _IterableDatasetFetcher _MapDatasetFetcher",
    ),
}


class ModuleFinder:
    """Finds and fills modules of a table, after those that exist as files.

    Args:
        table: What a subclass needs in order to fill each module, by the module's full name.
    """

    def __init__(self, table: dict[str, Any]) -> None:
        self._table = table

    def install(self) -> None:
        """Make the modules importable."""
        sys.meta_path.append(self)  # type: ignore[arg-type]

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how to import a module of the table, None for any other."""
        if name not in self._table:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system create the module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fill a module."""
        raise NotImplementedError


class _OtherHomes(ModuleFinder):
    """Finds the modules of `_MODULES`."""

    def exec_module(self, module: ModuleType) -> None:
        """Copy the names from the module that defines them."""
        home, text = self._table[module.__name__]
        source = _find_home(home)
        names = [n for n in dir(source) if n[:2] != "__"] if text == "*" else text.split()
        present = {name: getattr(source, name) for name in names if hasattr(source, name)}
        vars(module).update(present)
        module.__doc__ = f"The names of {home} that programs import from here."
        module.__dict__["__all__"] = list(present)


def _find_home(path: str) -> Any:
    """Return a module, or an attribute of a module such as torch._C._VariableFunctions."""
    try:
        return import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(import_module(module), name)


def install() -> None:
    """Make the modules importable."""
    _OtherHomes(_MODULES).install()
