"""What a generator read and made last, and whether it must run again.

A record per generator, in one file of the output root. Records are only ever a reason not to work:
without one, or with one that is damaged or of another tree, everything is made again.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from ..tree.fingerprint import digest_file, digest_text
from ..tree.sealed import read_sealed, write_sealed

if TYPE_CHECKING:
    from ..tree.fingerprint import Entry

STATE = "codegen.json"
FORMAT = 4
Record: TypeAlias = dict[str, Any]
"""`key` and `base`: digests of all it depended on, and of all that `ingredients` do not cover;
`meaning`: what the generator said its inputs mean; `settings`: what else it depended on, as
`NAME=VALUE`; `inputs`: path to [size, mtime, digest];
`outputs`: path to [size, mtime, ingredients]."""


def read_records(folder: str | os.PathLike[str]) -> dict[str, Record]:
    """The records of an output root by generator, or {} when they are not whole."""
    document = read_sealed(os.path.join(folder, STATE))
    if not document or document["format"] != FORMAT:
        return {}
    records: dict[str, Record] = document["records"]
    return records


def write_records(folder: str | os.PathLike[str], records: Mapping[str, Record]) -> None:
    """Replaces the records atomically."""
    os.makedirs(folder, exist_ok=True)
    write_sealed(os.path.join(folder, STATE), {"format": FORMAT, "records": records})


def recorded_outputs(folder: str | os.PathLike[str]) -> list[str]:
    """Every file that generators made last, relative to the output root."""
    return sorted(path for record in read_records(folder).values() for path in record["outputs"])


@dataclass(frozen=True)
class Generation:
    """One generator, what it depends on now, and its record."""

    root: str
    known: Record
    inputs: dict[str, Entry]
    settings: list[str]
    key: str
    base: str

    @staticmethod
    def look(
        source: str,
        root: str,
        known: Record,
        paths: Iterable[str],
        settings: Collection[str],
        partial: Collection[str] = (),
    ) -> Generation:
        """Inputs are hashed only when their stat moved.

        `partial` are the inputs of which each file depends on a part, as its ingredients say;
        `settings` are whatever else the files depend on, as `NAME=VALUE`.
        """
        before: Mapping[str, Entry] = known.get("inputs", {})
        inputs: dict[str, Entry] = {}
        for path in paths:
            full = os.path.join(source, path)
            info = os.stat(full)
            entry = before.get(path)
            if entry is None or entry[0] != info.st_size or entry[1] != info.st_mtime_ns:
                entry = [info.st_size, info.st_mtime_ns, digest_file(full)]
            inputs[path] = entry
        base = digest_text(*settings, *_texts(inputs, inputs.keys() - set(partial)))
        key = digest_text(base, *_texts(inputs, partial))
        return Generation(root, known, inputs, list(settings), key, base)

    def reason(self) -> str:
        """Why the generator must run; empty when all is as it left it."""
        if not self.known:
            return "first time"
        if self.known["key"] == self.key:
            return damaged(self.root, self.known["outputs"])
        before = self.known["inputs"]
        for path, entry in self.inputs.items():
            if path not in before or before[path][2] != entry[2]:
                return f"{path} changed"
        gone = [path for path in before if path not in self.inputs]
        others = [text for text in self.settings if text not in self.known["settings"]]
        names = [*gone, *(text.partition("=")[0] for text in others)]
        return f"{names[0] if names else 'what it is asked for'} changed"

    @property
    def reusable(self) -> bool:
        """Whether a file with the same ingredients as last time has the same text."""
        return bool(self.known) and self.known["base"] == self.base

    def record(self, outputs: Mapping[str, Entry], meaning: str) -> Record:
        """The record of a run that made these files."""
        return {
            "key": self.key,
            "base": self.base,
            "meaning": meaning,
            "settings": self.settings,
            "inputs": self.inputs,
            "outputs": outputs,
        }


def _texts(inputs: Mapping[str, Entry], paths: Collection[str]) -> list[str]:
    return [f"{path}={inputs[path][2]}" for path in sorted(paths) if path in inputs]


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Generators make hundreds of thousands of values and no cycles: nothing to collect."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()  # nor later: what is left goes when its last reference does
            gc.enable()


def damaged(root: str, outputs: Mapping[str, Entry]) -> str:
    """What is wrong with the first file that is not as it was recorded; empty when all are."""
    stat = os.stat
    for path, entry in outputs.items():
        try:
            info = stat(f"{root}/{path}")
        except OSError:
            return f"{path} is missing"
        if info.st_size != entry[0] or info.st_mtime_ns != entry[1]:
            return f"{path} was edited"
    return ""
