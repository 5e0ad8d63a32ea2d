"""Results that a run of the generator keeps for the next one: operators as read, and texts.

The cache only saves time. Each value is stored under a digest of its inputs; without a cache, or
with one that is damaged or written by another version, everything is computed again.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from hashlib import blake2b
from itertools import chain
from typing import Any

from tools.base.atomic import write_atomically
from tools.codegen.model import NativeFunction

FILE = "codegen.memory"
_MODULES = frozenset(f"tools.codegen.{name}" for name in ("model", "names", "schema", "types"))
_WORTH_WRITING = 200
"""The least number of new values to save: recomputing fewer is faster than writing the file."""


class _Unpickler(pickle.Unpickler):
    """Accepts only values of the model, so that a file cannot execute code."""

    def find_class(self, module: str, name: str) -> Any:
        if module in _MODULES and "." not in name:
            found = getattr(sys.modules[module], name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        if (module, name) == ("builtins", "frozenset"):
            return frozenset
        raise pickle.UnpicklingError(f"{module}.{name} is not part of the model")


def _by_value(member: Enum) -> tuple[type[Enum], tuple[Any]]:
    return type(member), (member.value,)


def _dumps(value: object) -> bytes:
    """Pickle a value, with members of enumerations stored by value.

    Python 3.11.0 to 3.11.3 would store a reference to `getattr` instead, which the reader rejects.
    """
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=5)
    known = (vars(sys.modules[module]).values() for module in _MODULES)
    enums = {each for each in chain(*known) if isinstance(each, type) and issubclass(each, Enum)}
    pickler.dispatch_table = dict.fromkeys(enums, _by_value)
    pickler.dump(value)
    return buffer.getvalue()


@dataclass
class Cache:
    """Operators by the fingerprint of their entries, and texts by name with their ingredients."""

    functions: dict[str, NativeFunction] = field(default_factory=dict)
    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    _new: int = 0

    @staticmethod
    def load(folder: str | os.PathLike[str], generator: str) -> Cache:
        """Load the results that a generator with the digest `generator` saved in this folder."""
        try:
            with open(os.path.join(folder, FILE), "rb") as file:
                data = file.read()
        except OSError:
            return Cache()
        head, _, body = data.partition(b"\n")
        if head != _head(generator, body):
            return Cache()
        try:
            functions, texts = _Unpickler(io.BytesIO(body)).load()
            return Cache(dict(functions), dict(texts))
        except (pickle.UnpicklingError, TypeError, ValueError):
            return Cache()

    def save(self, folder: str | os.PathLike[str], generator: str) -> None:
        """Write the cache if it has enough new values."""
        if self._new >= _WORTH_WRITING:
            body = _dumps((self.functions, self.texts))
            data = b"\n".join([_head(generator, body), body])
            write_atomically(os.path.join(folder, FILE), data)

    def keep(self, functions: Iterable[NativeFunction]) -> None:
        """Replace the cached operators by those of this run."""
        kept = {function.fingerprint: function for function in functions}
        self._new += len(kept.keys() - self.functions.keys())
        self.functions = kept

    def text(self, name: str, ingredients: str, make: Callable[[], str]) -> str:
        """Return the text of this name; it is built again only if its ingredients changed."""
        known = self.texts.get(name)
        if known is not None and known[0] == ingredients:
            return known[1]
        text = make()
        self.texts[name] = (ingredients, text)
        self._new += 1
        return text


def _head(generator: str, body: bytes) -> bytes:
    digest = blake2b(body, digest_size=16).hexdigest()
    return f"codegen.memory {sys.hexversion:x} {generator} {digest}".encode()
