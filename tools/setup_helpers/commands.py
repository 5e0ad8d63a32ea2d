"""The commands of setup.py: what each takes, and which steps it puts together."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from .errors import usage_error
from .programs import Programs
from .reporting.report import Report
from .request import (
    Goal,
    Request,
    attempt_options,
    build_directory,
    programs_of,
    resolve_options,
)
from .signals import end_in_order
from .suggest import did_you_mean
from .table.config import Config
from .table.config_reader import load
from .table.options import Options, Origin, names_of
from .tree import noop

if TYPE_CHECKING:
    from .pipeline import BuiltPackage

PROFILED_FILES = 12

Command = Callable[["Call"], int]

REBUILD_MESSAGE = """\
It is no longer necessary to use the 'rebuild' command or --cmake: what changed is found by itself.

  To install:             python setup.py install
  To develop locally:     python setup.py develop"""


class Call:
    """One invocation: parsed arguments and what follows from them."""

    def __init__(self, root: Path, parsed: argparse.Namespace, arguments: list[str]) -> None:
        self.root = root
        self.parsed = parsed
        self.arguments = arguments
        self.report = Report(verbose=parsed.verbose, quiet=parsed.quiet)

    @property
    def settings(self) -> list[tuple[str, str]]:
        return [_setting(text) for text in self.parsed.define]

    @cached_property
    def programs(self) -> Programs:
        return programs_of(load(self.root), os.environ, self.settings)

    def request(self, goal: Goal, **more: bool) -> Request:
        profiled = getattr(self.parsed, "profile_compile", 0)
        return Request(
            self.root,
            self.programs,
            self.settings,
            Origin.COMMAND_LINE,
            goal,
            profile_files=profiled,
            **more,
        )

    def run(self, goal: Goal, **more: bool) -> BuiltPackage:
        from .pipeline import Pipeline

        return Pipeline(self.request(goal, **more), self.report).run()

    def config_and_options(self) -> tuple[Config, Options]:
        config = load(self.root)
        return config, resolve_options(config, self.request(Goal.GENERATE))


def _setting(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    name = name.partition(":")[0].strip()
    if not name:
        raise usage_error(f"-D takes OPTION=VALUE, not {text!r}")
    return name, value if sign else "ON"


def run_command(root: str, arguments: list[str]) -> int:
    """Parses, makes sure the build requirements are there, and runs."""
    if not arguments:
        print(usage())
        return 2
    name, rest = arguments[0], arguments[1:]
    if name in ("-h", "--help", "help"):
        print(usage())
        return 0
    if name == "rebuild" or "--cmake" in rest:
        print(_rebuild_message(Path(root)))
        return 2
    if name not in COMMANDS:
        raise usage_error(
            f"unknown command {name!r}{did_you_mean(name, COMMANDS, 3)}", cause=usage()
        )
    end_in_order()
    command, _, needs_requirements = COMMANDS[name]
    parsed = _parser(name).parse(rest)
    call = Call(Path(root), parsed, rest)
    if needs_requirements:
        from .bootstrap import choose_environment, ensure_build_requirements

        choose_environment(call.root, arguments, system=parsed.system)
        ensure_build_requirements(load(call.root), call.programs)
    return command(call)


def _rebuild_message(root: Path) -> str:
    fresh = load(root).option_for("fresh")
    if fresh is None:
        return REBUILD_MESSAGE
    return f"{REBUILD_MESSAGE}\n  To configure afresh:    {fresh.name}=1 python setup.py develop"


class _Parser(argparse.ArgumentParser):
    """Its mistakes end where all others do."""

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        parsed, strange = self.parse_known_args(arguments)
        if strange:
            known = re.findall(r"--[a-z-]+", self.format_help())
            named = [f"{word}{did_you_mean(word.partition('=')[0], known, 3)}" for word in strange]
            self.error(f"it does not take {', '.join(named)}")
        return parsed

    def error(self, message: str) -> NoReturn:
        raise usage_error(f"{self.prog}: {message}", hint=f"python {self.prog} --help")


def _parser(name: str) -> _Parser:
    parser = _Parser(
        prog=f"setup.py {name}",
        description=COMMANDS[name][1],
        allow_abbrev=False,  # what is looked for in the arguments before they are parsed stands whole
    )
    parser.add_argument(
        "-D", "--define", action="append", default=[], metavar="OPTION=VALUE", help="set an option"
    )
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument("-v", "--verbose", action="store_true", help="show commands")
    loudness.add_argument("-q", "--quiet", action="store_true", help="print nothing but failures")
    parser.add_argument("--traceback", action="store_true", help="show the stack of an error")
    parser.add_argument(
        "--system",
        action="store_true",
        help="install into the running Python outside a virtual environment",
    )
    if name == "codegen":
        parser.add_argument(
            "--everything", action="store_true", help="also write the files for people to read"
        )
        parser.add_argument("--force", action="store_true", help="run every stage")
    if name in ("develop", "build"):
        parser.add_argument(
            "--profile-compile",
            nargs="?",
            type=int,
            const=PROFILED_FILES,
            default=0,
            metavar="FILES",
            help=f"compile the slowest files ({PROFILED_FILES}) once more, and add the cost of"
            " phases, headers and templates to the report",
        )
    if name == "explain":
        parser.add_argument("words", nargs="*", metavar="TOPIC", help="what to explain")
    if name in ("doctor", "options"):
        shape = parser.add_mutually_exclusive_group()
        shape.add_argument("--json", action="store_true", help="for programs")
        shape.add_argument("--markdown", action="store_true", help="the table in the documentation")
    if name == "doctor":
        parser.add_argument("checks", nargs="*", metavar="CHECK", help="only these")
    if name == "options":
        parser.add_argument("groups", nargs="*", metavar="GROUP", help="only these groups")
        parser.add_argument(
            "--available", action="store_true", help="leave out what does not exist yet"
        )
    if name == "test":
        parser.add_argument("pytest_arguments", nargs="*", help="passed to pytest, after --")
    return parser


def usage() -> str:
    """The list of commands."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {text}" for name, (_, text, _) in COMMANDS.items()]
    head = "usage: python setup.py COMMAND [-D OPTION=VALUE] [-v | -q] [--traceback] [--help]"
    return "\n".join([head, "", *lines])


