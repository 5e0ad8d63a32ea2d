"""Records that are read whole or not at all: JSON with its own checksum, replaced atomically.

The no-op build imports this module.
"""

from __future__ import annotations

import json
import os
import zlib

TYPE_CHECKING = False  # typing costs more to import than this whole module
if TYPE_CHECKING:
    from typing import Any

_FORMAT = b'{"crc": "%08x", "record": %b}\n'
_HEAD = len(_FORMAT % (0, b"")) - len(b"}\n")


def read_sealed(path: str | os.PathLike[str]) -> Any:
    """Return the record, or None if the file is missing, cut short or edited."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return None
    body = data[_HEAD:-2]
    return json.loads(body) if data == _FORMAT % (zlib.crc32(body), body) else None


def write_sealed(path: str | os.PathLike[str], record: object) -> None:
    """Replace the file if the record changed."""
    from .atomic import write_if_changed

    body = json.dumps(record, separators=(",", ":")).encode()
    write_if_changed(path, _FORMAT % (zlib.crc32(body), body))
