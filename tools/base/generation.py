"""Record what a generator read and wrote, and decide whether it must run again.

Each generator has a record, all in one file of the output root. A record can only save work: if it is
missing, damaged or from another tree, the generator runs.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from .fingerprint import digest_file, digest_text
from .store import Record as Stored

if TYPE_CHECKING:
    from .fingerprint import Entry

STATE = "codegen.json"
Record: TypeAlias = dict[str, Any]
"""`key`: a digest of everything the generator depends on; `base`: the same without the part that the
`ingredients` of each file cover; `meaning`: the generator's digest of its inputs; `settings`: other
dependencies, as `NAME=VALUE`; `inputs`: path to [size, mtime, digest]; `outputs`: path to [size, mtime,
ingredients]."""
_STORED: Stored[dict[str, dict[str, Record]]] = Stored(STATE, format=4)


def read_records(folder: str | os.PathLike[str]) -> dict[str, Record]:
    """Return the records of an output root by generator, or {} if they are missing or damaged."""
    document = _STORED.read(folder)
    return document["records"] if document else {}


def write_records(folder: str | os.PathLike[str], records: dict[str, Record]) -> None:
    """Replace the records atomically."""
    os.makedirs(folder, exist_ok=True)
    _STORED.write(folder, {"records": records})


def recorded_outputs(folder: str | os.PathLike[str]) -> list[str]:
    """Return all files that the last runs made, relative to the output root."""
    return sorted(path for record in read_records(folder).values() for path in record["outputs"])


@dataclass(frozen=True)
class Generation:
    """A generator's present inputs and settings, and the record of its last run."""

    root: str
    known: Record
    inputs: dict[str, Entry]
    settings: list[str]
    key: str
    base: str

    @staticmethod
    def inspect(
        source: str,
        root: str,
        known: Record,
        paths: Iterable[str],
        settings: Collection[str],
        partial: Collection[str] = (),
    ) -> Generation:
        """Look at the inputs, hashing only those whose stat changed.

        Args:
            source: The folder that `paths` are relative to.
            root: The output root.
            known: The record of the last run; {} if there is none.
            paths: All inputs.
            settings: Everything else that the files depend on, as `NAME=VALUE`.
            partial: Inputs of which each file uses only the part that its ingredients cover.
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
        """Return why the generator must run; empty if nothing changed since its last run."""
        if not self.known:
            return "first time"
        if not self.known["key"]:
            return "its last run did not end"
        if self.known["key"] == self.key:
            return first_damage(self.root, self.known["outputs"])
        before = self.known["inputs"]
        for path, entry in self.inputs.items():
            if path not in before or before[path][2] != entry[2]:
                return f"{path} changed"
        gone = [path for path in before if path not in self.inputs]
        others = [text for text in self.settings if text not in self.known["settings"]]
        names = [*gone, *(text.partition("=")[0] for text in others)]
        return f"{names[0] if names else 'a setting'} changed"

    @property
    def reusable(self) -> bool:
        """Whether a file with the same ingredients as in the last run has the same text."""
        return bool(self.known) and self.known["base"] == self.base

    def begun(self, outputs: Collection[str]) -> Record:
        """Return the record to write before these files, so that they are known if the run is killed.

        It is never up to date. It is {} if the last run's record names all the files.
        """
        known = self.known.get("outputs", {})
        if known.keys() >= set(outputs):
            return {}
        paths = sorted({*known, *outputs})
        return {**self.record({path: [0, 0, ""] for path in paths}, ""), "key": "", "base": ""}

    def record(self, outputs: Mapping[str, Entry], meaning: str) -> Record:
        """Return the record of a run that made these files."""
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
    """Pause the garbage collector: generators create hundreds of thousands of objects and no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()  # reference counts free the remaining objects, too
            gc.enable()


def first_damage(root: str, outputs: Mapping[str, Entry]) -> str:
    """Return what is wrong with the first file that differs from its record; empty if none does."""
    stat = os.stat
    for path, entry in outputs.items():
        try:
            info = stat(f"{root}/{path}")
        except OSError:
            return f"{path} is missing"
        if info.st_size != entry[0] or info.st_mtime_ns != entry[1]:
            return f"{path} was edited"
    return ""
