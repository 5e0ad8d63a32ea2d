"""Can CMake, Ninja and the compilers write down where this checkout lies?"""

from __future__ import annotations

import re

from .check import Check, Finding, Machine, either, ok, problem, warning

# Found by building in folders of such names, with GCC 12, CMake 3.25 and Ninja 1.11.
_STOPS = re.compile(r'[;"?*|#\[\]<>\\]|\$\(|\$\w*\{')
_LOSES_HEADERS = re.compile(r"[&'`^\t]")
_STALE = "Ninja does not see which headers were included: after an edit it compiles too little"


class Paths(Check):
    """Characters with a meaning in CMake's lists, in Ninja's files or in dependency files."""

    id = "paths"
    looks_at = "the characters in the paths of the checkout and the build directory"
    consequence = "CMake or Ninja stops, and says nothing of the path"
    quick = True

    def examine(self, machine: Machine) -> Finding:
        places = {str(machine.root): "", str(machine.build_dir): self._elsewhere(machine)}
        for place, elsewhere in places.items():
            remedy = either("move the checkout to a folder without it", elsewhere)
            if match := _STOPS.search(place):
                return problem(f"{match[0]} in {place}", remedy)
            if match := _LOSES_HEADERS.search(place):
                return warning(f"{match[0]!r} in {place}", remedy, _STALE)
        return ok("nothing that CMake or Ninja cannot write")

    def _elsewhere(self, machine: Machine) -> str:
        """Only where it is not the checkout's path that is at fault."""
        inside = machine.build_dir.is_relative_to(machine.root)
        return "" if inside else machine.with_option("build_dir", "/another/folder")
