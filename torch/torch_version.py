"""TorchVersion: the version as a string that compares as a version."""

from __future__ import annotations

import math

from torch.version import __version__ as internal_version

TYPE_CHECKING = False  # importing torch does without the module typing
if TYPE_CHECKING:
    from typing import Any

__all__ = ["TorchVersion"]

# The form of versions and their order: https://packaging.python.org/specifications/version-specifiers
_FORM = (
    r"\s*v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[-_.]?(?P<phase>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?P<pre>\d*))?"
    r"(?P<posted>[-_.]?(?:post|rev|r)[-_.]?(?P<post>\d*)|-(?P<bare_post>\d+))?"
    r"(?P<developed>[-_.]?dev[-_.]?(?P<dev>\d*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*"
)
_PHASES = {"alpha": "a", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc"}


def _key(text: str) -> tuple[Any, ...] | None:
    """Return what a version sorts by, or None if the text is no version."""
    import re  # only here: importing torch does not need it

    found = re.fullmatch(_FORM, text, re.IGNORECASE)
    if found is None:
        return None
    release = [int(part) for part in found["release"].split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    phase = (found["phase"] or "").lower()
    only_dev = bool(found["developed"]) and not found["posted"]
    if phase:
        pre = (0, _PHASES.get(phase, phase), int(found["pre"] or 0))
    else:
        pre = (-1, "", 0) if only_dev else (1, "", 0)
    post = int(found["post"] or found["bare_post"] or 0) if found["posted"] else -1
    dev = int(found["dev"] or 0) if found["developed"] else math.inf
    local = re.split(r"[-_.]", found["local"].lower()) if found["local"] else []
    parts = [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in local]
    return int(found["epoch"] or 0), tuple(release), pre, post, dev, bool(local), tuple(parts)


class TorchVersion(str):
    """A string that is compared with versions, strings and tuples as a version.

    Text that is no version is compared as text.

    Example:
        >>> from torch.torch_version import TorchVersion
        >>> TorchVersion("1.10.0a") > "1.9", TorchVersion("1.10.0a") > (1, 2)
        (True, True)
    """

    def _compare(self, other: Any, method: str) -> Any:
        is_sequence = isinstance(other, (tuple, list))
        text = ".".join(map(str, other)) if is_sequence else str(other)
        mine, theirs = _key(self), _key(text)
        if mine is None or theirs is None:
            return getattr(str, method)(self, other)
        return getattr(mine, method)(theirs)

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
