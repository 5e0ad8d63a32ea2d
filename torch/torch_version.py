"""TorchVersion: the version as a string that compares as a version."""

from __future__ import annotations

from typing import Any

from torch.version import __version__ as internal_version

__all__ = ["TorchVersion"]


class TorchVersion(str):
    """A string that is compared with versions, strings and tuples as a version.

    Example:
        >>> from torch.torch_version import TorchVersion
        >>> TorchVersion("1.10.0a") > "1.9", TorchVersion("1.10.0a") > (1, 2)
        (True, True)
    """

    def _as_version(self, other: Any) -> Any:
        from packaging.version import Version

        if isinstance(other, Version):
            return other
        if isinstance(other, str):
            return Version(other)
        return Version(".".join(map(str, other)))

    def _compare(self, other: Any, method: str) -> bool:
        from packaging.version import InvalidVersion, Version

        try:
            return bool(getattr(Version(self), method)(self._as_version(other)))
        except InvalidVersion:
            return bool(getattr(str, method)(self, other))

    def __gt__(self, other: Any) -> bool:
        return self._compare(other, "__gt__")

    def __ge__(self, other: Any) -> bool:
        return self._compare(other, "__ge__")

    def __lt__(self, other: Any) -> bool:
        return self._compare(other, "__lt__")

    def __le__(self, other: Any) -> bool:
        return self._compare(other, "__le__")

    def __eq__(self, other: Any) -> bool:
        return self._compare(other, "__eq__")

    def __hash__(self) -> int:
        return str.__hash__(self)


__version__ = TorchVersion(internal_version)