def develop(call: Call) -> int:
    """Build, stage into the source tree, and register the editable install."""
    from .package.editable import check_owner, editable_project, is_registered, watched_files
    from .package.identity import identity_of, table_identity

    config = load(call.root)
    expected = editable_project(config, table_identity(config))
    if not is_registered(expected):
        check_owner(expected)
    built = call.run(Goal.REGISTER)
    if built.options.role_on("configure_only"):
        return 0
    project = editable_project(config, identity_of(config, built.options))
    _remember(call, built, watched_files(project))
    _say_activation(call.root)
    return 0


def _remember(call: Call, built: BuiltPackage, registered: list[Path]) -> None:
    """What the result depends on and what it consists of, for the next no-op."""
    from .code_generation.generation import STATE as CODE_GENERATION
    from .graph.configure import RECORD
    from .tree.fingerprint import snapshot

    own = (RECORD, "build.ninja", "CMakeCache.txt", CODE_GENERATION)
    records = [*registered, *(built.build_dir / name for name in own)]
    noop.remember(
        str(call.root),
        str(built.build_dir),
        [a for a in call.arguments if not a.startswith("--profile-compile")],  # asked for each time
        dict(os.environ),
        list(names_of(built.config)),
        dict(built.outcome.inputs),
        {**built.made, **snapshot([str(path) for path in records])},
    )


def _say_activation(root: Path) -> None:
    from .bootstrap import activation_line

    if line := activation_line(root):
        print(line)


def build(call: Call) -> int:
    """Build everything; copy and install nothing."""
    call.run(Goal.BUILD)
    return 0


def install(call: Call) -> int:
    """Build a wheel and install it into the running environment."""
    from .package.install import install_wheel

    built = call.run(Goal.PACKAGE)
    with call.report.step("install") as step:
        step.note = install_wheel(built, os.environ)
    return 0


def bdist_wheel(call: Call) -> int:
    """Build and pack a wheel into dist/."""
    from .package.identity import identity_of
    from .package.wheel import archive_epoch, make_wheel
    from .package.wheel_repair import can_repair, repair_wheel

    built = call.run(Goal.PACKAGE)
    with call.report.step("wheel") as step:
        epoch = archive_epoch(built.options.role("source_date"))
        identity = identity_of(built.config, built.options)
        wheel = make_wheel(built.config, identity, built.files, call.root / "dist", epoch=epoch)
        if can_repair():
            wheel = repair_wheel(wheel, os.environ, epoch=epoch)
        step.note = f"{wheel.relative_to(call.root)}, {wheel.stat().st_size / 1e6:.1f} MB"
    return 0


