"""Unpickling that cannot run code from the file: it only accepts an allowlist of globals."""

from __future__ import annotations

import pickle
from collections import Counter, OrderedDict
from typing import Any

import torch
from torch import _tensor, _utils
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
        **_named("__builtin__", bytearray, complex, set),
        **_named("torch._utils", *rebuilders),
        **_named("torch.storage", TypedStorage, UntypedStorage),
        **_named("torch", *LEGACY_STORAGES.values()),
    }
    dtypes = (value for value in vars(torch).values() if isinstance(value, torch.dtype))
    names.update((str(dtype), dtype) for dtype in dtypes)
    schemes = (value for value in vars(torch).values() if isinstance(value, torch.qscheme))
    names.update((str(scheme), scheme) for scheme in schemes)
    for item in _user_globals:
        value, name = item if isinstance(item, tuple) else (item, None)
        names[name or f"{value.__module__}.{value.__qualname__}"] = value
    return names


class WeightsUnpickler(pickle.Unpickler):
    """An unpickler that rejects all globals that are not on the allowlist."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._allowed = allowed_globals()

    def find_class(self, module: str, name: str) -> Any:
        """Return the object of a global name, or raise if the name is not allowed."""
        full = f"{module}.{name}"
        if full in self._allowed:
            return self._allowed[full]
        raise pickle.UnpicklingError(
            f"Unsupported global: GLOBAL {full} was not an allowed global by default. Please use "
            f"`torch.serialization.add_safe_globals([{full}])` or the "
            f"`torch.serialization.safe_globals([{full}])` context manager to allowlist this "
            "global if you trust this class/function."
        )
