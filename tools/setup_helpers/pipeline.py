"""Run the pipeline: config, options, doctor, codegen, configure, build, stage, audit, register, summary."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.base.errors import BuildError
from tools.base.fingerprint import snapshot
from tools.base.generation import STATE as CODE_GENERATION
from tools.base.globs import files_below

from .build_step import BuildStep
from .cmake import configure
from .cmake.run import CMakeRun
from .cmake.toolchain import Machine, Toolchain
from .env.foreign import without_effect
from .env.options import Options, Origin, names_of
from .env.record import OptionChange, configured_changes
from .env.request import LIBRARIES, Goal, Request, build_directory, resolve_options, targets_of
from .events import Outcome, Receiver, RunEnded, Step
from .generation.graph_step import GraphStep
from .generation.stage_runner import run_stages
from .generation.stages import StageResult, describe_runs
from .package.contents import Contents, Inventory, built_sizes
from .package.editable import editable_project, watched_files
from .package.identity import identity_of
from .package.manifest import NAME as MANIFEST
from .package.manifest import read_manifest, remove_unfinished_twins, twin_of
from .package.staging import stage
from .package.staging_tree import link_sources, with_staging_tree
from .probes.build_tool import require_tool
from .state import graph_records, noop
from .state.folders import remove_leftovers, write_ignore_file
from .state.inputs import read_last_build, scan_inputs, sources
from .state.lock import BuildLock, command_line
from .state.logs import facts_of, remember
from .state.orphans import check_for_ninja
from .state.outside import remove_outdated, scan_outside
from .state.source_names import check_sources
from .state.times import begin_attempt, date_for_ninja, end_attempt, reset_future_times
from .table.config import CONFIG_FILE, Config
from .table.config_reader import load

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry


# The goals whose products carry a name and a version.
_NAMED = (Goal.PACKAGE, Goal.REGISTER)


@dataclass(frozen=True)
class BuiltPackage:
    """The result of a run; one that ends before Ninja has no files."""

    config: Config
    options: Options
    build_dir: Path
    outcome: Outcome
    files: Mapping[str, Path] = field(default_factory=dict)
    """Path in the package -> file on disk."""
    contents: Contents = field(default_factory=lambda: Contents({}, {}))
    """The same, with what belongs to a library wheel and to further Pythons."""


class Pipeline:
    """One run of the pipeline. Each step is a method; the attributes are shared by the steps."""

    def __init__(self, request: Request, receiver: Receiver) -> None:
        self.request = request
        self.receiver = receiver
        self.root = request.root
        self.known: Mapping[str, Entry] = {}
        """The fingerprints of the package's files from the last run that read them."""
        self.outside: tuple[Mapping[str, Entry], int] = ({}, 0)
        """The fingerprints of files outside the checkout that the last successful build read, and their time."""

    def run(self) -> BuiltPackage:
        """Take the build lock and run the steps that the goal needs. Raise BuildError on failure."""
        table = snapshot([str(self.root / CONFIG_FILE)])  # taken before the table is read
        config = self._config()
        options = self._options(config)
        config = config.under(options.values_and_facts())
        build_dir = build_directory(config, options)
        # Before CMake's record of them changes. A manual run of CMake may have changed options, too.
        changes = configured_changes(options, build_dir)
        self.receiver.options_resolved(options, build_dir)
        config = with_staging_tree(config, build_dir)
        with BuildLock(str(build_dir), command_line(), wait=self.request.wait):
            check_for_ninja(build_dir, wait=self.request.wait)
            write_ignore_file(build_dir)
            state = self._withdraw(config, build_dir)
            self.known = {**state.get("made", {}), **state.get("inputs", {})}
            self.outside = state.get("outside", {}), noop.time_of_last_state(str(build_dir))
            with self._recorded(config, options, build_dir, table) as outcome:
                package = self._run_locked(config, options, build_dir, outcome, changes)
        self.receiver.finished()
        return package

    @contextmanager
    def _recorded(
        self, config: Config, options: Options, build_dir: Path, seen: Mapping[str, Entry]
    ) -> Iterator[Outcome]:
        """Report the end of the steps that run in this context and fill in the outcome.

        A successful build becomes the reference for the next one. `seen` holds inputs that were read
        already.
        """
        last = read_last_build(build_dir)
        outcome = Outcome(inputs=scan_inputs(config, last, seen))
        inputs = outcome.inputs

        def end(result: str) -> None:
            event = RunEnded(config, options, build_dir, last, inputs, outcome, result)
            self.receiver.run_ended(event)

        try:
            yield outcome
        except (Exception, KeyboardInterrupt) as error:
            if isinstance(error, BuildError):
                outcome.failure = facts_of(error)
                remember(build_dir, outcome.failure, command_line())
            result = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
            with suppress(OSError, BuildError):  # must not hide the build's own error
                end(result)
            raise
        end("ok")
        if outcome.ninja:  # otherwise the run was requested to end before building
            self._write_state(config, options, build_dir, outcome)

    def _withdraw(self, config: Config, build_dir: Path) -> dict[str, Any]:
        """Withdraw the state, so that a killed build never looks finished. Return that of the last success."""
        state = noop.read_state(str(build_dir))
        if state:
            begin_attempt(sources(state["inputs"], config), build_dir)
            noop.withdraw(str(build_dir))
        return state or noop.last_state(str(build_dir))

    def _write_state(
        self, config: Config, options: Options, build_dir: Path, outcome: Outcome
    ) -> None:
        """Record the inputs and results of a successful build; after a `develop`, so that it can be skipped."""
        made = {p: entry for p, entry in outcome.made.items() if p not in outcome.inputs}
        state: dict[str, Any] = {
            "build": {
                "began": self.receiver.began,
                "seconds": self.receiver.seconds,
                "sizes": built_sizes(build_dir),
            },
            "inputs": outcome.inputs,
            "made": made,
            "outside": scan_outside(build_dir, outcome.inputs, *self.outside, self.receiver.began),
        }
        if self.request.goal is Goal.REGISTER:
            project = editable_project(config, identity_of(config, options), options)
            own = (
                configure.CONFIGURED.name,
                "build.ninja",
                "CMakeCache.txt",
                CODE_GENERATION,
                MANIFEST,
            )
            records = [*watched_files(project), *(build_dir / name for name in own)]
            if config.staging:  # a source that is added has to be linked
                records.append(config.root / config.project.package)
            state["made"] = {**made, **snapshot([str(path) for path in records])}
            state[noop.KEY] = noop.develop_record(
                str(self.root),
                self.request.arguments,
                self.request.environ,
                names_of(config),
                [  # each run of Ninja changes its own records
                    *(str(build_dir / name) for name in graph_records.COPIES),
                    str(twin_of(config.package_root, build_dir)),
                ],
            )
        noop.write_state(str(build_dir), state)
        end_attempt(build_dir)

    def _run_locked(
        self,
        config: Config,
        options: Options,
        build_dir: Path,
        outcome: Outcome,
        changes: Sequence[OptionChange],
    ) -> BuiltPackage:
        check_sources(config, outcome.inputs)
        self._repair(config, build_dir)
        if self.request.goal is Goal.GENERATE:
            outcome.stages = self._codegen(config, options, build_dir)
            return BuiltPackage(config, options, build_dir, outcome)
        toolchain = self._doctor(config, options, build_dir)
        dated = date_for_ninja(sources(outcome.inputs, config), build_dir)
        compilers = snapshot(list(toolchain.compiler_files), self.known)
        outcome.inputs = {**outcome.inputs, **dated, **compilers}
        for path, count in remove_outdated(build_dir, *self.outside).items():
            self.receiver.say(f"{'':22}{path} changed: {count} outputs are made again")
        in_graph = GraphStep(config, build_dir)
        outcome.stages = self._codegen(config, options, build_dir)
        reason = next((change.arrow for change in changes), "")
        cmake = CMakeRun(config, options, toolchain, build_dir, self.receiver, reason)
        outcome.configured = self._configure(cmake)
        in_graph.date_stamp()
        if options.role_on("configure_only"):
            return BuiltPackage(config, options, build_dir, outcome)
        environ = self.request.environ
        targets = targets_of(self.request.goal, options)
        build = BuildStep(config, options, toolchain, build_dir, environ, self.receiver, targets)
        inventory = build.run(outcome, self.known)
        if self.request.goal.stages:
            self._stage(config, inventory, build_dir)
        whole = targets != LIBRARIES
        contents = inventory.contents
        audited = contents.audited if whole else contents.libraries
        self._audit(config, audited, inventory, build_dir)
        if self.request.goal is Goal.REGISTER:
            self._register(config, options)
        outcome.made = inventory.entries
        self.receiver.package_built(self.root, build_dir, outcome)
        return BuiltPackage(config, options, build_dir, outcome, contents.files, contents)

    def _repair(self, config: Config, build_dir: Path) -> None:
        """Repair what killed builds, disk errors and wrong clocks left behind, before it is used."""
        for message in graph_records.restore_logs(build_dir):
            self.receiver.say(message)
        present = list(files_below(build_dir))
        if reset_future_times(build_dir, present):
            self.receiver.say("the clock was set back; outputs dated in the future are rebuilt")
        staged = read_manifest(config.package_root, build_dir).files
        remove_leftovers(config.package_root, present, staged)
        remove_unfinished_twins(config.package_root, build_dir)

    def _config(self) -> Config:
        with self.receiver.step("config") as step:
            config = load(self.root)
            step.note = f"{config.project.distribution} {config.version}"
        return config

    def _options(self, config: Config) -> Options:
        with self.receiver.step("options") as step:
            options = resolve_options(config, self.request)
            if self.request.goal in _NAMED:
                identity_of(config, options)
            explicit = [r for r in options.resolved if r.explicit]
            step.note = ", ".join(f"{r.option.name}={r.text}" for r in explicit) or "all default"
        given = [*self.request.environ.items(), *self.request.settings]
        for sentence in without_effect(config, given):
            self.receiver.say(f"{'':22}{sentence}")
        for resolved in options.resolved:
            if resolved.origin is Origin.DETECTED:
                self.receiver.say(
                    f"{'':22}{resolved.option.name}={resolved.text}: {resolved.detail}"
                )
        return options

    def _doctor(self, config: Config, options: Options, build_dir: Path) -> Toolchain:
        with self.receiver.step("doctor") as step:
            programs = self.request.programs
            machine = Machine(config, options, programs, build_dir)
            warnings = self.receiver.examine(machine)
            toolchain = Toolchain(
                require_tool("cmake", config.project.cmake_minimum, programs),
                require_tool("ninja", config.project.ninja_minimum, programs),
                machine.compiler_identities,
                machine.compiler_files,
            )
            programs.remember(build_dir)
            step.note = f"cmake {toolchain.cmake.version}, ninja {toolchain.ninja.version}"
        for warning in warnings:
            self.receiver.say(f"{'':22}{warning}")
        return toolchain

    def _codegen(self, config: Config, options: Options, build_dir: Path) -> list[StageResult]:
        with self.receiver.step("codegen") as step:
            results = run_stages(
                config,
                options.values_and_facts(),
                {name: options.text(name) for name in options},
                build_dir,
                forced=[s.name for s in config.stages] if self.request.force_codegen else (),
                everything=self.request.everything,
            )
            step.note = "; ".join(describe_runs(results)) or "up to date"
        return results

    def _configure(self, cmake: CMakeRun) -> str:
        """Run CMake if needed; return why it had to run, or an empty text."""
        with self.receiver.step("configure") as step:
            step.note = cmake.reason or "up to date"
            cmake.run(lambda line: self._show_cmake_line(step, line))
        return cmake.reason

    def _show_cmake_line(self, step: Step, line: str) -> None:
        if self.receiver.verbose:
            self.receiver.say(line)
        else:
            step.show_activity(line.removeprefix("-- "))

    def _stage(self, config: Config, inventory: Inventory, build_dir: Path) -> None:
        with self.receiver.step("copy") as step:
            editable = inventory.contents.editable
            changed, gone = stage(editable, config.package_root, build_dir, inventory.entries)
            if config.staging:
                link_sources(config, build_dir, editable)
            inventory.add_copies(changed)
            step.note = f"{len(changed)} copied" if changed else "up to date"
            step.note += f", {len(gone)} removed" if gone else ""

    def _register(self, config: Config, options: Options) -> None:
        from .package.registration import register

        with self.receiver.step("register") as step:
            step.note = register(config, options, self.request.environ)

    def _audit(
        self, config: Config, files: Mapping[str, Path], inventory: Inventory, build_dir: Path
    ) -> None:
        with self.receiver.step("audit") as step:
            from .package.audit import audit_changed

            rules = config.packaging
            home = Path(
                os.path.expanduser("~")
            )  # stays `~` for a user without one, as in a container
            places = (self.root, build_dir, *([home] if home.is_absolute() else []))
            findings = audit_changed(files, rules, places, build_dir, inventory.entries)
            step.note = f"{len(files)} files"
            if findings:
                raise BuildError(
                    f"the package breaks {len(findings)} packaging rules",
                    cause="\n".join(str(f) for f in findings[:40]),
                    hint=f"fix the packaged files, or change the rules: [packaging] in {CONFIG_FILE}",
                )
