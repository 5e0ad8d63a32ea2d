"""The commands of setup.py, and the steps that each of them runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.errors import BuildError, did_you_mean, usage_error
from tools.base.process import raise_on_signals
from tools.base.programs import Programs

from . import package_commands
from .call import Call
from .command_parser import (
    ALL_HELP,
    HELP,
    NAME,
    VERSION,
    describe_identity,
    help_of,
    misplaced,
    parser_of,
)
from .env.request import (
    Goal,
    attempt_options,
    build_directory,
    resolve_options,
)
from .preparation import Needs, prepare
from .table.config_reader import load

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class CommandRow:
    """A command: its function, its line of help, and the requirements it needs."""

    run: Callable[[Call], int]
    help: str
    needs: Needs = Needs.NOTHING


REBUILD_MESSAGE = """\
The 'rebuild' command is no longer necessary: every build detects what changed.

  To install:             python setup.py install
  To develop locally:     python setup.py develop
  To configure again:     python setup.py develop --cmake
"""


def run_command(root: str, arguments: list[str]) -> int:
    """Parse the arguments, install missing requirements, and run the command. Return the exit code."""
    if not arguments:
        print(usage())
        return 2
    if arguments[0] in ALL_HELP and arguments[1:2] and arguments[1] in COMMANDS:
        arguments = [arguments[1], "--help", *arguments[2:]]
    if arguments[0] == "rebuild":
        print(REBUILD_MESSAGE, flush=True)
        arguments = (
            arguments[1:]
            if arguments[1:2] and arguments[1] in COMMANDS
            else ["build", *arguments[1:]]
        )
    name, rest = arguments[0], arguments[1:]
    if answer := _answer(Path(root), name, rest):
        print(answer)
        return 0
    if name not in COMMANDS:
        raise _unknown_command(arguments)
    raise_on_signals()
    row = COMMANDS[name]
    parsed = parser_of(name).parse(rest)
    call = Call(Path(root), parsed, rest)
    prepare(call, Needs.NOTHING if getattr(parsed, "uninstall", False) else row.needs, arguments)
    return row.run(call)


def _answer(root: Path, name: str, rest: list[str]) -> str:
    """Answer arguments that run no command, such as --version; return an empty text for all others."""
    if name in (*VERSION, *NAME):
        return describe_identity(root, name)
    if name in ALL_HELP:
        return usage()
    own = rest[: rest.index("--")] if "--" in rest else rest
    if name in COMMANDS and any(word in HELP for word in own):
        return help_of(root, name, own)
    return ""


def _unknown_command(arguments: list[str]) -> BuildError:
    name = arguments[0]
    if name.startswith("-") and (meant := misplaced(arguments, list(COMMANDS))):
        return usage_error(f"arguments come after the command: {meant}")
    return usage_error(f"unknown command {name!r}{did_you_mean(name, COMMANDS, 3)}", cause=usage())


def usage() -> str:
    """Return the list of commands."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {row.help}" for name, row in COMMANDS.items()]
    head = "usage: python setup.py COMMAND [-D OPTION=VALUE] [-v | -q] [--traceback] [--help]"
    foot = "`python setup.py COMMAND --help` describes a command and its arguments."
    return "\n".join([head, "", *lines, "", foot])


def develop(call: Call) -> int:
    """Build, stage into the source tree, and register the editable install."""
    from .package.editable import (
        check_owner,
        check_writable,
        editable_project,
        is_registered,
    )
    from .package.identity import table_identity

    if call.parsed.uninstall:
        return _uninstall(call)
    config = load(call.root)
    expected = editable_project(config, table_identity(config))
    if not is_registered(expected):
        check_owner(expected)
        check_writable()
    built = call.run(Goal.REGISTER)
    if not built.options.role_on("configure_only"):
        _print_activation(call.root)
    return 0


def _uninstall(call: Call) -> int:
    from .package.editable import editable_project, site_packages
    from .package.identity import identity_of
    from .package.registration import uninstall
    from .package.staging_tree import with_staging_tree

    config, options = call.config_and_options()
    config = with_staging_tree(config, build_directory(config, options))
    project = editable_project(config, identity_of(config, options), options)
    print(uninstall(project, site_packages()))
    print(
        "the build and its copies in the package's folder stay; python setup.py clean deletes them"
    )
    return 0


