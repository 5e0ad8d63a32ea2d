"""What a run did, in the few lines that are worth reading each time."""

from __future__ import annotations

from .report import Report

SLOWEST = 5
CAUSES = 3


def summarise(report: Report) -> None:
    """Prints from the report's facts: causes, slow files, compiler-cache hits, sizes."""
    facts = report.facts
    compiled = facts["compiled"]
    if facts["last"]["began"]:  # on a first build the cause is clear
        for cause in facts["causes"][:CAUSES]:
            count = f"{cause['commands']} command{'s' if cause['commands'] > 1 else ''}"
            report.say(f"{cause['seconds']:17.2f} s  {count} because {cause['text']}")
    if compiled > SLOWEST:
        report.say("slowest:")
        for row in facts["slowest"][:SLOWEST]:
            report.say(f"{row['seconds']:17.2f} s  {row['output']}")
    if compiled and (cache := facts.get("compiler_cache")):
        rate = round(100 * cache["hits"] / max(1, cache["hits"] + cache["misses"]))
        report.say(f"compiler cache: {cache['hits']} hits, {cache['misses']} misses ({rate} %)")
    if facts["jobs"] and (sizes := facts["sizes"]):
        total = sum(sizes.values()) / 1e6
        report.say(f"{compiled} files compiled, {len(sizes)} binaries of {total:.1f} MB")
    report.say(f"{'total':<10} {report.seconds:7.2f} s")
