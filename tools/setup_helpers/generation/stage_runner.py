"""Run the code generation stages in the table's order, and skip those whose inputs did not change."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from tools.base.atomic import write_if_changed
from tools.base.file_manager import FileManager, remove_with_empty_parents
from tools.base.generation import Generation, Record, collector_paused, read_records, write_records
from tools.base.globs import find_files, matching
from tools.base.store import build_file

from ..state.checkout_facts import FACTS
from ..table.config import Config, OptionType, Stage
from ..table.entry_points import call
from ..table.predicates import Value, evaluate
from ..table.targets import Library
from .stages import StageContext, StageResult

SOURCE_LISTS = build_file("generated_sources.cmake")


@dataclass
class _Run:
    """A stage that has run, and whose files are not yet on disk."""

    stage: Stage
    reason: str
    generation: Generation
    files: FileManager
    started: float
    seconds: float


def run_stages(
    config: Config,
    values: Mapping[str, Value],
    texts: Mapping[str, str],
    build_dir: Path,
    *,
    forced: Collection[str] = (),
    everything: bool = False,
    job: str = "",
) -> list[StageResult]:
    """Run the stages that are out of date or named in `forced`.

    Nothing is written unless every stage succeeds. With `everything`, stages also write the files that
    are only for people to read. With `job`, the stages of other jobs keep the files that they have.
    """
    known = read_records(build_dir)
    stages = [s for s in config.stages if _wanted(s, values)]
    runner = _Runner(config, texts, build_dir, known, forced, everything)
    for stage in stages:
        if job not in ("", stage.job):
            runner.keep(stage)
    results = [runner.visit(stage) for stage in stages if job in ("", stage.job)]
    done = runner.commit()
    write_source_lists(config, runner.outputs, build_dir)
    return [done.get(r.name, r) for r in results]


def reasons_to_run(
    config: Config, values: Mapping[str, Value], texts: Mapping[str, str], build_dir: Path
) -> dict[str, str]:
    """Return the stages that are out of date and why, without running any."""
    known = read_records(build_dir)
    runner = _Runner(config, texts, build_dir, known, (), everything=False)
    wanted = (stage for stage in config.stages if _wanted(stage, values))
    reasons = {stage.name: runner.reason_to_run(stage) for stage in wanted}
    return {name: reason for name, reason in reasons.items() if reason}


def _wanted(stage: Stage, values: Mapping[str, Value]) -> bool:
    return not stage.planned and (stage.when is None or evaluate(stage.when, values))


class _Runner:
    def __init__(
        self,
        config: Config,
        texts: Mapping[str, str],
        build_dir: Path,
        known: dict[str, Record],
        forced: Collection[str],
        everything: bool,
    ) -> None:
        self._config = config
        self._texts = texts
        self._build_dir = build_dir
        self._known = known
        self._forced = forced
        self._everything = everything
        self._state: dict[str, Record] = {}
        self._runs: list[_Run] = []
        self._owners: dict[str, str] = {}
        self._shared: dict[str, Any] = {}
        self.outputs: dict[str, list[str]] = {}

    def keep(self, stage: Stage) -> None:
        """Leave a stage's files and its record as they are."""
        if record := self._known.get(stage.name):
            self._state[stage.name] = record
            self.outputs[stage.name] = list(record["outputs"])
            self._owners.update(dict.fromkeys(record["outputs"], stage.name))

    def visit(self, stage: Stage) -> StageResult:
        start = time.perf_counter()
        record = self._known.get(stage.name, {})
        generation = self._inspect(stage, record)
        reason = generation.reason()
        if not reason and self._is_requested(stage, record):
            reason = "requested"
        if not reason:
            ran = {run.stage.name for run in self._runs}
            reason = next((f"{name} ran" for name in stage.follows if name in ran), "")
        if not reason:
            self._state[stage.name] = {**record, "inputs": generation.inputs}
            self.outputs[stage.name] = list(record["outputs"])
            self._owners.update(dict.fromkeys(record["outputs"], stage.name))
            return StageResult(stage.name, "", 0.0, len(record["outputs"]), 0, 0, start)
        files = self._files(stage, generation, record)
        with collector_paused():
            what = f"code generation stage {stage.name!r}"
            call(what, stage.entry, self._context(stage, files))
            files.make()
        self.outputs[stage.name] = files.outputs
        self._owners = {**self._owners, **dict.fromkeys(files.outputs, stage.name)}
        seconds = time.perf_counter() - start
        self._runs.append(_Run(stage, reason, generation, files, start, seconds))
        return StageResult(stage.name, reason, seconds, len(files.outputs), 0, 0, start)

    def reason_to_run(self, stage: Stage) -> str:
        """Return why the stage has to run; empty if it does not."""
        return self._inspect(stage, self._known.get(stage.name, {})).reason()

    def _inspect(self, stage: Stage, record: Record) -> Generation:
        facts = {name: FACTS[name](self._config.root) for name in stage.facts}
        settings = {name: self._texts[name] for name in stage.options} | facts
        types = {option.name: option.type for option in self._config.options}
        paths = find_files(self._config.root, stage.inputs)
        # A file that an option names is an input too.
        files = (settings[n] for n in stage.options if types[n] is OptionType.PATH)
        paths += [path for path in files if path]
        numbers = {name: str(limit) for name, limit in stage.limits.items()}
        texts = [f"{k}={v}" for k, v in (settings | numbers).items()]
        return Generation.inspect(
            str(self._config.root),
            str(self._build_dir),
            record,
            paths,
            [f"entry={stage.entry}", f"directory={stage.directory}", *texts],
            stage.partial,
        )

    def _is_requested(self, stage: Stage, record: Record) -> bool:
        return stage.name in self._forced or (self._everything and not record["everything"])

    def _files(self, stage: Stage, generation: Generation, record: Record) -> FileManager:
        """Return a file manager with the reusable files of the last run; none if the stage was forced."""
        files = FileManager(self._build_dir, stage.directory, self._owners)
        if generation.reusable and stage.name not in self._forced:
            files.reusable = record["outputs"]
            if record["everything"] == self._everything:
                files.last_meaning = record["meaning"]
        return files

    def _context(self, stage: Stage, files: FileManager) -> StageContext:
        return StageContext(
            self._config,
            self._config.root,
            files,
            {name: self._texts[name] for name in stage.options},
            {name: FACTS[name](self._config.root) for name in stage.facts},
            self._shared,
            stage.limits,
            self._everything,
        )

    def commit(self) -> dict[str, StageResult]:
        """Write all files, delete those that no stage makes any more, and record the result."""
        results = {}
        begun = {run.stage.name: run.generation.begun(run.files.outputs) for run in self._runs}
        if any(begun.values()):
            records = {name: record for name, record in begun.items() if record}
            write_records(self._build_dir, {**self._known, **records})
        for run in self._runs:
            name = run.stage.name
            run.files.owners = {p: o for p, o in self._owners.items() if o != name}
            previous = list(self._known.get(name, {}).get("outputs", {}))
            changed, gone = run.files.commit(previous or self._unrecorded_files(run.stage))
            record = run.generation.record(run.files.entries(), run.files.meaning)
            self._state[name] = {**record, "everything": self._everything}
            results[name] = StageResult(
                name,
                run.reason,
                run.seconds,
                len(record["outputs"]),
                len(changed),
                len(gone),
                run.started,
            )
        self._delete_outputs_of_removed_stages()
        if self._state != self._known:
            write_records(self._build_dir, self._state)
        return results

    def _unrecorded_files(self, stage: Stage) -> list[str]:
        """Return all files in the stage's output directory, which it owns, when it has no record."""
        inside_source = (
            self._build_dir == self._config.root or self._build_dir in self._config.root.parents
        )
        return [] if inside_source else find_files(self._build_dir, [f"{stage.directory}/**"])

    def _delete_outputs_of_removed_stages(self) -> None:
        """Delete the files of stages that were removed from the table or switched off."""
        for name, record in self._known.items():
            if name not in self._state:
                for path in record["outputs"]:
                    if path not in self._owners:
                        remove_with_empty_parents(self._build_dir / path, self._build_dir)


