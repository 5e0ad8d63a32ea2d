"""Clean builds, cached by their sources and settings."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace

from .checkout import BUILD, BuildMethod, Checkout
from .file_states import Observer

Expected = dict[str, dict[str, tuple[str, int]]]
"""Maps a part of a build (a field of Outputs) to the state of each of its files."""


@dataclass
class CleanBuilds:
    """A second tree, always built from scratch and without a compiler cache."""

    checkout: Checkout
    observer: Observer
    _known: dict[str, Expected] = field(default_factory=dict)

    def expected(self, checkout: Checkout, *, generated_only: bool) -> Expected:
        """Return what a clean build of this checkout's sources and settings makes."""
        key = checkout.key()
        known = self._known.get(key, {})
        if not known or (len(known) == 1 and not generated_only):
            method = BuildMethod.CODEGEN if generated_only else BuildMethod.DEVELOP
            shutil.rmtree(self.checkout.root, ignore_errors=True)
            self.copy_sources(checkout)
            known = self._known[key] = self.build(checkout, method)
        return {"generated": known["generated"]} if generated_only else known

    def copy_sources(self, checkout: Checkout) -> None:
        """Copy the sources to be built."""
        checkout.copy_sources(self.checkout.root)

    def build(self, checkout: Checkout, method: BuildMethod) -> Expected:
        """Build the copied sources with the settings of the checkout that they came from."""
        plain = checkout.settings.with_options(CC="", COMPILER_CACHE="")
        self.checkout.settings = replace(plain, cache_in_path=False)
        return self.run(method)

    def run(self, method: BuildMethod) -> Expected:
        """Run a build, which must succeed, and return what it made."""
        root = self.checkout.root
        result = self.checkout.build(method)
        assert result.returncode == 0, f"a clean build fails:\n{result.stdout}"
        made = self.observer.outputs(root, root / BUILD)
        parts = (
            ("generated",) if method is BuildMethod.CODEGEN else ("generated", "products", "staged")
        )
        return {part: made.part(part) for part in parts}
