"""The receiver of the core's events: shows a run, checks the machine, explains failures, writes the report."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from .report.report import Report, Step

if TYPE_CHECKING:
    from tools.setup_helpers.cmake.toolchain import Machine
    from tools.setup_helpers.env.options import Options
    from tools.setup_helpers.env.record import OptionChange
    from tools.setup_helpers.events import BuildStarts, Outcome, RunEnded
    from tools.setup_helpers.ninja.failures import FailedCommand, FailureContext
    from tools.setup_helpers.ninja.run import Progress

    from .failure.diagnosis import Diagnosis
    from .profile.costs import Profile


class Watcher:
    """Passes each event to the part of this package that it concerns, and imports that part only then."""

    def __init__(self, report: Report, profile_files: int = 0) -> None:
        """Profile this many files after a build; 0 for no profile."""
        self._report = report
        self._profile_files = profile_files
        self._profile: Profile | None = None
        self._changed: Sequence[OptionChange] = ()

    @property
    def began(self) -> float:
        return self._report.began

    @property
    def seconds(self) -> float:
        return self._report.seconds

    @property
    def verbose(self) -> bool:
        return self._report.verbose

    def step(self, name: str) -> AbstractContextManager[Step]:
        return self._report.step(name)

    def say(self, text: str) -> None:
        self._report.say(text)

    def options_resolved(self, options: Options, build_dir: Path) -> None:
        from .report.report import changed_options

        if options.role_on("verbose"):
            self._report.verbose = True
        self._changed = changed_options(options, build_dir)
        for change in self._changed:
            self.say(f"{'':22}{change}")

    def examine(self, machine: Machine) -> Sequence[str]:
        from .doctor import run_quick_checks

        if not (warnings := run_quick_checks(machine)):
            return ()
        from .doctor.rendering import render_line

        return [render_line(warning) for warning in warnings]

    def build_starts(self, event: BuildStarts) -> Progress:
        from .terminal.tally import forecast_of

        forecast = forecast_of(event.config, event.build_dir, event.steps, event.jobs)
        return self._report.progress(forecast, event.hit_rate)

    def diagnose(self, failed: FailedCommand, context: FailureContext) -> Diagnosis:
        from .failure.diagnosis import diagnose

        return diagnose(failed, context)

    def diagnose_text(self, name: str, output: str, context: FailureContext) -> Diagnosis:
        from .failure.diagnosis import diagnose_text

        return diagnose_text(name, output, context)

    def package_built(self, root: Path, build_dir: Path, outcome: Outcome) -> None:
        if not self._profile_files:
            return
        from .profile.profile import ProfiledTree, profile_tree
        from .report.page import NAME as PAGE

        with self.step("profile") as step:
            tree = ProfiledTree(root, build_dir, outcome.ninja, outcome.jobs)
            self._profile = profile_tree(tree, self._profile_files)
            step.note = f"{len(self._profile.files)} files compiled again, see {PAGE}"

    def run_ended(self, event: RunEnded) -> None:
        from .report.recorder import record

        record(self._report, event, self._changed, self._profile)

    def finished(self) -> None:
        from .report.recorder import summarise

        summarise(self._report)
