"""Run Ninja: plan before it starts, and record the outcome however it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .cmake.configure import CONFIGURED
from .cmake.toolchain import Toolchain
from .env.options import Options
from .env.request import PACKAGE
from .events import BuildStarts, Outcome, Receiver
from .ninja import mitigation
from .ninja.compiler_cache import CompilerCache, configured_cache, hit_rate, server_of
from .ninja.failures import FailureContext
from .ninja.job_server import Slots, shared_slots
from .ninja.jobs import Jobs, job_count, learn
from .ninja.reasons import DryRun, dry_run
from .ninja.remedies import build
from .ninja.remote import workers_of
from .ninja.run import Built, Ninja
from .package.contents import Inventory
from .state import graph_records
from .state import times as source_times
from .state.folders import record_made_files, remove_sources_link
from .table.config import Config

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry


@dataclass(frozen=True)
class BuildStep:
    """A configured build directory, and what is needed to build it."""

    config: Config
    options: Options
    toolchain: Toolchain
    build_dir: Path
    environ: Mapping[str, str]
    receiver: Receiver
    targets: tuple[str, ...] = PACKAGE

    def run(self, outcome: Outcome, known: Mapping[str, Entry]) -> Inventory:
        """Build, fill in `outcome`, and return the files of the package. Raise BuildError on failure.

        Files that still match their entry in `known` are not read again.
        """
        program = outcome.ninja = self.toolchain.ninja.path
        outcome.targets = self.targets
        with self.receiver.step("build") as step:
            planned = dry_run(program, self.build_dir, self.targets)
            workers = workers_of(self.options, self.environ)
            jobs = self._jobs(workers.slots if workers else 0)
            cache = configured_cache(self.build_dir, self.environ, server_of(self.options))
            environ = {
                **self.environ,
                **(cache.begin() if cache else {}),
                **(workers.variables(cache) if workers else {}),
            }
            outcome.jobs, outcome.reasons = jobs.count, planned.reasons
            inventory = Inventory(self.config, self.build_dir, {**known, **outcome.inputs})
            with shared_slots(jobs, self.toolchain.ninja.version, environ) as slots:
                ninja = self._ninja(planned, slots, cache)
                try:
                    build(ninja, list(self.targets), slots.argument)
                finally:
                    self._record(ninja, cache, outcome)
            built = outcome.built
            inventory.refresh(built.outputs)
            step.note = (
                f"{len(built.steps)} steps, {slots.jobs}" if built.steps else "nothing to do"
            )
        self._report_retries(built)
        return inventory

    def _jobs(self, slots: int) -> Jobs:
        requested = [int(self.options.role(role) or 0) for role in ("jobs", "fallback_jobs")]
        count = requested[0] or requested[1]
        return job_count(count, self.config.resources, self.build_dir, slots)

    def _ninja(self, plan: DryRun, slots: Slots, cache: CompilerCache | None) -> Ninja:
        context = FailureContext(
            self.config.root,
            self.build_dir,
            slots.environ,
            self.config.target_names,
            self.config.roles,
            slots.jobs.count,
        )
        event = BuildStarts(
            self.config, self.build_dir, plan.steps, slots.jobs.count, hit_rate(cache)
        )
        return Ninja(
            self.toolchain.ninja.path,
            context,
            progress=self.receiver.build_starts(event),
            diagnostician=self.receiver,
            verbose=self.receiver.verbose,
        )

    def _record(self, ninja: Ninja, cache: CompilerCache | None, outcome: Outcome) -> None:
        """Record what later builds need from this run, whether it succeeded or not."""
        outcome.built = ninja.built()
        outcome.cache = cache.counters() if cache else None
        remove_sources_link(self.build_dir)
        learn(self.build_dir, self.config.resources, ninja.memory)
        graph_records.remember(self.build_dir)
        if ninja.graph_is_unreadable:  # so that CMake writes it again
            CONFIGURED.delete(self.build_dir)
        outcome.inputs = {**outcome.inputs, **source_times.forget_rewritten(self.build_dir)}
        record_made_files(self.build_dir)

    def _report_retries(self, built: Built) -> None:
        """Report every output that was built in another way than requested."""
        for retry in built.retries:
            self.receiver.say(f"{'':22}{retry.text}")
        for output, made in mitigation.read(self.build_dir).items() if built.steps else ():
            if output not in {retry.output for retry in built.retries}:
                self.receiver.say(f"{'':22}{output} is still built {made.how}")
