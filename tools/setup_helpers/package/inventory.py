"""Take fingerprints of a package's files while Ninja runs, and again of files that it or staging wrote."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.fingerprint import snapshot
from tools.base.generation import recorded_outputs
from tools.base.ninja_manifest import NAME as MANIFEST

from ..env.options import Options
from ..table.config import Config
from .contents import built_files, list_contents, may_gain

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry


class Inventory:
    """The files of a package with their fingerprints, taken once and shared by all later steps."""

    def __init__(
        self, config: Config, options: Options, build_dir: Path, known: Mapping[str, Entry]
    ) -> None:
        """Take the inventory; files with the size and time that `known` records are not read.

        Ninja's outputs may be half written at this point, so `refresh` adds them when Ninja has ended.
        """
        self._config = config
        self._options = options
        self._build_dir = build_dir
        self._known = known
        self._take()

    def _take(self) -> None:
        self.contents = list_contents(self._config, self._options, self._build_dir)
        self._built = {str(path) for path in built_files(self._build_dir).values()}
        generated = (f"{self._build_dir}/{path}" for path in recorded_outputs(self._build_dir))
        copies = (f"{self._config.root}/{path}" for path in self.contents.editable)
        sources = map(str, self.contents.editable.values())
        paths = dict.fromkeys([*generated, *sources, *copies])
        unbuilt = [path for path in paths if path not in self._built]
        self.entries: dict[str, Entry] = snapshot(unbuilt, self._known)

    def refresh(self, outputs: Collection[str]) -> None:
        """Update the inventory after Ninja made these outputs, named as in its log."""
        if MANIFEST in outputs or may_gain(
            self._config, outputs
        ):  # the package may have other files
            self._take()
        self.entries |= snapshot(list(self._built), self._known)

    def add_copies(self, paths: Iterable[str]) -> None:
        """Add the files that staging copied; their content is that of their sources."""
        known = {}
        for path in paths:
            source = self.entries[str(self.contents.editable[path])]
            copy = f"{self._config.root}/{path}"
            known[copy] = [source[0], os.stat(copy).st_mtime_ns, *source[2:]]
        self.entries |= snapshot(list(known), known)
