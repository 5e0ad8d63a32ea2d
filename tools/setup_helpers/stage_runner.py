"""The one runner of code generation: stages in the table's order, skipped when their content is known."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from .atomic import write_atomically
from .checkout_facts import FACTS
from .config import Config, Stage
from .errors import BuildError, environment_error, usage_error
from .file_manager import FileManager, remove_with_empty_parents
from .fingerprint import digest_file, digest_text
from .generated_sources import write_source_lists
from .globs import find_files
from .predicates import Value, evaluate
from .stages import StageContext, StageResult

STATE = "codegen.json"
Record: TypeAlias = dict[str, Any]


@dataclass
class _Run:
    """A stage that has run and whose files are not on disk yet."""

    stage: Stage
    reason: str
    key: str
    inputs: Record
    files: FileManager
    seconds: float


def run_stages(
    config: Config,
    values: Mapping[str, Value],
    texts: Mapping[str, str],
    build_dir: Path,
    *,
    forced: Collection[str] = (),
    everything: bool = False,
) -> list[StageResult]:
    """Runs what is out of date or named in `forced`.

    Nothing is written unless every stage succeeds.
    """
    known = _read_state(build_dir)
    stages = [s for s in config.stages if _wanted(s, values)]
    runner = _Runner(config, texts, build_dir, known, forced, everything)
    results = [runner.visit(stage) for stage in stages]
    done = runner.commit(stages)
    write_source_lists(config, stages, runner.outputs, runner.all_inputs, build_dir)
    return [done.get(r.name, r) for r in results]


def _wanted(stage: Stage, values: Mapping[str, Value]) -> bool:
    return not stage.planned and (stage.when is None or evaluate(stage.when, values))


class _Runner:
    def __init__(
        self,
        config: Config,
        texts: Mapping[str, str],
        build_dir: Path,
        known: Record,
        forced: Collection[str],
        everything: bool,
    ) -> None:
        self._config = config
        self._texts = texts
        self._build_dir = build_dir
        self._known = known
        self._forced = forced
        self._everything = everything
        self._runs: list[_Run] = []
        self._owners: dict[str, str] = {}
        self._shared: dict[str, Any] = {}
        self._reran: set[str] = set()
        self.outputs: dict[str, list[str]] = {}
        self.all_inputs: set[str] = set()

    def visit(self, stage: Stage) -> StageResult:
        start = time.perf_counter()
        record: Record = self._known.get(stage.name, {})
        inputs = self._inputs(stage, record.get("inputs", {}))
        facts = {name: FACTS[name](self._config.root) for name in stage.facts}
        options = {name: self._texts[name] for name in stage.options}
        key = digest_text(
            stage.entry,
            stage.directory,
            *(f"{path}={entry[2]}" for path, entry in inputs.items()),
            *(f"{name}={value}" for name, value in [*facts.items(), *options.items()]),
        )
        reason = self._reason(stage, record, key, inputs)
        self.all_inputs.update(inputs)
        if not reason:
            record["inputs"] = inputs
            self.outputs[stage.name] = list(record["outputs"])
            self._owners.update(dict.fromkeys(record["outputs"], stage.name))
            return StageResult(stage.name, "", 0.0, len(record["outputs"]), 0, 0)
        files = FileManager(self._build_dir, stage.directory, self._owners)
        context = StageContext(
            self._config, self._config.root, files, options, facts, self._shared, self._everything
        )
        _call(stage, context)
        self._reran.add(stage.name)
        self.outputs[stage.name] = files.outputs
        self._owners = {**self._owners, **dict.fromkeys(files.outputs, stage.name)}
        seconds = time.perf_counter() - start
        self._runs.append(_Run(stage, reason, key, inputs, files, seconds))
        return StageResult(stage.name, reason, seconds, len(files.outputs), 0, 0)

    def _inputs(self, stage: Stage, known: Record) -> Record:
        """path -> [size, mtime, digest], hashed only when the stat moved."""
        inputs: Record = {}
        for path in find_files(self._config.root, stage.inputs):
            info = (self._config.root / path).stat()
            entry = known.get(path)
            if entry and entry[0] == info.st_size and entry[1] == info.st_mtime_ns:
                inputs[path] = entry
            else:
                digest = digest_file(str(self._config.root / path))
                inputs[path] = [info.st_size, info.st_mtime_ns, digest]
        return inputs

    def _reason(self, stage: Stage, record: Record, key: str, inputs: Record) -> str:
        if not record:
            return "first time"
        if stage.name in self._forced or (self._everything and not record.get("everything")):
            return "asked for"
        if record["key"] != key:
            old = record["inputs"]
            changed = [p for p in inputs if p not in old or old[p][2] != inputs[p][2]]
            changed += [p for p in old if p not in inputs]
            return f"{changed[0]} changed" if changed else "an option or the checkout changed"
        for path, (size, mtime) in record["outputs"].items():
            try:
                info = (self._build_dir / path).stat()
            except OSError:
                return f"{path} is missing"
            if info.st_size != size or info.st_mtime_ns != mtime:
                return f"{path} was edited"
        return ""

    def commit(self, stages: list[Stage]) -> dict[str, StageResult]:
        """Writes all files, deletes what no stage makes any more, and then records it."""
        results = {}
        state: Record = {s.name: self._known[s.name] for s in stages if s.name not in self._reran}
        for run in self._runs:
            name = run.stage.name
            run.files.owners = {p: o for p, o in self._owners.items() if o != name}
            previous = list(self._known.get(name, {}).get("outputs", {}))
            if not previous:
                previous = self._strangers(run.stage)
            changed, gone = run.files.commit(previous)
            outputs = {}
            for path in run.files.outputs:
                info = (self._build_dir / path).stat()
                outputs[path] = [info.st_size, info.st_mtime_ns]
            state[name] = {
                "key": run.key,
                "inputs": run.inputs,
                "outputs": outputs,
                "everything": self._everything,
            }
            results[name] = StageResult(
                name, run.reason, run.seconds, len(outputs), len(changed), len(gone)
            )
        self._drop_stages(state)
        if state != self._known or self._runs:
            self._build_dir.mkdir(parents=True, exist_ok=True)
            write_atomically(self._build_dir / STATE, json.dumps(state).encode())
        return results

    def _strangers(self, stage: Stage) -> list[str]:
        """Files of the stage's folder that no record knows: a generator owns its folder."""
        inside_source = (
            self._build_dir == self._config.root or self._build_dir in self._config.root.parents
        )
        return [] if inside_source else find_files(self._build_dir, [f"{stage.directory}/**"])

    def _drop_stages(self, state: Record) -> None:
        """A stage that left the table, or was switched off, takes its files along."""
        for name, record in self._known.items():
            if name not in state:
                for path in record["outputs"]:
                    if path not in self._owners:
                        remove_with_empty_parents(self._build_dir / path, self._build_dir)


