"""Tensors and the operators on them. `import torch` loads torch._C and little else.

Most subpackages (torch.nn, torch.testing, ...) are imported when they are first used.
"""

# ruff: noqa: E402, I001 (order matters: modules imported later use names that earlier lines define)

from importlib import import_module as _import_module
import os as _os
import sys as _sys

_rebuilds = _os.environ.get("TORCHSMITH_EDITABLE_REBUILD")
if _rebuilds is None:  # set by `pip install -C editable.rebuild=true -e .`
    _mark = (_os.path.dirname(_os.path.dirname(__file__)), ".staged", "rebuild_at_import")
    _rebuilds = str(int(_os.path.exists(_os.path.join(*_mark))))
if _rebuilds not in ("", "0"):
    from torch import _rebuild

    _rebuild.run()

try:
    from torch.version import distribution_version as _version

    with open(_os.path.join(_os.path.dirname(__file__), "lib", "VERSION"), "rb") as _file:
        _libraries = _file.read().strip().decode()
except (ImportError, OSError):  # not built, or without libraries: the next import says which
    _libraries = _version = ""
if _libraries != _version:
    from torch import _preload

    _preload.refuse_libraries(_libraries, _version)

try:
    from torch._C import _show_config as _
except ImportError as _error:
    if "unknown location" in str(_error):
        raise ImportError(
            "torch/_C/ holds only type stubs here: the extension module torch._C was not built. "
            "Run `python setup.py develop`, and do not run Python from a folder that contains an "
            "unbuilt torch/."
        ) from _error
    from torch import _preload

    if not _preload.load_missing(str(_error)):
        raise

from torch import _C, _other_homes
from torch.torch_version import __version__

if hasattr(_C, "_cuda_getCompiledVersion"):  # version.py is the same without CUDA
    from torch import version as _written

    _toolkit = _C._cuda_getCompiledVersion()
    _written.cuda = f"{_toolkit // 1000}.{_toolkit % 1000 // 10}"

_C._initExtension(_os.path.join(_os.path.dirname(__file__), "bin", "torch_shm_manager"))


def _find_c_name(name):
    from torch import _c_names

    return _c_names.find(name)


_C._enumeration = _C.__getattr__  # makes the classes that the extension module makes late
_C.__getattr__ = _find_c_name  # what this package implements in Python
_other_homes.install()
_C.__path__ = [_os.path.join(_os.path.dirname(__file__), "_bindings")]  # its submodules likewise
for _part in list(vars(_C).values()):
    if type(_part) is type(_C):  # pickle imports the submodules that the extension module makes
        _sys.modules[_part.__name__] = _part
del _part


def _find_late(part, module):
    """Return what finds the functions that `torch.<module>` adds to a part of the extension."""

    def find(name):
        if not name.startswith("__"):
            _import_module(f"torch.{module}")
            if name in vars(part):
                return vars(part)[name]
        raise AttributeError(f"module '{part.__name__}' has no attribute '{name}'")

    return find


for _name in ("fft", "linalg", "nested", "sparse", "special"):
    _part = getattr(_C, f"_{_name}", None)
    if _part is not None:
        _part.__getattr__ = _find_late(_part, _name)
del _part, _name

TYPE_CHECKING = False  # these names are made below, or at their first use
if TYPE_CHECKING:
    from typing import Any as _Any

    from torch.functional import *  # noqa: F403 (before operators: they are wrapped)
    from torch._C import *  # noqa: F403
    from torch._C._VariableFunctions import *  # noqa: F403
    from torch._C._late import *  # noqa: F403

# ---- dtypes, layouts and types from torch._C ---------------------------------------------------
_public = [name for name in dir(_C) if not name.startswith("_")]
globals().update({name: getattr(_C, name) for name in _public})

# ---- the operators -----------------------------------------------------------------------------
_VF = _C._VariableFunctions
_VF_ONLY = {"unique_dim"}  # not functions of torch
_functions = {
    name: getattr(_C._VariableFunctions, name)
    for name in dir(_C._VariableFunctions)
    if not name.startswith("__") and name not in _VF_ONLY
}
globals().update(_functions)

