"""Storages: the memory of tensors, as bytes (UntypedStorage) or as elements (TypedStorage)."""

from torch._untyped_storage import UntypedStorage, _rebuild_untyped  # noqa: F401 (pickles name it)

_TYPED = {"LEGACY_STORAGES", "TypedStorage", "_LegacyStorage", "_rebuild_typed"}
"""Names of torch._typed_storage, which is imported when a program first asks for one."""


def __getattr__(name):
    if name in _TYPED:
        from torch import _typed_storage

        return getattr(_typed_storage, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _load_from_bytes(b):
    """Return the object in the bytes of a file; pickles of storages name this function."""
    import io

    from torch.serialization import load

    return load(io.BytesIO(b), weights_only=False)


def _pickled(storage):
    """Return how PyTorch pickles a storage, as bytes of a file; None if the file has no such dtype."""
    import io

    from torch import _legacy_serialization

    file = io.BytesIO()
    try:
        _legacy_serialization.save(storage, file, 2)
    except TypeError:
        return None
    return _load_from_bytes, (file.getvalue(),)
