"""Write the report files of a run, whether it succeeds or fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from tools.setup_helpers.env.changes import OptionChange
from tools.setup_helpers.events import RunEnded
from tools.setup_helpers.state.inputs import changed_inputs

from ..profile.costs import Profile
from . import facts
from .page import write_page
from .report import Report, write_document
from .trace import write_trace


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
