"""Write the report files of a run, whether it succeeds or fails, and summarise it in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from tools.setup_helpers.env.record import OptionChange
from tools.setup_helpers.events import RunEnded
from tools.setup_helpers.state.inputs import changed_inputs

from ..profile.costs import Profile
from ..terminal.lines import output_name
from . import facts
from .page import write_page
from .report import Report, write_document
from .trace import write_trace

SLOWEST = 5
CAUSES = 3


def record(
    report: Report, event: RunEnded, changed: Sequence[OptionChange], profile: Profile | None
) -> None:
    """Write the report, and the page and the trace unless they would be empty."""
    _gather(report, event, changed, profile)
    document = report.document()
    write_document(document, event.build_dir)
    if event.outcome.built.steps or profile or event.result != "ok":
        write_page(document, event.build_dir)
        write_trace(document, event.build_dir)


def _gather(
    report: Report, event: RunEnded, changed: Sequence[OptionChange], profile: Profile | None
) -> None:
    began, known, outcome = report.started, report.facts, event.outcome
    known |= {
        "project": event.config.project.distribution,
        "version": event.config.version,
        "result": event.result,
        "options": event.options.to_json(),
    }
    if outcome.failure is not None:
        known["failure"] = outcome.failure
    if outcome.ninja:
        known["retries"] = [asdict(retry) for retry in outcome.built.retries]
    known |= facts.stage_facts(outcome.stages, began)
    known |= facts.job_facts(event.config, outcome, event.build_dir, began)
    steps = {step.name: step.seconds for step in report.steps}
    known |= facts.category_facts(steps, known["jobs"])
    known |= facts.change_facts(
        event.last,
        changed_inputs(event.last.inputs, event.inputs, event.config),
        changed,
        outcome.configured,
    )
    known |= facts.size_facts(event.build_dir)
    known |= facts.cache_facts(outcome.cache)
    known |= facts.profile_facts(profile)


def summarise(report: Report) -> None:
    """Print causes, slow files, compiler cache hits and sizes."""
    facts = report.facts
    compiled = facts["compiled"]
    if facts["last"]["began"]:  # the cause of a first build is obvious
        causes = facts["causes"][:CAUSES]
        for name, cause in zip(first("because", causes), causes, strict=True):
            count = f"{cause['commands']} command{'s' if cause['commands'] > 1 else ''}"
            report.row(name, cause["seconds"], f"{cause['text']}: {count}")
    if compiled > SLOWEST:
        slowest = facts["slowest"][:SLOWEST]
        for name, file in zip(first("slowest", slowest), slowest, strict=True):
            report.row(name, file["seconds"], str(output_name(file["output"])))
    if compiled and (cache := facts.get("compiler_cache")):
        rate = round(100 * cache["hits"] / max(1, cache["hits"] + cache["misses"]))
        report.row("cache", None, f"{cache['hits']} hits, {cache['misses']} misses ({rate} %)")
    if facts["jobs"] and (sizes := facts["sizes"]):
        total = sum(sizes.values()) / 1e6
        report.row("built", None, f"{compiled} objects, {len(sizes)} binaries of {total:.1f} MB")
    report.row("total", report.seconds)


def first(name: str, rows: Sequence[object]) -> list[str]:
    """Return a column of names: the name for the first row, nothing for the others."""
    return [name, *[""] * (len(rows) - 1)] if rows else []
