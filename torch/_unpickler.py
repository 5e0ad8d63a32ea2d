"""Unpickling that cannot run code from the file: only globals of an allowlist are accepted."""

from __future__ import annotations

import _compat_pickle
import contextlib
import pickle
from collections import Counter, OrderedDict
from collections.abc import Iterator
from typing import Any

import torch
from torch import _quantized_dtypes, _tensor, _utils
from torch.storage import LEGACY_STORAGES, TypedStorage, UntypedStorage

# What the user declared safe: objects, or pairs of an object and the name that pickles use.
_user_globals: list[Any] = []


def _encode(text: str, encoding: str) -> bytes:
    """Replace codecs.encode, which protocol 2 uses for bytes, without its other codecs."""
    if encoding not in ("latin1", "latin-1", "utf-8", "ascii"):
        raise pickle.UnpicklingError(
            f"the encoding {encoding!r} is not allowed in a weights-only load"
        )
    return text.encode(encoding)


def _named(module: str, *values: Any) -> dict[str, Any]:
    return {f"{module}.{value.__name__}": value for value in values}


def allowed_globals() -> dict[str, Any]:
    """Map each global name that a pickle may use to its object."""
    from torch.nn.parameter import Parameter

    rebuilders = (
        _utils._rebuild_tensor,
        _utils._rebuild_tensor_v2,
        _utils._rebuild_tensor_v3,
        _utils._rebuild_parameter,
        _utils._rebuild_qtensor,
        _utils._rebuild_sparse_tensor,
        _utils._rebuild_nested_tensor,
        _utils._rebuild_parameter_with_state,
        _utils._rebuild_meta_tensor_no_storage,
        _utils._rebuild_wrapper_subclass,
    )
    names: dict[str, Any] = {
        "_codecs.encode": _encode,
        "torch.Size": torch.Size,
        "torch.device": torch.device,
        "torch.Tensor": torch.Tensor,
        "torch.nn.parameter.Parameter": Parameter,
        "torch._tensor._rebuild_from_type_v2": _tensor._rebuild_from_type_v2,
        "torch.serialization._get_layout": torch.serialization._get_layout,
        **_named("collections", Counter, OrderedDict),
        **_named("builtins", bytearray, complex, set),
        **_named("torch._utils", *rebuilders),
        **_named("torch.storage", TypedStorage, UntypedStorage),
        **_named("torch", *LEGACY_STORAGES.values()),
    }
    for kind in (torch.dtype, torch.layout):
        values = (value for value in vars(torch).values() if isinstance(value, kind))
        names.update((str(value), value) for value in values)
    quantized = (getattr(_quantized_dtypes, name) for name in _quantized_dtypes.NAMES)
    names.update((str(dtype), dtype) for dtype in quantized)
    schemes = (value for value in vars(torch).values() if isinstance(value, torch.qscheme))
    names.update((str(scheme), scheme) for scheme in schemes)
    for item in _user_globals:
        value, name = item if isinstance(item, tuple) else (item, None)
        names[name or f"{value.__module__}.{value.__qualname__}"] = value
    return names


_UNSUPPORTED = "Unsupported global: "
_BLOCKED = frozenset(("nt", "os", "posix", "sys"))
"""Modules whose names no allowlist opens."""
_DEFAULT = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` "
    "from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely "
    "succeed, but it can result in arbitrary code execution. Do it only if you got the file from a "
    "trusted source."
)
_DETAILS = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with "
    "weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)


def explained(error: str) -> str:
    """Return the message of a weights-only load that failed: what the user can do about an error."""
    if not error.startswith(_UNSUPPORTED):
        request = (
            "Please file an issue with the following so that we can make `weights_only=True` "
            "compatible with your use case: WeightsUnpickler error: "
        )
        request = "" if error.endswith("is blocked.") else request
        return f"Weights only load failed. {_DEFAULT}\n{request}\n\n{error}{_DETAILS}"
    return (
        "Weights only load failed. This file can still be loaded, to do so you have two options, "
        "\033[1mdo those steps only if you trust the source of the checkpoint\033[0m. \n\t(1) "
        f"{_DEFAULT}\n\t(2) Alternatively, to load with `weights_only=True` please check the "
        f"recommended steps in the following error message.\n\tWeightsUnpickler error: {error}{_DETAILS}"
    )


def python_name(module: str, name: str) -> tuple[str, str]:
    """Return the name in Python 3 of a global, which protocol 2 gives Python 2's name.

    `slice` of `builtins` is `__builtin__.slice` in such a file, and `range` is `__builtin__.xrange`.
    """
    if (module, name) in _compat_pickle.NAME_MAPPING:
        return _compat_pickle.NAME_MAPPING[module, name]
    return _compat_pickle.IMPORT_MAPPING.get(module, module), name


class WeightsUnpickler(pickle.Unpickler):
    """An unpickler that rejects all globals that are not on the allowlist."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._allowed = allowed_globals()

    def find_class(self, module: str, name: str) -> Any:
        """Return the object of a global name, or raise if the name is not allowed."""
        names = (f"{module}.{name}", ".".join(python_name(module, name)))
        if module in _BLOCKED:
            raise pickle.UnpicklingError(
                f"Trying to load unsupported GLOBAL {names[1]} whose module {module} is blocked."
            )
        for full in names:
            if full in self._allowed:
                return self._allowed[full]
        full = names[1].removeprefix("builtins.")
        raise pickle.UnpicklingError(
            f"{_UNSUPPORTED}GLOBAL {full} was not an allowed global by default. Please use "
            f"`torch.serialization.add_safe_globals([{full}])` or the "
            f"`torch.serialization.safe_globals([{full}])` context manager to allowlist this "
            "global if you trust this class/function."
        )


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Allow weights-only loads to use further classes and functions.

    Args:
        safe_globals: Classes and functions, or pairs `(object, "module.name")` for those that
            files refer to by another name. They must be safe to call with any arguments.

    Example:
        >>> from fractions import Fraction
        >>> torch.save(Fraction(1, 3), "third.pt")
        >>> torch.serialization.add_safe_globals([Fraction])
        >>> torch.load("third.pt")
        Fraction(1, 3)
        >>> torch.serialization.clear_safe_globals()
    """
    _user_globals.extend(safe_globals)


def get_safe_globals() -> list[Any]:
    """Return what `add_safe_globals` has added.

    Example:
        >>> from fractions import Fraction
        >>> Fraction in torch.serialization.get_safe_globals()
        False
    """
    return list(_user_globals)


def clear_safe_globals() -> None:
    """Remove everything that `add_safe_globals` has added.

    Example:
        >>> torch.serialization.clear_safe_globals()
    """
    _user_globals.clear()


@contextlib.contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """Context manager that calls `add_safe_globals` for the length of its block.

    Args:
        safe_globals: As for `add_safe_globals`.

    Example:
        >>> from fractions import Fraction
        >>> torch.save(Fraction(1, 3), "third.pt")
        >>> with torch.serialization.safe_globals([Fraction]):
        ...     torch.load("third.pt")
        Fraction(1, 3)
    """
    before = get_safe_globals()
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _user_globals[:] = before
