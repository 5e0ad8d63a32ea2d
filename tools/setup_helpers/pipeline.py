"""The pipeline: config, options, doctor, codegen, configure, build, stage, audit, register, summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .code_generation.stage_runner import run_stages
from .code_generation.stages import StageResult
from .doctor import require
from .doctor.check import Machine
from .doctor.rendering import render_line
from .errors import BuildError
from .failure import mitigation
from .failure.record import facts_of, remember
from .failure.scene import Scene
from .graph.cmake_run import CMakeRun
from .graph.compiler_cache import configured_cache, hit_rate
from .graph.configure import Toolchain
from .graph.ninja import Built, Ninja, NinjaFailed, build
from .graph.toolchain import require_tool
from .package.identity import identity_of
from .package.staging import editable_files, package_files, read_manifest, stage
from .profiling.costs import Profile
from .reporting.facts import Outcome
from .reporting.option_changes import OptionChange, changed_options
from .reporting.page import NAME as PAGE
from .reporting.reasons import dry_run
from .reporting.recorder import recorded
from .reporting.report import Report, Step
from .reporting.summary import summarise
from .request import PACKAGE, Goal, Request, build_directory, programs_of, resolve_options
from .resources import job_count, learn
from .resources.job_server import shared_slots
from .table.config import CONFIG_FILE, Config
from .table.config_reader import load
from .table.options import Options, Origin
from .terminal.tally import Forecast
from .tree import graph_records, made_files, noop
from .tree.clock import mend_times
from .tree.fingerprint import snapshot
from .tree.leftovers import remove_leftovers
from .tree.lock import BuildLock, command_line
from .tree.ninja_log import last_durations
from .tree.source_times import date_for_ninja


@dataclass(frozen=True)
class BuiltPackage:
    """What came out: `files` maps paths in the package to files on disk."""

    config: Config
    options: Options
    build_dir: Path
    files: dict[str, Path]
    outcome: Outcome
    staged: tuple[str, ...]


def build_package(
    root: Path,
    environ: Mapping[str, str],
    settings: Sequence[tuple[str, str]],
    *,
    editable: bool = False,
) -> BuiltPackage:
    """For the PEP 517 and 660 hooks: as the commands, but nothing is ever installed."""
    goal = Goal.STAGE if editable else Goal.PACKAGE
    root, origin = root.resolve(), Origin.CONFIG_SETTINGS
    programs = programs_of(load(root), environ, settings, origin)
    request = Request(root, programs, settings, origin, goal)
    return Pipeline(request, Report()).run()


class Pipeline:
    """One run. Holds what the steps share; each step is a method."""

    def __init__(self, request: Request, report: Report) -> None:
        self.request = request
        self.report = report
        self.root = request.root
        self.option_changes: list[OptionChange] = []

    def run(self) -> BuiltPackage:
        """Takes the lock and goes as far as the goal says."""
        table = snapshot([str(self.root / CONFIG_FILE)])  # as it is before it is read
        config = self._config()
        options = self._options(config)
        build_dir = build_directory(config, options)
        if options.role_on("verbose"):
            self.report.verbose = True
        self._say_changes(options, build_dir)
        with BuildLock(str(build_dir), command_line()):
            noop.forget(str(build_dir))
            with recorded(self.report, config, options, build_dir, table) as outcome:
                try:
                    package = self._run_locked(config, options, build_dir, outcome)
                except BuildError as error:
                    self.report.facts["failure"] = facts_of(error)
                    remember(build_dir, self.report.facts["failure"], command_line())
                    raise
            summarise(self.report)
        return package

    def _run_locked(
        self, config: Config, options: Options, build_dir: Path, outcome: Outcome
    ) -> BuiltPackage:
        self._mend(build_dir)
        if self.request.goal is Goal.GENERATE:
            outcome.stages = self._codegen(config, options, build_dir)
            return BuiltPackage(config, options, build_dir, {}, outcome, ())
        toolchain = self._doctor(config, options, build_dir)
        with self._cmake(config, options, toolchain, build_dir) as cmake:
            outcome.stages = self._codegen(config, options, build_dir)
            outcome.configured = self._configure(cmake)
        files: dict[str, Path] = {}
        staged: tuple[str, ...] = ()
        if not options.role_on("configure_only"):
            self._build(config, options, toolchain, build_dir, outcome)
            files = package_files(config, options, build_dir)
            if self.request.goal.stages:
                staged = self._stage(config, build_dir)
            self._audit(config, files, outcome.built, staged, build_dir)
            if self.request.goal is Goal.REGISTER:
                self._register(config, options)
            if self.request.profile_files:
                outcome.profile = self._profile(build_dir, outcome)
        return BuiltPackage(config, options, build_dir, files, outcome, staged)

    def _mend(self, build_dir: Path) -> None:
        """What a killed build, a damaged disk or a wrong clock left is put right before it misleads."""
        remove_leftovers(self.root, build_dir, read_manifest(build_dir))
        for name in graph_records.drop_damaged_logs(build_dir):
            self.report.say(f"{name} was damaged; what it recorded is built again")
        if mend_times(build_dir):
            self.report.say("the clock was set back; what carries a later time is built again")

    def _config(self) -> Config:
        with self.report.step("config") as step:
            config = load(self.root)
            step.note = f"{config.project.distribution} {config.version}"
        return config

    def _options(self, config: Config) -> Options:
        with self.report.step("options") as step:
            options = resolve_options(config, self.request)
            explicit = [r for r in options.resolved if r.explicit]
            step.note = ", ".join(f"{r.option.name}={r.text}" for r in explicit) or "all default"
        self.report.facts["options"] = options.to_json()
        for resolved in options.resolved:
            if resolved.origin is Origin.DETECTED:
                self.report.say(f"{'':22}{resolved.option.name}={resolved.text}: {resolved.detail}")
        return options

    def _say_changes(self, options: Options, build_dir: Path) -> None:
        self.option_changes = changed_options(options, build_dir)
        for change in self.option_changes:
            self.report.say(f"{'':22}{change}")

    def _doctor(self, config: Config, options: Options, build_dir: Path) -> Toolchain:
        with self.report.step("doctor") as step:
            programs = self.request.programs
            machine = Machine(config, options, programs, build_dir)
            warnings = require(machine)
            toolchain = Toolchain(
                require_tool("cmake", config.project.cmake_minimum, programs),
                require_tool("ninja", config.project.ninja_minimum, programs),
                machine.compiler_identities,
            )
            programs.remember(build_dir)
            step.note = f"cmake {toolchain.cmake.version}, ninja {toolchain.ninja.version}"
        for each in warnings:
            self.report.say(f"{'':22}{render_line(each)}")
        return toolchain

    def _codegen(self, config: Config, options: Options, build_dir: Path) -> list[StageResult]:
        with self.report.step("codegen") as step:
            results = run_stages(
                config,
                options.values_and_facts(),
                {name: options.text(name) for name in options},
                build_dir,
                forced=[s.name for s in config.stages] if self.request.force_codegen else (),
                everything=self.request.everything,
            )
            ran = [r for r in results if r.reason]
            step.note = (
                "; ".join(f"{r.name}: {r.reason}, {r.changed} written" for r in ran) or "up to date"
            )
        return results

    def _cmake(
        self, config: Config, options: Options, toolchain: Toolchain, build_dir: Path
    ) -> CMakeRun:
        # CMake called by hand may have been told something else since the last build.
        told = (change.arrow for change in self.option_changes if change.now.option.cmake)
        return CMakeRun(config, options, toolchain, build_dir, next(told, ""))

    def _configure(self, cmake: CMakeRun) -> str:
        """Why CMake had to run; empty when it had not."""
        with self.report.step("configure") as step:
            step.note = cmake.reason
            reason = cmake.finish(lambda line: self._tell_of_cmake(step, line))
            step.note = reason or "up to date"
        return reason

    def _tell_of_cmake(self, step: Step, line: str) -> None:
        if self.report.verbose:
            self.report.say(line)
        else:
            step.tell(line.removeprefix("-- "))

    def _build(
        self,
        config: Config,
        options: Options,
        toolchain: Toolchain,
        build_dir: Path,
        outcome: Outcome,
    ) -> None:
        with self.report.step("build") as step:
            asked = int(options.role("jobs") or 0) or int(options.role("fallback_jobs") or 0)
            jobs = job_count(asked, config.resources, build_dir)
            outcome.ninja, outcome.targets = toolchain.ninja.path, PACKAGE
            date_for_ninja([self.root / path for path in config.project.inputs], build_dir)
            planned = dry_run(toolchain.ninja.path, build_dir, PACKAGE)
            outcome.reasons = planned.reasons
            cache = configured_cache(build_dir, self.request.environ)
            environ = {**self.request.environ, **(cache.begin() if cache else {})}
            outcome.jobs = jobs.count
            with shared_slots(jobs, toolchain.ninja.version, environ) as slots:
                scene = Scene(
                    self.root,
                    build_dir,
                    slots.environ,
                    config.target_names,
                    config.roles,
                    slots.jobs.count,
                )
                durations = last_durations(build_dir)
                forecast = Forecast(durations, planned.steps, slots.jobs.count)
                progress = self.report.progress(forecast, hit_rate(cache))
                program = toolchain.ninja.path
                ninja = Ninja(program, scene, progress=progress, verbose=self.report.verbose)
                try:
                    built = outcome.built = build(ninja, list(PACKAGE), slots.argument)
                except NinjaFailed as failed:
                    outcome.built = failed.built
                    raise
                finally:
                    self.report.facts["retries"] = [asdict(retry) for retry in ninja.retries]
                    outcome.cache = cache.counters() if cache else None
                    learn(build_dir, config.resources, ninja.memory)
                    graph_records.remember(build_dir)
                    made_files.end(build_dir)
            step.note = (
                f"{len(built.steps)} steps, {slots.jobs}" if built.steps else "nothing to do"
            )
        self._say_retries(built, build_dir)

    def _profile(self, build_dir: Path, outcome: Outcome) -> Profile:
        from .profiling.profile import Subject, profile_tree

        with self.report.step("profile") as step:
            subject = Subject(self.root, build_dir, outcome.ninja, outcome.jobs)
            profile = profile_tree(subject, self.request.profile_files)
            step.note = f"{len(profile.files)} files compiled once more, see {PAGE}"
        return profile

    def _say_retries(self, built: Built, build_dir: Path) -> None:
        """What was not made as asked for must not go unnoticed."""
        for retry in built.retries:
            self.report.say(f"{'':22}{retry.text}")
        for output, made in mitigation.read(build_dir).items() if built.steps else ():
            if output not in {retry.output for retry in built.retries}:
                self.report.say(f"{'':22}{output} is still made {made.how}")

    def _stage(self, config: Config, build_dir: Path) -> tuple[str, ...]:
        with self.report.step("copy") as step:
            changed, gone = stage(editable_files(config, build_dir), self.root, build_dir)
            step.note = f"{len(changed)} copied" if changed else "up to date"
            step.note += f", {len(gone)} removed" if gone else ""
        return tuple(changed)

    def _register(self, config: Config, options: Options) -> None:
        from .package.editable import editable_project, register

        with self.report.step("register") as step:
            project = editable_project(config, identity_of(config, options))
            step.note = register(project, self.request.environ)

    def _audit(
        self,
        config: Config,
        files: dict[str, Path],
        built: Built,
        staged: tuple[str, ...],
        build_dir: Path,
    ) -> None:
        if not built.steps and not staged and self.request.goal.stages:
            return
        with self.report.step("audit") as step:
            from .package.audit import audit_package

            places = (self.root, build_dir, Path.home())
            findings = audit_package(files, config.packaging, places)
            step.note = f"{len(files)} files"
            if findings:
                raise BuildError(
                    f"the package breaks {len(findings)} of its rules",
                    cause="\n".join(str(f) for f in findings[:40]),
                )
