"""The front end's core builds without tools/insight: it knows its observers only as receivers of events."""

from __future__ import annotations

import json
import shutil
import subprocess

from .fixture_project import Project

BUILD = """
import contextlib, json, os, sys, time
from pathlib import Path

from tools.setup_helpers.env.options import Origin
from tools.setup_helpers.env.request import Goal, Request, programs_of
from tools.setup_helpers.pipeline import Pipeline
from tools.setup_helpers.table.config_reader import load


class Step:
    note = ""

    def show_activity(self, doing):
        pass


class Progress:
    def started(self, text): ...
    def advance(self, done, total, text): ...
    def failed(self, text): ...
    def line(self, text): ...
    def close(self): ...


class Recorder:
    verbose, began, seconds = False, time.time(), 0.0

    def __init__(self):
        self.events = []

    @contextlib.contextmanager
    def step(self, name):
        self.events.append(name)
        yield Step()

    def say(self, text): ...

    def examine(self, machine):
        self.events.append("examine")
        return []

    def build_starts(self, event):
        self.events.append("build_starts")
        return Progress()

    def run_ended(self, event):
        self.events.append(f"run_ended {event.result}")

    def __getattr__(self, event):
        return lambda *_: self.events.append(event)


root, receiver = Path.cwd(), Recorder()
request = Request(root, programs_of(load(root), os.environ), goal=Goal.BUILD)
Pipeline(request, receiver).run()
assert not [name for name in sys.modules if name.startswith("tools.insight")]
print(json.dumps(receiver.events))
"""


def test_the_core_builds_without_the_code_of_its_observers(project: Project) -> None:
    shutil.rmtree(project.root / "tools/insight")
    built: subprocess.CompletedProcess[str] = project.call([str(project.python), "-c", BUILD])
    assert json.loads(built.stdout.splitlines()[-1]) == [
        "config",
        "options",
        "options_resolved",
        "doctor",
        "examine",
        "codegen",
        "configure",
        "build",
        "build_starts",
        "audit",
        "package_built",
        "run_ended ok",
        "finished",
    ]
    assert (project.root / "build/state.json").exists()
    assert not (project.root / "build/report.json").exists()
