"""Storages: the memory of tensors, as bytes (UntypedStorage) or as elements (TypedStorage)."""

from torch._untyped_storage import (  # noqa: F401 (pickles name the functions)
    UntypedStorage,
    _load_from_bytes,
    _rebuild_untyped,
)

_TYPED = {
    *("LEGACY_STORAGES", "TypedStorage", "_LegacyStorage", "_rebuild_typed"),
    *("_dtype_to_storage_type_map", "_storage_type_to_dtype_map"),
}
"""Names of torch._typed_storage, which is imported when a program first asks for one."""


def __getattr__(name):
    if name in _TYPED:
        from torch import _typed_storage

        return getattr(_typed_storage, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
