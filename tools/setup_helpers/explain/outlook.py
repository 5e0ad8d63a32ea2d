"""What a build would do now, found out without doing any of it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..code_generation.stage_runner import reasons_to_run
from ..graph.cmake_cache import read_cache
from ..graph.configure import (
    Toolchain,
    compiler_changed,
    compiler_commands,
    components,
    identify_compilers,
    reason_to_configure,
    with_generated,
)
from ..graph.options_record import NAME as OPTIONS_RECORD
from ..graph.toolchain import require_tool
from ..programs import Programs
from ..reporting.build_graph import BuildGraph, read_graph
from ..reporting.causes import Wording
from ..reporting.inputs import ChangedInput, changed_inputs, look
from ..reporting.jobs import Classifier, Kind
from ..reporting.last_build import LastBuild, read_last_build
from ..reporting.option_changes import OptionChange, changed_options
from ..reporting.outcome import NO_CAUSE
from ..reporting.reasons import OutOfDate, dry_run
from ..reporting.report import read_document
from ..request import PACKAGE
from ..table.config import Config
from ..table.options import Options
from ..tree.ninja_log import LogEntry, read_entries
from ..tree.noop import as_left
from .question import Question


@dataclass(frozen=True)
class Outlook:
    """The tree as it is, beside what the last builds left of it."""

    config: Config
    options: Options
    build_dir: Path
    last: LastBuild
    changed_inputs: list[ChangedInput]
    changed_options: list[OptionChange]
    stages: Mapping[str, str]
    """Stage that would run -> why."""
    configured: str
    """Why CMake would run; empty when it would not."""
    out_of_date: OutOfDate
    wording: Wording
    made: Mapping[str, LogEntry]
    """Output -> how long its command ran last."""
    last_causes: Mapping[str, str]
    """Output that the last build made -> why."""
    ninja: str
    as_left: bool
    """Whether `develop` would do nothing; it goes by bytes, where Ninja goes by times."""

    @property
    def graph(self) -> BuildGraph:
        return self.out_of_date.graph

    def path(self, output: str) -> Path:
        return self.build_dir / output


def look_ahead(question: Question) -> Outlook:
    """Reads; starts compilers only for their version and Ninja only to ask."""
    config, options, build_dir = question.config, question.options, question.build_dir
    programs = question.request.programs
    last = read_last_build(build_dir)
    texts = {name: options.text(name) for name in options}
    stages = reasons_to_run(config, options.values_and_facts(), texts, build_dir)
    configured = _reason_to_configure(config, options, build_dir, programs)
    ninja = ninja_of(build_dir)
    reasons = dry_run(ninja, build_dir, PACKAGE).reasons
    graph = read_graph(ninja, build_dir, PACKAGE)
    return Outlook(
        config,
        options,
        build_dir,
        last,
        changed_inputs(last.inputs, look(config, last.inputs, {}), config),
        changed_options(options, build_dir),
        stages,
        configured,
        OutOfDate(reasons, graph),
        Wording.of(config.root, build_dir, configured, stages),
        {entry.output: entry for entry in read_entries(build_dir)},
        _last_causes(build_dir),
        ninja,
        not question.request.settings
        and as_left(str(config.root), str(build_dir), dict(question.request.environ)),
    )


def _reason_to_configure(
    config: Config, options: Options, build_dir: Path, programs: Programs
) -> str:
    toolchain = Toolchain(
        require_tool("cmake", config.project.cmake_minimum, programs),
        require_tool("ninja", config.project.ninja_minimum, programs),
        identify_compilers(compiler_commands(config, options, programs), programs),
    )
    parts = with_generated(components(config, options, toolchain, build_dir), build_dir)
    return reason_to_configure(parts, build_dir, compiler_changed(parts, build_dir))


def recorded_values(build_dir: Path) -> dict[str, dict[str, str]]:
    """The options of the last configuration by name: value, origin, detail."""
    try:
        record: dict[str, Any] = json.loads((build_dir / OPTIONS_RECORD).read_bytes())
        return dict(record["resolved"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}


@dataclass
class Work:
    """How many commands there are, and what they took when they ran last."""

    commands: int = 0
    seconds: float = 0.0


def tree_work(config: Config, build_dir: Path) -> dict[Kind, Work]:
    """The whole tree by kind of command, as Ninja's log knows it."""
    classify = Classifier.of(config, read_graph(ninja_of(build_dir), build_dir, PACKAGE))
    work: defaultdict[Kind, Work] = defaultdict(Work)
    for entry in read_entries(build_dir):
        done = work[classify(entry.output)[0]]
        done.commands += 1
        done.seconds += entry.seconds
    return dict(work)


def ninja_of(build_dir: Path) -> str:
    """The Ninja that made the tree. Another would drop its log, even in a dry run."""
    return read_cache(build_dir).get("CMAKE_MAKE_PROGRAM", "ninja")


def _last_causes(build_dir: Path) -> dict[str, str]:
    document = read_document(build_dir)
    try:
        jobs = [job for job in document["jobs"] if job["cause"] != NO_CAUSE]
        return {job["output"]: document["causes"][job["cause"]]["text"] for job in jobs}
    except (KeyError, IndexError, TypeError):  # of a run before its jobs, or edited
        return {}