from torch._C import (
    _disable_functionalization,
    _enable_functionalization,
    _freeze_functional_tensor,
    _from_functional_tensor,
    _functionalize_has_metadata_mutation,
    _functionalize_was_storage_changed,
    _is_functional_tensor,
    _sync,
    _to_functional_tensor,
)
from torch import _aliases
from torch._tensor import Tensor as Tensor

_functions.update(dict.fromkeys(_aliases.add_functions(globals())))
_aliases.add_methods(Tensor, _C.TensorBase)
from torch._untyped_storage import UntypedStorage as UntypedStorage
from torch.autograd.grad_mode import (
    enable_grad as enable_grad,
    inference_mode as inference_mode,
    no_grad as no_grad,
    set_grad_enabled as set_grad_enabled,
)
from torch.random import (
    get_rng_state as get_rng_state,
    initial_seed as initial_seed,
    manual_seed as manual_seed,
    seed as seed,
    set_rng_state as set_rng_state,
)
from torch import functional as _functional

globals().update({name: getattr(_functional, name) for name in _functional.__all__})

_assert = _functional._assert

from torch import _ops

ops = _ops.ops
classes = _ops.classes

from math import e as e, inf as inf, nan as nan, pi as pi
import sys as _sys

torch = _sys.modules[__name__]  # programs write torch.torch by mistake, and it works in PyTorch

newaxis = None
has_spectral = True
legacy_contiguous_format = contiguous_format  # noqa: F405 (its name before 1.5)

from torch._deferred_names import HOMES as _homes, MODULES as _modules
from torch._published import publish as _publish