def _call(stage: Stage, context: StageContext) -> None:
    module, _, function = stage.entry.partition(":")
    try:
        entry = getattr(importlib.import_module(module), function)
    except ModuleNotFoundError as error:
        if error.name is None or module.startswith(error.name):
            raise usage_error(
                f"stage {stage.name!r}: no {stage.entry}", cause=str(error)
            ) from error
        raise environment_error(
            f"code generation stage {stage.name!r} needs the Python package {error.name!r}",
            hint="pip install the build requirements of pyproject.toml",
        ) from error
    except (ImportError, AttributeError) as error:
        raise usage_error(f"stage {stage.name!r}: no {stage.entry}", cause=str(error)) from error
    try:
        entry(context)
    except BuildError:
        raise
    except Exception as error:
        # Generators know nothing of this package; a mistake in their inputs is theirs to describe.
        if type(error).__name__ == "InputError":
            raise usage_error(
                f"code generation stage {stage.name!r} failed", cause=str(error)
            ) from error
        raise


def _read_state(build_dir: Path) -> Record:
    try:
        state = json.loads((build_dir / STATE).read_bytes())
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def recorded_outputs(build_dir: Path) -> list[str]:
    """Every file the stages made last, relative to the build directory."""
    return sorted(path for record in _read_state(build_dir).values() for path in record["outputs"])