def write_source_lists(
    config: Config,
    outputs: Mapping[str, list[str]],
    build_dir: Path,
) -> bool:
    """Write build/generated_sources.cmake if it changed; return whether it did."""
    made = sorted(path for paths in outputs.values() for path in paths)
    text = [
        "# Made by tools/setup_helpers/generation/stage_runner.py from build_config.toml's stages.\n"
    ]
    for library in config.libraries:
        for name, paths in _generated_sources(library, made).items():
            listed = "".join(f'\n  "${{CMAKE_BINARY_DIR}}/{path}"' for path in paths)
            text.append(f"set(GENERATED_{name}{listed})\n")
    build_dir.mkdir(parents=True, exist_ok=True)
    return write_if_changed(build_dir / SOURCE_LISTS, "".join(text).encode())


def _generated_sources(library: Library, made: list[str]) -> dict[str, list[str]]:
    """Return which of the files of stages a library compiles, by the end of the name of CMake's list."""
    kernels = matching(made, library.generated_kernels)
    groups = {x.name: matching(made, x.generated) for x in library.groups if x.generated}
    others = {*kernels, *chain.from_iterable(groups.values()), *matching(made, library.exclude)}
    lists = {f"SOURCES_{library.name}/{name}": paths for name, paths in groups.items()}
    if library.generated:
        own = set(matching(made, library.generated))
        lists[f"SOURCES_{library.name}"] = sorted(own - others)
    if library.generated_kernels:
        lists[f"KERNELS_{library.name}"] = kernels
    return lists
