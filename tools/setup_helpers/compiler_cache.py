"""How often the compiler cache had the answer, by ccache's own counters."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Counters:
    """Compilations answered from the cache, and those that were not."""

    hits: int
    misses: int

    def since(self, earlier: Counters) -> Counters:
        return Counters(self.hits - earlier.hits, self.misses - earlier.misses)


def read_counters(environ: Mapping[str, str]) -> Counters | None:
    """None without ccache, or when it is switched off."""
    program = shutil.which("ccache", path=environ.get("PATH"))
    if program is None or environ.get("CCACHE_DISABLE"):
        return None
    result = subprocess.run(
        [program, "--print-stats"], env=dict(environ), capture_output=True, text=True, check=False
    )
    values = {}
    for line in result.stdout.splitlines():
        name, _, value = line.partition("\t")
        if value.isdigit():
            values[name] = int(value)
    hits = values.get("direct_cache_hit", 0) + values.get("preprocessed_cache_hit", 0)
    return Counters(hits, values.get("cache_miss", 0))
