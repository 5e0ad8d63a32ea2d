"""What a run of the generator keeps for the next one: operators as they were read, and texts made of
them.

Only ever a reason not to work: each value is found under a digest of what it was made from, and
without a memory, or with one that is damaged or another generator's, everything is made again.
"""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from tools.codegen.model import NativeFunction
from tools.setup_helpers.tree.atomic import write_atomically

FILE = "codegen.memory"
_ROOMS = frozenset(f"tools.codegen.{name}" for name in ("model", "names", "schema", "types"))
_WORTH_WRITING = 200
"""So many values must be new: to make a few again takes less time than to write all."""


class _Unpickler(pickle.Unpickler):
    """Makes values of the model and no others, so that no file can run what it names."""

    def find_class(self, module: str, name: str) -> Any:
        if module in _ROOMS and "." not in name:
            found = getattr(sys.modules[module], name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        if (module, name) == ("builtins", "frozenset"):
            return frozenset
        raise pickle.UnpicklingError(f"{module}.{name} is no part of the model")


@dataclass
class Memory:
    """Operators by the fingerprint of their entries, and texts by name with their ingredients."""

    functions: dict[str, NativeFunction] = field(default_factory=dict)
    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    _new: int = 0

    @staticmethod
    def load(folder: str | os.PathLike[str], maker: str) -> Memory:
        """What a generator with the digest `maker` kept in this folder."""
        try:
            with open(os.path.join(folder, FILE), "rb") as file:
                data = file.read()
        except OSError:
            return Memory()
        head, _, body = data.partition(b"\n")
        if head != _head(maker, body):
            return Memory()
        try:
            functions, texts = _Unpickler(io.BytesIO(body)).load()
            return Memory(dict(functions), dict(texts))
        except (pickle.UnpicklingError, TypeError, ValueError):
            return Memory()

    def save(self, folder: str | os.PathLike[str], maker: str) -> None:
        """Keeps it, if enough is new."""
        if self._new >= _WORTH_WRITING:
            body = pickle.dumps((self.functions, self.texts), protocol=5)
            data = b"\n".join([_head(maker, body), body])
            write_atomically(os.path.join(folder, FILE), data)

    def keep(self, functions: Iterable[NativeFunction]) -> None:
        """The operators of this run, in place of those before."""
        kept = {function.fingerprint: function for function in functions}
        self._new += len(kept.keys() - self.functions.keys())
        self.functions = kept

    def text(self, name: str, ingredients: str, make: Callable[[], str]) -> str:
        """The text of this name, made again if its ingredients are not those of the last time."""
        known = self.texts.get(name)
        if known is not None and known[0] == ingredients:
            return known[1]
        text = make()
        self.texts[name] = (ingredients, text)
        self._new += 1
        return text


def _head(maker: str, body: bytes) -> bytes:
    digest = blake2b(body, digest_size=16).hexdigest()
    return f"codegen.memory {sys.hexversion:x} {maker} {digest}".encode()
