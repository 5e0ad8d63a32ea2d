"""Record a run from start to end and write its report files, whether it succeeds or fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.errors import BuildError
from tools.setup_helpers.env.changes import changed_options
from tools.setup_helpers.env.options import Options
from tools.setup_helpers.outcome import Outcome
from tools.setup_helpers.state.inputs import changed_inputs, scan_inputs
from tools.setup_helpers.state.last_build import LastBuild, read_last_build, write_last_build
from tools.setup_helpers.table.config import Config

from .report import Report, write_document

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry


@contextlib.contextmanager
def recorded(
    report: Report,
    config: Config,
    options: Options,
    build_dir: Path,
    seen: Mapping[str, Entry],
) -> Iterator[Outcome]:
    """Record the steps that run in this context and fill in the outcome.

    A successful build becomes the reference for the next one. `seen` holds inputs that were read already.
    """
    recorder = _Recorder(report, config, options, build_dir, seen)
    outcome = Outcome(inputs=recorder.inputs)
    try:
        yield outcome
    except (Exception, KeyboardInterrupt) as error:
        result = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        with contextlib.suppress(OSError, BuildError):  # must not hide the build's own error
            recorder.write(outcome, result)
        raise
    recorder.write(outcome, "ok")
    if outcome.ninja:  # otherwise the run was requested to end before building
        recorder.keep(outcome.inputs)


class _Recorder:
    def __init__(
        self,
        report: Report,
        config: Config,
        options: Options,
        build_dir: Path,
        seen: Mapping[str, Entry],
    ) -> None:
        self._report = report
        self._config = config
        self._options = options
        self._build_dir = build_dir
        self._last = read_last_build(build_dir)
        self._changed_options = changed_options(options, build_dir)
        self.inputs = scan_inputs(config, self._last.inputs, seen)

    def write(self, outcome: Outcome, result: str) -> None:
        """Write the report, and the page and the trace unless they would be empty."""
        self._gather(outcome, result)
        document = self._report.document()
        write_document(document, self._build_dir)
        if outcome.built.steps or outcome.profile or result != "ok":
            from .page import write_page
            from .trace import write_trace

            write_page(document, self._build_dir)
            write_trace(document, self._build_dir)

    def _gather(self, outcome: Outcome, result: str) -> None:
        from . import facts

        began = self._report.started
        known = self._report.facts
        known |= {
            "project": self._config.project.distribution,
            "version": self._config.version,
            "result": result,
            "options": self._options.to_json(),
        }
        known |= facts.stage_facts(outcome.stages, began)
        known |= facts.job_facts(self._config, outcome, self._build_dir, began)
        steps = {step.name: step.seconds for step in self._report.steps}
        known |= facts.category_facts(steps, known["jobs"])
        known |= facts.change_facts(
            self._last,
            changed_inputs(self._last.inputs, self.inputs, self._config),
            self._changed_options,
            outcome.configured,
        )
        known |= facts.size_facts(self._build_dir)
        known |= facts.cache_facts(outcome.cache)
        known |= facts.profile_facts(outcome.profile)

    def keep(self, inputs: Mapping[str, Entry]) -> None:
        """Save this build as the reference for the next one."""
        sizes = self._report.facts["sizes"]
        last = LastBuild(self._report.began, self._report.seconds, inputs, sizes)
        write_last_build(last, self._build_dir)
