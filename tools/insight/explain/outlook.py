"""Predict what a build would do now, without doing any of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.base.cmake_text import read_cache
from tools.base.fingerprint import first_change
from tools.base.ninja_log import LogEntry, read_entries
from tools.base.programs import Programs
from tools.setup_helpers.cmake.configure import (
    changed_compilers,
    components,
    reason_to_configure,
)
from tools.setup_helpers.cmake.toolchain import Toolchain, compiler_commands, identify_compilers
from tools.setup_helpers.env.options import Options
from tools.setup_helpers.env.record import OptionChange, read_record
from tools.setup_helpers.env.request import PACKAGE
from tools.setup_helpers.generation.stage_runner import reasons_to_run
from tools.setup_helpers.ninja.build_graph import BuildGraph, read_graph
from tools.setup_helpers.ninja.reasons import OutOfDate, dry_run
from tools.setup_helpers.package.contents import editable_files
from tools.setup_helpers.package.editable import site_packages
from tools.setup_helpers.package.staging import planned_copies
from tools.setup_helpers.package.staging_tree import with_staging_tree
from tools.setup_helpers.probes.build_tool import require_tool
from tools.setup_helpers.state.inputs import (
    ChangedInput,
    LastBuild,
    changed_inputs,
    changes_outside,
    read_last_build,
    scan_inputs,
)
from tools.setup_helpers.state.noop import KEY, is_up_to_date, read_state
from tools.setup_helpers.state.outside import outdated
from tools.setup_helpers.table.config import Config

from ..report.causes import NO_CAUSE, Wording
from ..report.jobs import Classifier, Kind
from ..report.report import changed_options, read_document
from . import Question


@dataclass(frozen=True)
class Outlook:
    """The state of the tree compared with what the last builds recorded."""

    config: Config
    options: Options
    build_dir: Path
    last: LastBuild
    changed_inputs: list[ChangedInput]
    changed_outside: list[ChangedInput]
    """Files outside the checkout that changed, by absolute path."""
    outdated: Mapping[str, list[Path]]
    """Each of them -> the outputs made from it that Ninja takes for up to date, and `develop` deletes first."""
    changed_options: list[OptionChange]
    stages: Mapping[str, str]
    """Stage that would run -> why."""
    configured: str
    """Why CMake would run; empty if it would not."""
    out_of_date: OutOfDate
    wording: Wording
    made: Mapping[str, LogEntry]
    """Output -> log entry of the last run of its command."""
    last_causes: Mapping[str, str]
    """Output that the last build wrote -> why."""
    ninja: str
    copies: list[str]
    """Files of the package that would be copied into the source tree again."""
    copies_removed: list[str]
    unregistered: str
    """An installed file that is missing or was changed; empty if there is none, or nothing was installed."""
    as_left: bool
    """Whether `develop` would do nothing; it compares contents, whereas Ninja compares times."""

    @property
    def graph(self) -> BuildGraph:
        return self.out_of_date.graph

    def path(self, output: str) -> Path:
        return self.build_dir / output


def look_ahead(question: Question) -> Outlook:
    """Collect the outlook; compilers run only to report their version, Ninja only for a dry run."""
    config, options, build_dir = question.config, question.options, question.build_dir
    programs = question.request.programs
    last = read_last_build(build_dir)
    texts = {name: options.text(name) for name in options}
    stages = reasons_to_run(config, options.values_and_facts(), texts, build_dir)
    configured = _reason_to_configure(config, options, build_dir, programs)
    ninja = ninja_of(build_dir)
    reasons = dry_run(ninja, build_dir, PACKAGE).reasons
    graph = read_graph(ninja, build_dir, PACKAGE)
    outside = changes_outside(last)
    tree = with_staging_tree(config, build_dir)
    files = editable_files(tree, build_dir)
    present = {path: file for path, file in files.items() if file.exists()}
    copies = planned_copies(present, tree.package_root, build_dir)
    return Outlook(
        config,
        options,
        build_dir,
        last,
        changed_inputs(last.inputs, scan_inputs(config, last, {}), config),
        outside,
        outdated(build_dir, [change.path for change in outside]),
        changed_options(options, build_dir),
        stages,
        configured,
        OutOfDate(reasons, graph),
        Wording.of(config.root, build_dir, configured, stages),
        {entry.output: entry for entry in read_entries(build_dir)},
        _last_causes(build_dir),
        ninja,
        copies[0],
        [path for path in copies[1] if path not in files],
        _unregistered(build_dir),
        not question.request.settings
        and is_up_to_date(str(config.root), str(build_dir), dict(question.request.environ)),
    )


def _unregistered(build_dir: Path) -> str:
    """Return the first installed file that differs from what the last `develop` left."""
    state = read_state(str(build_dir))
    site = f"{site_packages()}/"
    made = state["made"] if KEY in state else {}
    return first_change({path: entry for path, entry in made.items() if path.startswith(site)})


def _reason_to_configure(
    config: Config, options: Options, build_dir: Path, programs: Programs
) -> str:
    toolchain = Toolchain(
        require_tool("cmake", config.project.cmake_minimum, programs),
        require_tool("ninja", config.project.ninja_minimum, programs),
        identify_compilers(compiler_commands(config, options, programs), programs),
    )
    parts = components(config, options, toolchain, build_dir)
    return reason_to_configure(parts, build_dir, bool(changed_compilers(config, parts, build_dir)))


def recorded_values(build_dir: Path) -> dict[str, dict[str, str]]:
    """Return the options of the last configuration by name: value, origin, detail."""
    resolved = read_record(build_dir).get("resolved")
    return resolved if isinstance(resolved, dict) else {}


@dataclass
class Work:
    """The number of commands, and the seconds that they took when they last ran."""

    commands: int = 0
    seconds: float = 0.0


def tree_work(config: Config, build_dir: Path) -> dict[Kind, Work]:
    """Return the work of the whole tree by kind of command, according to Ninja's log."""
    classify = Classifier.of(config, read_graph(ninja_of(build_dir), build_dir, PACKAGE))
    work: defaultdict[Kind, Work] = defaultdict(Work)
    for entry in read_entries(build_dir):
        done = work[classify(entry.output)[0]]
        done.commands += 1
        done.seconds += entry.seconds
    return dict(work)


def ninja_of(build_dir: Path) -> str:
    """Return the Ninja that built the tree; another version would discard its log, even in a dry run."""
    return read_cache(build_dir).get("CMAKE_MAKE_PROGRAM", "ninja")


def _last_causes(build_dir: Path) -> dict[str, str]:
    document = read_document(build_dir)
    try:
        jobs = [job for job in document["jobs"] if job["cause"] != NO_CAUSE]
        return {job["output"]: document["causes"][job["cause"]]["text"] for job in jobs}
    except (KeyError, IndexError, TypeError):  # the run stopped before its jobs, or it was edited
        return {}
