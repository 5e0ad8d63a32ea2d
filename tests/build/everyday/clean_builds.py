"""Builds from nothing, remembered by what they were made of."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace

from .checkout import BUILD, Checkout, Way
from .looks import Observer

Expected = dict[str, dict[str, tuple[str, int]]]
"""Part of a build (a field of Made) to the state of each of its files."""


@dataclass
class CleanBuilds:
    """A second tree that is built from nothing, without a compiler cache."""

    checkout: Checkout
    observer: Observer
    _known: dict[str, Expected] = field(default_factory=dict)

    def of(self, checkout: Checkout, *, generated_only: bool) -> Expected:
        """What a clean build of these sources with these settings makes."""
        key = checkout.key()
        known = self._known.get(key, {})
        if not known or (len(known) == 1 and not generated_only):
            way = Way.CODEGEN if generated_only else Way.DEVELOP
            shutil.rmtree(self.checkout.root, ignore_errors=True)
            self.copy_sources(checkout)
            known = self._known[key] = self.build(checkout, way)
        return {"generated": known["generated"]} if generated_only else known

    def copy_sources(self, checkout: Checkout) -> None:
        """Lay out what is to be built."""
        checkout.copy_sources(self.checkout.root)

    def build(self, checkout: Checkout, way: Way) -> Expected:
        """Build what was laid out, with the settings of the checkout that it was copied from."""
        plain = checkout.settings.with_options(CC="", COMPILER_CACHE="")
        self.checkout.settings = replace(plain, cache_in_path=False)
        return self.made(way)

    def made(self, way: Way) -> Expected:
        """Build in a way, and return what that gave."""
        root = self.checkout.root
        result = self.checkout.build(way)
        assert result.returncode == 0, f"a clean build fails:\n{result.stdout}"
        made = self.observer.made(root, root / BUILD)
        parts = ("generated",) if way is Way.CODEGEN else ("generated", "products", "staged")
        return {part: made.part(part) for part in parts}