def sdist(call: Call) -> int:
    """Pack the sources into dist/."""
    from .package.identity import source_identity
    from .package.manifest import read_manifest
    from .package.sdist import make_sdist
    from .package.wheel import archive_epoch

    config, options = call.config_and_options()
    made = read_manifest(build_directory(config, options))
    with call.report.step("sdist") as step:
        epoch = archive_epoch(options.role("source_date"))
        identity = source_identity(config, options)
        archive = make_sdist(config, identity, call.root / "dist", made=made, epoch=epoch)
        step.note = f"{archive.relative_to(call.root)}, {archive.stat().st_size / 1e6:.1f} MB"
    return 0


def clean(call: Call) -> int:
    """Delete what a build made, and nothing else."""
    from .clean import clean_tree

    config, options = call.config_and_options()
    with call.report.step("clean") as step:
        step.note = clean_tree(config, build_directory(config, options))
    return 0


def test(call: Call) -> int:
    """Install the test requirements and run the tests."""
    from .bootstrap import ensure_group
    from .process import run

    config = load(call.root)
    ensure_group(call.root, "test", system=call.parsed.system)
    command = [
        sys.executable,
        "-m",
        "pytest",
        *(call.parsed.pytest_arguments or config.project.test_paths),
    ]
    finished = run(command, cwd=call.root, on_line=lambda line: print(line, flush=True))
    return 1 if finished.code else 0


def codegen(call: Call) -> int:
    """Run the code generation stages that are out of date."""
    call.run(Goal.GENERATE, force_codegen=call.parsed.force, everything=call.parsed.everything)
    return 0


def explain(call: Call) -> int:
    """Explain a topic of the table."""
    from .explain import explain, list_topics
    from .explain.highlights import highlight
    from .explain.question import Question
    from .terminal.columns import fold
    from .terminal.stream import display_of

    config = load(call.root)
    if not call.parsed.words:
        print(list_topics(config))
        return 2
    topic, *words = call.parsed.words
    request = call.request(Goal.GENERATE)
    resolution = attempt_options(config, request)
    build_dir = build_directory(config, resolution.options)
    answer = explain(topic, Question(config, request, resolution, build_dir, words))
    display = display_of(sys.stdout, os.environ)
    answer = fold(answer, display)
    print(highlight(answer) if display.colour else answer)
    return 0


def doctor(call: Call) -> int:
    """Check this machine and this tree."""
    from .doctor.command import run

    call.programs = Programs(os.environ)  # asked everything anew
    return run(load(call.root), call.request(Goal.BUILD), call.parsed)


def options(call: Call) -> int:
    """Show every option, its value, and where the value comes from."""
    from .table.options_table import render, render_json, render_markdown, select
    from .terminal.stream import display_of

    config = load(call.root)
    chosen = select(config, call.parsed.groups, available=call.parsed.available)
    if call.parsed.markdown:
        print(render_markdown(chosen))
        return 0
    resolved = resolve_options(config, call.request(Goal.BUILD))
    rows = [resolved.of(option.name) for option in chosen]
    shown = display_of(sys.stdout, os.environ)
    print(render_json(rows) if call.parsed.json else render(rows, shown))
    return 0


COMMANDS: dict[str, tuple[Command, str, bool]] = {
    "develop": (develop, "build, and install for development from this checkout", True),
    "build": (build, "build the libraries and extensions", True),
    "install": (install, "build a wheel and install it", True),
    "bdist_wheel": (bdist_wheel, "build a wheel into dist/", True),
    "sdist": (sdist, "pack the sources into dist/", True),
    "clean": (clean, "delete what a build made", False),
    "test": (test, "install the test requirements and run the tests", True),
    "codegen": (codegen, "generate code that is out of date", True),
    "explain": (explain, "explain a topic; without one, name them all", False),
    "doctor": (doctor, "look for what would keep a build from working", False),
    "options": (options, "show every option, its value and its origin", False),
}