def _print_activation(root: Path) -> None:
    from .bootstrap import activation_line

    if line := activation_line(root):
        print(line)


def build(call: Call) -> int:
    """Build everything without copying or installing it."""
    call.run(Goal.BUILD)
    return 0


def clean(call: Call) -> int:
    """Delete the files that builds made, and nothing else."""
    from tools.insight.report import recorder  # noqa: F401  # declares the files that it writes

    from .clean import clean_tree

    config, options = call.config_and_options()
    with call.report.step("clean") as step:
        step.note = clean_tree(config, build_directory(config, options), wait=call.parsed.wait)
    return 0


def test(call: Call) -> int:
    """Install the test requirements and run the tests."""
    from tools.base.process import run

    from .bootstrap import ensure_group

    config = load(call.root)
    ensure_group(call.root, "test", system=call.parsed.system)
    command = [
        sys.executable,
        "-m",
        "pytest",
        *(call.parsed.pytest_arguments or config.project.test_arguments),
    ]
    finished = run(command, cwd=call.root, on_line=lambda line: print(line, flush=True))
    return 1 if finished.code else 0


def codegen(call: Call) -> int:
    """Run the code generation stages that are out of date."""
    call.run(Goal.GENERATE, force_codegen=call.parsed.force, everything=call.parsed.everything)
    return 0


def explain(call: Call) -> int:
    """Explain a topic of the table."""
    from tools.base.console import display_of
    from tools.insight.explain import Question, explain, list_topics
    from tools.insight.explain.wording import highlight
    from tools.insight.terminal.lines import fold

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
    """Check this machine and this checkout."""
    from tools.insight.doctor.command import run

    call.programs = Programs(os.environ)  # remembers no earlier answers
    return run(load(call.root), call.request(Goal.BUILD), call.parsed)


def options(call: Call) -> int:
    """Show every option, its value, and where the value comes from."""
    from tools.base.console import display_of
    from tools.insight.explain.options_table import render, render_json, render_markdown, select

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


def completion(call: Call) -> int:
    """Print the completion script of a shell."""
    from tools.insight.doctor.command import list_checks
    from tools.insight.explain import topics_of

    from .completion import SHELLS, Word, completions_of, script

    config = load(call.root)
    words = {
        "completion": [Word(shell) for shell in SHELLS],
        "doctor": [Word(check.id, check.looks_at) for check in list_checks(config)],
        "explain": [Word(topic.name, topic.help) for topic in topics_of(config)],
        "explain option": [Word(option.name, option.help) for option in config.options],
        "options": [Word(name) for name in dict.fromkeys(o.group for o in config.options)],
    }
    parsers = {name: parser_of(name) for name in COMMANDS}
    helps = {name: row.help for name, row in COMMANDS.items()}
    print(script(call.parsed.shell, completions_of(config, helps, parsers, words)), end="")
    return 0


COMMANDS: dict[str, CommandRow] = {
    "develop": CommandRow(
        develop, "build, and install this checkout for development", Needs.EVERYTHING
    ),
    "build": CommandRow(build, "build the libraries and extensions", Needs.EVERYTHING),
    "install": CommandRow(
        package_commands.install, "build a wheel and install it", Needs.EVERYTHING
    ),
    "bdist_wheel": CommandRow(
        package_commands.bdist_wheel, "build a wheel into dist/", Needs.EVERYTHING
    ),
    "wheels": CommandRow(
        package_commands.wheels,
        "build a library wheel and thin wheels for several Pythons",
        Needs.EVERYTHING,
    ),
    "sdist": CommandRow(package_commands.sdist, "pack the sources into dist/", Needs.METADATA),
    "clean": CommandRow(clean, "delete the files that builds made"),
    "test": CommandRow(test, "install the test requirements and run the tests", Needs.EVERYTHING),
    "codegen": CommandRow(codegen, "regenerate code that is out of date", Needs.GENERATORS),
    "explain": CommandRow(explain, "explain a topic, or list all topics"),
    "doctor": CommandRow(doctor, "look for problems that would make a build fail"),
    "options": CommandRow(options, "show every option, its value and its origin"),
    "completion": CommandRow(completion, "print a script that completes commands in a shell"),
}
