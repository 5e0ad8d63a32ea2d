"""The facts about a run as plain values: the contents of build/report.json except the steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeAlias

from tools.base.ninja_log import read_entries, slowest
from tools.base.ninja_manifest import NAME as MANIFEST
from tools.setup_helpers.env.record import OptionChange
from tools.setup_helpers.events import Outcome
from tools.setup_helpers.generation.stages import StageResult
from tools.setup_helpers.ninja.build_graph import read_graph
from tools.setup_helpers.ninja.compiler_cache import Counters
from tools.setup_helpers.ninja.reasons import OutOfDate
from tools.setup_helpers.package.contents import built_sizes
from tools.setup_helpers.state.inputs import ChangedInput, LastBuild
from tools.setup_helpers.table.config import Config

from ..profile.costs import Profile
from .causes import NO_CAUSE, Wording
from .jobs import Classifier, Job, Kind, critical_path, jobs_of
from .report import on_clock

Facts: TypeAlias = dict[str, Any]

SLOWEST = 40
MOST_INPUTS = 50

_FILES_CHANGED = "CMake found a source added or removed"


def stage_facts(stages: Iterable[StageResult], began: float) -> Facts:
    """Return the stages; `start` counts from `began`, as it does for the steps."""
    return {
        "stages": [
            {
                "name": stage.name,
                "reason": stage.reason,
                **on_clock(stage.started - began, stage.started - began + stage.seconds),
                "outputs": stage.outputs,
                "changed": stage.changed,
                "deleted": stage.deleted,
            }
            for stage in stages
        ]
    }


def job_facts(config: Config, outcome: Outcome, build_dir: Path, began: float) -> Facts:
    """Return the commands of this run on one clock, their first causes, and the critical path."""
    if not outcome.built.steps:
        return {"rebuilt": [], "compiled": 0, "jobs": [], "causes": [], "critical_path": []}
    graph = read_graph(outcome.ninja, build_dir, outcome.targets)
    out_of_date = OutOfDate(outcome.reasons, graph)
    classify = Classifier.of(config, graph)
    jobs = jobs_of(outcome.built.rounds, classify, began)
    ran = {stage.name: stage.reason for stage in outcome.stages if stage.reason}
    wording = Wording.of(config.root, build_dir, outcome.configured, ran)
    if any(job.output == MANIFEST for job in jobs):
        wording = replace(wording, unforeseen=_FILES_CHANGED)
    texts = {job.output: wording.cause(out_of_date, job.output) for job in jobs}
    causes = _causes(jobs, texts)
    numbers = {cause["text"]: index for index, cause in enumerate(causes)}
    memory = outcome.built.memory
    compiled = [job for job in jobs if job.kind is Kind.COMPILE and not job.failed]
    return {
        "job_slots": outcome.jobs,
        "rebuilt": list(outcome.built.steps),
        "compiled": len(compiled),
        "jobs": [
            {
                **_job(job, memory),
                **on_clock(job.start, job.end),
                "lane": job.lane,
                "failed": job.failed,
                "cause": numbers.get(texts[job.output], NO_CAUSE),
            }
            for job in jobs
        ],
        "causes": causes,
        "critical_path": critical_path(graph, {j.output: j.seconds for j in jobs if not j.failed}),
        "slowest": [
            _job(job, memory)
            for job in sorted(compiled, key=lambda job: (-job.seconds, job.output))[:SLOWEST]
        ],
        "slowest_of_tree": [
            _job(Job(entry.output, *classify(entry.output), 0.0, entry.seconds), memory)
            for entry in slowest(read_entries(build_dir))[:SLOWEST]
            if entry.output in graph.makers
        ],
    }


def _job(job: Job, memory: Mapping[str, int]) -> Facts:
    return {
        "output": job.output,
        "category": job.category,
        "seconds": round(job.seconds, 3),
        "memory_mb": memory.get(job.output, 0),
    }


def _causes(jobs: Iterable[Job], texts: Mapping[str, str]) -> list[Facts]:
    """Return the first causes and their costs, the most expensive first."""
    commands: defaultdict[str, int] = defaultdict(int)
    seconds: defaultdict[str, float] = defaultdict(float)
    for job in jobs:
        if text := texts[job.output]:
            commands[text] += 1
            seconds[text] += job.seconds
    rows = [
        {"text": text, "commands": commands[text], "seconds": round(seconds[text], 3)}
        for text in commands
    ]
    return sorted(rows, key=lambda row: (-row["seconds"], row["text"]))


def category_facts(steps: Mapping[str, float], jobs: Iterable[Facts]) -> Facts:
    """Return seconds of work by category: the time of each step, and the sum over the jobs."""
    seconds: defaultdict[str, float] = defaultdict(float)
    commands: defaultdict[str, int] = defaultdict(int)
    for name, taken in steps.items():
        if name != "build":  # its jobs are counted instead
            seconds[name] += taken
            commands[name] += 1
    for job in jobs:
        seconds[job["category"]] += job["seconds"]
        commands[job["category"]] += 1
    return {
        "categories": [
            {"name": name, "seconds": round(taken, 3), "commands": commands[name]}
            for name, taken in sorted(seconds.items(), key=lambda item: -item[1])
        ]
    }


def change_facts(
    last: LastBuild,
    inputs: Sequence[ChangedInput],
    options: Iterable[OptionChange],
    configured: str,
) -> Facts:
    """Return the differences from the last successful build."""
    return {
        "last": {"began": last.began, "seconds": round(last.seconds, 3), "sizes": dict(last.sizes)},
        "changes": {
            "options": [
                {
                    "name": change.now.option.name,
                    "before": change.old,
                    "now": change.now.text,
                    "origin": change.now.origin.value,
                }
                for change in options
            ],
            "configured": configured,
            "inputs": [
                {"path": i.path, "change": i.change.value, "time": i.time, "sizes": list(i.sizes)}
                for i in inputs[:MOST_INPUTS]
            ],
            "more_inputs": max(0, len(inputs) - MOST_INPUTS),
        },
    }


def cache_facts(cache: Counters | None) -> Facts:
    """Return the hits and misses of the compiler cache during this run."""
    return {"compiler_cache": {"hits": cache.hits, "misses": cache.misses}} if cache else {}


def profile_facts(profile: Profile | None) -> Facts:
    """Return the compile-time profile, if one was requested."""
    if profile is None:
        return {}
    headers = [{**asdict(header), "total": header.total} for header in profile.headers]
    return {
        "profile": {
            "compiler": profile.compiler,
            "files": [asdict(file) for file in profile.files],
            "headers": headers,
            "templates": [asdict(template) for template in profile.templates],
        }
    }


def size_facts(build_dir: Path) -> Facts:
    """Return the size in bytes of each file that the build graph builds for the package."""
    return {"sizes": built_sizes(build_dir)}
