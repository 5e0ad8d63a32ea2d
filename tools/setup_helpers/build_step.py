"""The step in which Ninja runs: what is found out before and beside it, and what is kept of it, however it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .beside import Beside
from .failure import mitigation
from .failure.scene import Scene
from .graph.compiler_cache import CompilerCache, configured_cache, hit_rate
from .graph.configure import Toolchain
from .graph.ninja import Built, Ninja, build
from .graph.ninja_manifest import NAME as MANIFEST
from .package.inventory import Inventory
from .reporting.outcome import Outcome
from .reporting.reasons import DryRun, dry_run
from .reporting.report import Report
from .request import PACKAGE
from .resources import Jobs, job_count, learn
from .resources.job_server import Slots, shared_slots
from .table.config import Config
from .table.options import Options
from .terminal.tally import Forecast
from .tree import graph_records, made_files
from .tree.ninja_log import last_durations

if TYPE_CHECKING:
    from .reporting.build_graph import BuildGraph
    from .tree.fingerprint import Entry


@dataclass(frozen=True)
class BuildStep:
    """One configured tree that is to be built."""

    config: Config
    options: Options
    toolchain: Toolchain
    build_dir: Path
    environ: Mapping[str, str]
    report: Report

    def run(self, outcome: Outcome, known: Mapping[str, Entry], plan: DryRun | None) -> Inventory:
        """Fills the outcome. Of the package, what looks as it is `known` is not read.

        `plan` is what Ninja would do now, where that is known. Raises BuildError.
        """
        program = outcome.ninja = self.toolchain.ninja.path
        outcome.targets = PACKAGE
        with self.report.step("build") as step:
            planned = plan or dry_run(program, self.build_dir, PACKAGE)
            jobs = self._jobs()
            cache = configured_cache(self.build_dir, self.environ)
            environ = {**self.environ, **(cache.begin() if cache else {})}
            outcome.jobs, outcome.reasons = jobs.count, planned.reasons
            with (
                shared_slots(jobs, self.toolchain.ninja.version, environ) as slots,
                Beside(lambda: self._look_around(planned, {**known, **outcome.inputs})) as around,
            ):
                durations = last_durations(self.build_dir)
                forecast = Forecast(durations, planned.steps, slots.jobs.count)
                ninja = self._ninja(slots, forecast, cache)
                try:
                    build(ninja, list(PACKAGE), slots.argument)
                except BaseException:
                    self._keep(ninja, cache, outcome)
                    raise
                with Beside(lambda: self._keep(ninja, cache, outcome)) as kept:
                    inventory, graph = around.result()
                    inventory.look_again(ninja.built().outputs)
                kept.result()
            built = outcome.built
            if MANIFEST not in built.outputs:
                outcome.graph = graph
            step.note = (
                f"{len(built.steps)} steps, {slots.jobs}" if built.steps else "nothing to do"
            )
        self._say_retries(built)
        return inventory

    def _jobs(self) -> Jobs:
        asked = [int(self.options.role(role) or 0) for role in ("jobs", "fallback_jobs")]
        return job_count(asked[0] or asked[1], self.config.resources, self.build_dir)

    def _look_around(
        self, plan: DryRun, known: Mapping[str, Entry]
    ) -> tuple[Inventory, BuildGraph | None]:
        """What is needed as soon as Ninja ends and does not depend on what it does."""
        inventory = Inventory(self.config, self.options, self.build_dir, known)
        if not plan.steps:
            return inventory, None
        # Imported here so that they are there when Ninja has ended.
        from .package import audit_record  # noqa: F401
        from .reporting import facts, page, trace  # noqa: F401
        from .reporting.build_graph import read_graph

        return inventory, read_graph(self.toolchain.ninja.path, self.build_dir, PACKAGE)

    def _ninja(self, slots: Slots, forecast: Forecast, cache: CompilerCache | None) -> Ninja:
        scene = Scene(
            self.config.root,
            self.build_dir,
            slots.environ,
            self.config.target_names,
            self.config.roles,
            slots.jobs.count,
        )
        progress = self.report.progress(forecast, hit_rate(cache))
        program = self.toolchain.ninja.path
        return Ninja(program, scene, progress=progress, verbose=self.report.verbose)

    def _keep(self, ninja: Ninja, cache: CompilerCache | None, outcome: Outcome) -> None:
        """What this run leaves to the next, well or not."""
        outcome.built = ninja.built()
        self.report.facts["retries"] = [asdict(retry) for retry in ninja.retries]
        outcome.cache = cache.counters() if cache else None
        learn(self.build_dir, self.config.resources, ninja.memory)
        graph_records.remember(self.build_dir)
        made_files.end(self.build_dir)

    def _say_retries(self, built: Built) -> None:
        """What was not made as asked for must not go unnoticed."""
        for retry in built.retries:
            self.report.say(f"{'':22}{retry.text}")
        for output, made in mitigation.read(self.build_dir).items() if built.steps else ():
            if output not in {retry.output for retry in built.retries}:
                self.report.say(f"{'':22}{output} is still made {made.how}")
