"""Locations: how a file of torch.save names the device of a storage, and how torch.load restores it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._serialization_settings import (  # noqa: F401 (part of this module's interface)
    LoadEndianness,
    check_module_version_greater_or_equal,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    get_unsafe_globals_in_checkpoint,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from torch.storage import TypedStorage, UntypedStorage

MapLocation = Callable[[UntypedStorage, str], Any] | torch.device | str | dict[str, str] | None
Tagger = Callable[[UntypedStorage], "str | None"]


Deserializer = Callable[[UntypedStorage, str], "UntypedStorage | None"]


_packages: list[tuple[int, Tagger, Deserializer]] = []


def register_package(priority: int, tagger: Tagger, deserializer: Deserializer) -> None:
    """Add a device whose storages `torch.save` and `torch.load` handle.

    Args:
        priority: Packages with lower numbers are asked first.
        tagger: A function of a storage that returns its location, a string for the file, or None
            if the storage is not the package's.
        deserializer: A function of a storage on the CPU and a location that returns the storage in
            that location, or None if the location is not the package's.

    Example:
        >>> torch.serialization.register_package(
        ...     50, lambda storage: None, lambda storage, location: None
        ... )
    """
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda package: package[0])


def location_tag(storage: UntypedStorage | TypedStorage) -> str:
    """Return the string that a file contains for the place of a storage.

    Example:
        >>> torch.serialization.location_tag(torch.ones(1).untyped_storage())
        'cpu'
    """
    untyped = storage.untyped()
    for _, tagger, _ in _packages:
        location = tagger(untyped)
        if location is not None:
            return location
    return str(untyped.device)


def default_restore_location(storage: UntypedStorage, location: str) -> UntypedStorage:
    """Return a storage of a file, which is on the CPU, in the location that the file names.

    Raises:
        RuntimeError: If the device is not available in this process.

    Example:
        >>> storage = torch.ones(1).untyped_storage()
        >>> torch.serialization.default_restore_location(storage, "cpu") is storage
        True
    """
    for _, _, deserializer in _packages:
        restored = deserializer(storage, location)
        if restored is not None:
            return restored
    if location.split(":")[0] == "cuda":
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
            "False. If you are running on a CPU-only machine, please use torch.load with "
            "map_location=torch.device('cpu') to map your storages to the CPU."
        )
    raise RuntimeError(
        "don't know how to restore data location of torch.storage.UntypedStorage (tagged with "
        f"{location})"
    )


def _cpu_deserialize(storage: UntypedStorage, location: str) -> UntypedStorage | None:
    return storage if location.split(":")[0] == "cpu" else None


def _meta_deserialize(storage: UntypedStorage, location: str) -> UntypedStorage | None:
    return UntypedStorage(storage.nbytes(), device="meta") if location == "meta" else None


def _accelerator_deserialize(storage: UntypedStorage, location: str) -> UntypedStorage | None:
    """Move a storage to the device of the back end that is loaded, if the location names it."""
    accelerator = torch._C._get_accelerator()
    if accelerator is None or location.split(":")[0] != accelerator.type:
        return None
    index = torch.device(location).index
    count = torch._C._accelerator_deviceCount()
    if index is not None and index >= count:
        raise RuntimeError(
            f"Attempting to deserialize object on {accelerator.type.upper()} device {index} but "
            f"there are {count} of them. Please use torch.load with map_location to map your "
            "storages to an existing device."
        )
    return storage.to(device=location)


register_package(10, lambda storage: None, _cpu_deserialize)
register_package(20, lambda storage: None, _accelerator_deserialize)
register_package(22, lambda storage: None, _meta_deserialize)


def restorer(map_location: MapLocation) -> Callable[[UntypedStorage, str], UntypedStorage]:
    """Return the function that places storages as `map_location` says."""
    place = default_restore_location
    if map_location is None:
        return place
    if isinstance(map_location, dict):
        return lambda storage, location: place(storage, map_location.get(location, location))
    if isinstance(map_location, (str, torch.device)):
        return lambda storage, location: place(storage, str(map_location))

    def restore(storage: UntypedStorage, location: str) -> UntypedStorage:
        moved = map_location(storage, location)
        return place(storage, location) if moved is None else moved

    return restore
