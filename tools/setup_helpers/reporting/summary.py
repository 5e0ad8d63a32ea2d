"""What a run did: rebuilt parts and why, slow files, compiler-cache hits, sizes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..compiler_cache import Counters
from ..ninja import Built
from ..stages import StageResult
from ..staging import built_files
from .ninja_log import read_entries, slowest
from .report import Report

SLOWEST = 5


def summarise(
    report: Report,
    build_dir: Path,
    stages: Sequence[StageResult],
    built: Built,
    cache: Counters | None,
) -> None:
    """Adds facts to the report and prints the lines worth reading."""
    compiled = [s for s in built.steps if s.startswith(("Building C", "Building CXX"))]
    report.facts["stages"] = [
        {
            "name": s.name,
            "reason": s.reason,
            "outputs": s.outputs,
            "changed": s.changed,
            "deleted": s.deleted,
        }
        for s in stages
    ]
    report.facts["rebuilt"] = list(built.steps)
    report.facts["compiled"] = len(compiled)
    slow = slowest(read_entries(build_dir))[: SLOWEST * 4] if built.steps else []
    report.facts["slowest"] = [{"output": t.output, "seconds": t.seconds} for t in slow]
    sizes = {
        path: file.stat().st_size for path, file in built_files(build_dir).items() if file.exists()
    }
    report.facts["sizes"] = sizes
    if compiled and len(compiled) > SLOWEST:
        report.say("slowest:")
        for timed in slow[:SLOWEST]:
            report.say(f"{timed.seconds:17.2f} s  {timed.output}")
    if compiled and cache:
        report.facts["compiler_cache"] = {"hits": cache.hits, "misses": cache.misses}
        report.say(f"compiler cache: {cache.hits} hits, {cache.misses} misses")
    if built.steps and sizes:
        total = sum(sizes.values()) / 1e6
        report.say(f"{len(compiled)} files compiled, {len(sizes)} binaries of {total:.1f} MB")
    report.say(f"{'total':<10} {report.seconds:7.2f} s")