def __getattr__(name):
    if name in _modules:
        try:
            return _import_module(f"torch.{name}")
        except ImportError as error:  # hasattr() and getattr() with a default expect this one
            raise AttributeError(f"torch.{name} cannot be imported: {error}") from error
    if name[-1:].isdigit():
        from torch import _quantized_dtypes

        if name in _quantized_dtypes.NAMES:
            return globals().setdefault(name, getattr(_quantized_dtypes, name))
    if name.startswith("_foreach_"):
        return getattr(_import_module("torch._foreach"), name)
    if name in _homes:
        value = getattr(_import_module(f"torch.{_homes[name]}"), name)
        home = "torch.functional" if name in _functional.OTHER_NAMES else "torch"
        value = _import_module("torch._signatures").checked(_publish(value, home, name), name)
        return globals().setdefault(name, value)
    raise AttributeError(f"module 'torch' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_modules, *_homes})


def _register_device_module(device_type, module):
    """Make a module `torch.<device_type>`: the functions that a back end has in Python."""
    import sys

    kind = device(device_type).type  # noqa: F405
    if hasattr(sys.modules[__name__], kind):
        raise RuntimeError(f"The runtime module of '{kind}' has already been registered.")
    globals()[kind] = module
    sys.modules[f"{__name__}.{kind}"] = module


def get_device_module(device=None) -> "_Any":
    """Return the module with a device's functions, such as torch.cuda.

    Args:
        device: A device or its name; the accelerator, or else the CPU, if None.

    Raises:
        RuntimeError: If no module is registered for the device type.

    Example:
        >>> torch.get_device_module("cuda").__name__
        'torch.cuda'
    """
    import sys

    if device is None:
        device = _C._get_accelerator() or "cpu"
    kind = _C.device(device).type
    module = getattr(sys.modules[__name__], kind, None)
    if module is None:
        raise RuntimeError(
            f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'."
        )
    return module


def is_tensor(obj) -> "_C._bool":
    """Return whether an object is a torch.Tensor.

    Example:
        >>> torch.is_tensor(torch.ones(1)), torch.is_tensor([1.0])
        (True, False)
    """
    return isinstance(obj, Tensor)


def is_storage(obj) -> "_C._bool":
    """Return whether an object is a storage, typed or untyped.

    Example:
        >>> torch.is_storage(torch.ones(1).untyped_storage())
        True
    """
    from torch.storage import TypedStorage

    return isinstance(obj, (UntypedStorage, TypedStorage))


def typename(obj) -> "str":
    """Return the qualified name of an object's type; for a tensor, its legacy type name.

    Args:
        obj: An object, or a class.

    Example:
        >>> torch.typename(torch.ones(1)), torch.typename(nn.Linear), torch.typename(3)
        ('torch.FloatTensor', 'torch.nn.modules.linear.Linear', 'int')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if isinstance(obj, type) else type(obj)
    module = getattr(kind, "__module__", "")
    name = kind.__qualname__
    return name if module in ("", "builtins") else f"{module}.{name}"


def set_default_dtype(d, /) -> None:
    """Set the dtype of tensors that are created from Python floats without a dtype.

    Args:
        d: A floating dtype; torch.float32 until it is changed.

    Raises:
        TypeError: If `d` is not a floating dtype.

    Example:
        >>> torch.set_default_dtype(torch.float64)
        >>> torch.tensor(0.5).dtype
        torch.float64
    """
    _C._set_default_dtype(d)


def set_default_device(device) -> None:
    """Set the device on which functions of this thread create tensors by default.

    `with torch.device(...):` sets it for the length of a block.

    Args:
        device: A device or its name; None means the CPU.

    Example:
        >>> torch.set_default_device("meta")
        >>> torch.ones(2).device
        device(type='meta')
        >>> torch.set_default_device(None)
    """
    _C._set_default_device(device)


def set_vital(component, name, value) -> None:
    """Do nothing but warn. Deprecated.

    Args:
        component: Ignored.
        name: Ignored.
        value: Ignored.
    """
    import warnings

    warnings.warn("'set_vital' is deprecated, please do not call", stacklevel=2)


def get_default_device() -> "_C.device":
    """Return the device on which functions of this thread create tensors by default.

    Example:
        >>> torch.get_default_device()
        device(type='cpu')
    """
    return _C._get_default_device()


def from_dlpack(ext_tensor, *, device=None, copy=None) -> "Tensor":
    """Create a tensor that shares the memory of another library's array.

    Args:
        ext_tensor: An object with a method `__dlpack__`, such as a NumPy array, or a DLPack
            capsule, which can be used only once.
        device: The device to move the tensor to.
        copy: Whether to copy the memory.

    Raises:
        BufferError: If the object cannot export its memory.

    Example:
        >>> import numpy
        >>> array = numpy.zeros(2)
        >>> tensor = torch.from_dlpack(array)
        >>> array[0] = 5
        >>> tensor
        tensor([5., 0.], dtype=torch.float64)
    """
    if hasattr(ext_tensor, "__dlpack__"):
        try:
            capsule = ext_tensor.__dlpack__(max_version=(1, 0))
        except TypeError:
            capsule = ext_tensor.__dlpack__()
    else:
        capsule = ext_tensor
    tensor = _C._from_dlpack(capsule)
    if device is not None:
        tensor = tensor.to(device)
    return tensor.clone() if copy else tensor


def compiled_with_cxx11_abi() -> "_C._bool":
    """Return whether the libraries use the C++11 ABI of libstdc++.

    Example:
        >>> torch.compiled_with_cxx11_abi()
        True
    """
    return _C._GLIBCXX_USE_CXX11_ABI


__all__ = sorted(
    {*_public, *_functional.__all__}
    | {name for name in _functions if not name.startswith("_")}
    | {
        "Tensor",
        "TypedStorage",
        "UntypedStorage",
        "compiled_with_cxx11_abi",
        "e",
        "enable_grad",
        "from_dlpack",
        "get_default_device",
        "get_rng_state",
        "inf",
        "inference_mode",
        "initial_seed",
        "is_storage",
        "is_tensor",
        "manual_seed",
        "nan",
        "no_grad",
        "pi",
        "seed",
        "set_default_device",
        "set_default_dtype",
        "set_grad_enabled",
        "set_rng_state",
        "typename",
    }
    | set(_homes)
)
