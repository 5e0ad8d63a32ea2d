"""Check that CMake, Ninja and the compilers can handle the paths of this checkout."""

from __future__ import annotations

import re

from .check import Check, Finding, Machine, either, ok, problem, warning

# Determined by building in folders with such names, with GCC 12, CMake 3.25 and Ninja 1.11.
_STOPS = re.compile(r'[;"?*|#\[\]<>\\]|\$\(|\$\w*\{')
_LOSES_HEADERS = re.compile(r"[&'`^\t]")
_STALE = "Ninja does not see which headers were included, so it recompiles too little after an edit"


class Paths(Check):
    """Look for characters with a meaning in CMake's lists, in Ninja's files or in dependency files."""

    id = "paths"
    looks_at = "the characters in the paths of the checkout and the build directory"
    consequence = "CMake or Ninja stops with an error that does not mention the path"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        places = {str(machine.root): "", str(machine.build_dir): self._elsewhere(machine)}
        for place, elsewhere in places.items():
            remedy = either("move the checkout to a folder without that character", elsewhere)
            if match := _STOPS.search(place):
                return problem(f"{match[0]} in {place}", remedy)
            if match := _LOSES_HEADERS.search(place):
                return warning(f"{match[0]!r} in {place}", remedy, _STALE)
        return ok("no character that CMake or Ninja cannot handle")

    def _elsewhere(self, machine: Machine) -> str:
        """Suggest another build directory, unless it is inside the checkout."""
        inside = machine.build_dir.is_relative_to(machine.root)
        return "" if inside else machine.with_option("build_dir", "/another/folder")
