"""The settings `load` and `save`, whose attributes can be read and set.

torch.utils.serialization.config.load.mmap = True
"""

from __future__ import annotations

from typing import Any

from torch import _serialization_settings as _settings


class _Load:
    """The settings of torch.load.

    Example:
        >>> from torch.utils.serialization import config
        >>> config.load.mmap
        False
    """

    calculate_storage_offsets = False  # places of storages are always read from the file

    @property
    def mmap(self) -> bool:
        """Whether files are mapped if `torch.load` does not say."""
        return _settings.mmap_by_default

    @mmap.setter
    def mmap(self, value: bool) -> None:
        _settings.mmap_by_default = value

    @property
    def endianness(self) -> Any:
        """The byte order of files that do not record one; None means the machine's."""
        return _settings.get_default_load_endianness()

    @endianness.setter
    def endianness(self, value: Any) -> None:
        _settings.set_default_load_endianness(value)

    @property
    def mmap_flags(self) -> int:
        """The flags with which files are mapped."""
        return _settings.get_default_mmap_options()

    @mmap_flags.setter
    def mmap_flags(self, value: int) -> None:
        _settings.set_default_mmap_options(value)


class _Save:
    """The settings of torch.save.

    Example:
        >>> from torch.utils.serialization import config
        >>> config.save.compute_crc32
        True
    """

    use_pinned_memory_for_d2h = False  # copies from a GPU are never pinned

    @property
    def compute_crc32(self) -> bool:
        """Whether checksums are computed; files have them in any case."""
        return _settings.get_crc32_options()

    @compute_crc32.setter
    def compute_crc32(self, value: bool) -> None:
        _settings.set_crc32_options(value)

    @property
    def storage_alignment(self) -> int:
        """The alignment of storages in files, which cannot be changed here."""
        return 64

    @storage_alignment.setter
    def storage_alignment(self, value: int) -> None:
        if value != self.storage_alignment:
            raise NotImplementedError(
                f"this build writes files whose storages are aligned to 64 bytes, not to {value}"
            )


load, save = _Load(), _Save()
