"""One invocation of a command of setup.py."""

from __future__ import annotations

import argparse
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.errors import usage_error
from tools.base.programs import Programs
from tools.insight.report.report import Report
from tools.insight.watcher import Watcher

from .env.options import Options, Origin
from .env.request import Goal, Request, programs_of, resolve_options
from .table.config import Config
from .table.config_reader import load

if TYPE_CHECKING:
    from .pipeline import BuiltPackage


class Call:
    """One invocation: the parsed arguments and the objects derived from them."""

    def __init__(self, root: Path, parsed: argparse.Namespace, arguments: list[str]) -> None:
        self.root = root
        self.parsed = parsed
        self.arguments = arguments
        self.report = Report(verbose=parsed.verbose, quiet=parsed.quiet)

    @property
    def settings(self) -> list[tuple[str, str]]:
        given = [_setting(text) for text in self.parsed.define]
        if getattr(self.parsed, "cmake", False):
            given.append((_fresh_option(self.root), "ON"))
        return given

    @cached_property
    def programs(self) -> Programs:
        return programs_of(load(self.root), os.environ, self.settings)

    def request(self, goal: Goal, **more: bool) -> Request:
        return Request(
            self.root,
            self.programs,
            self.settings,
            Origin.COMMAND_LINE,
            goal,
            wait=self.parsed.wait,
            arguments=self.arguments,
            **more,
        )

    def run(self, goal: Goal, **more: bool) -> BuiltPackage:
        from .pipeline import Pipeline

        watcher = Watcher(self.report, getattr(self.parsed, "profile_compile", 0))
        return Pipeline(self.request(goal, **more), watcher).run()

    def config_and_options(self) -> tuple[Config, Options]:
        config = load(self.root)
        return config, resolve_options(config, self.request(Goal.GENERATE))


def _setting(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    name = name.partition(":")[0].strip()
    if not name:
        raise usage_error(f"-D takes OPTION=VALUE, not {text!r}")
    return name, value if sign else "ON"


def _fresh_option(root: Path) -> str:
    """Return the name of the option that --cmake sets."""
    fresh = load(root).option_for("fresh")
    if fresh is None:
        raise usage_error("--cmake: no option of this project configures again")
    return fresh.name
