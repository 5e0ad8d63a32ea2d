"""The limits of this machine, measured by limits.cpp, and a row's share of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Limits:
    """The bandwidth of a triad by footprint, and the rate of multiply-adds, on some threads."""

    bandwidth: list[tuple[float, float]]
    single: float
    double: float

    def seconds(self, work: dict[str, Any]) -> float:
        """Return the least time that moving a row's bytes or computing its products takes."""
        size = work["bytes"]
        _, speed = min(self.bandwidth, key=lambda pair: abs(log(pair[0] / max(size, 1))))
        rate = self.double if work["double"] else self.single
        return max(size / speed, work["operations"] / rate)


def measure(threads: list[int]) -> dict[int, Limits]:
    """Compile limits.cpp for this processor and run it for each number of threads.

    Without a compiler, nothing is measured.
    """
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if not compiler:
        return {}
    source = Path(__file__).with_name("limits.cpp")
    wide = "avx512f" in Path("/proc/cpuinfo").read_text()
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/limits"
        command = [
            *compiler.split(),
            "-O3",
            "-march=native",
            f"-DLIMITS_VECTOR_BYTES={64 if wide else 32}",
        ]
        subprocess.run([*command, "-pthread", str(source), "-o", program], check=True)
        found = {}
        for count in threads:
            text = subprocess.run([program, str(count)], check=True, capture_output=True, text=True)
            answer = json.loads(text.stdout)
            found[count] = Limits(answer["bandwidth"], answer["float"], answer["double"])
        return found


def describe(limits: dict[int, Limits]) -> str:
    """Return a line for the head of a report."""
    if not limits:
        return "no C++ compiler: the limits of this machine are not measured"
    parts = [
        f"{count} thread{'s' * (count > 1)}: triad {each.bandwidth[0][1] / 1e9:.0f} GB/s in the "
        f"nearest cache, {each.bandwidth[-1][1] / 1e9:.0f} in memory; multiply-adds "
        f"{each.single / 1e9:.0f} GFLOP/s, {each.double / 1e9:.0f} in double"
        for count, each in limits.items()
    ]
    return "limits, " + "; ".join(parts)
