"""Parse the arguments of a command, and answer those that need none: the version, the name, and help."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from tools.base.errors import BuildError, nearest, usage_error
from tools.base.programs import Programs

from .command_help import HelpFormatter, options_and_example, purpose_of
from .completion import SHELLS
from .env.options import Options, environment_requests
from .env.resolver import assume_found, resolve
from .package.identity import distribution_version, identity_of
from .table.config import Config
from .table.config_reader import load

PROFILED_FILES = 12
VERSION = ("--version", "-V")
NAME = ("--name",)
HELP = ("-h", "--help")
ALL_HELP = (*HELP, "help", "--help-commands")


class CommandParser(argparse.ArgumentParser):
    """A parser that raises usage errors as BuildError instead of exiting."""

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        parsed, unknown = self.parse_known_args(arguments)
        if hasattr(parsed, "words"):  # what a topic does not know, it refuses itself
            parsed.words += unknown
        elif unknown:
            named = [f"{word}{self._suggestion(word)}" for word in unknown]
            self.error(f"unknown argument {', '.join(named)}")
        return parsed

    def _suggestion(self, word: str) -> str:
        """Return what was probably meant by an unknown argument, to be appended to it."""
        name, sign, _ = word.partition("=")
        if sign and name.isidentifier():
            return f"; did you mean '-D {word}'?"
        if word.startswith("-") and "pytest_arguments" in (action.dest for action in self._actions):
            return f"; did you mean '-- {word}', for pytest?"
        known = re.findall(r"--([a-z-]+)", self.format_help())
        match = nearest(name.lstrip("-"), known) if name.startswith("--") else ""
        return f"; did you mean '--{match}'?" if match else ""

    def error(self, message: str) -> NoReturn:
        raise usage_error(f"{self.prog}: {message}", hint=f"python {self.prog} --help")


def parser_of(name: str) -> CommandParser:
    """Return the parser of a command: the arguments that all commands share, then its own."""
    parser = CommandParser(
        prog=f"setup.py {name}",
        description=purpose_of(name),
        formatter_class=HelpFormatter,
        allow_abbrev=False,  # some arguments are searched for before parsing, by their full names
    )
    parser._optionals.title = "arguments"  # "options" are those of the build
    parser.add_argument(
        "-D", "--define", action="append", default=[], metavar="OPTION=VALUE", help="set an option"
    )
    verbosity = parser.add_mutually_exclusive_group()
    verbosity.add_argument("-v", "--verbose", action="store_true", help="show commands")
    verbosity.add_argument("-q", "--quiet", action="store_true", help="print only failures")
    parser.add_argument("--traceback", action="store_true", help="show the stack of an error")
    parser.add_argument(
        "--system",
        action="store_true",
        help="install into the running Python outside a virtual environment",
    )
    parser.add_argument(
        "--wait", action="store_true", help="wait for another build in the same directory to end"
    )
    if name in _OWN_ARGUMENTS:
        _OWN_ARGUMENTS[name](parser)
    return parser


def _codegen(parser: CommandParser) -> None:
    parser.add_argument(
        "--everything", action="store_true", help="also write the files that exist only for reading"
    )
    parser.add_argument("--force", action="store_true", help="run every stage")


def _make(parser: CommandParser) -> None:
    parser.add_argument(
        "--cmake", action="store_true", help="configure again, from an empty CMake cache"
    )


def _build(parser: CommandParser) -> None:
    _make(parser)
    parser.add_argument(
        "--profile-compile",
        nargs="?",
        type=_number_of_files,
        const=PROFILED_FILES,
        default=0,
        metavar="FILES",
        help=f"compile the slowest files ({PROFILED_FILES}) again, and add the cost of"
        " phases, headers and templates to the report",
    )


def _number_of_files(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"not a whole number of 0 or more: {text!r}")
    return int(text)


def _develop(parser: CommandParser) -> None:
    _build(parser)
    parser.add_argument(
        "--uninstall", action="store_true", help="remove the editable install of this checkout"
    )


def _explain(parser: CommandParser) -> None:
    parser.add_argument("words", nargs="*", metavar="TOPIC", help="what to explain")


def _completion(parser: CommandParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))


def _doctor(parser: CommandParser) -> None:
    _add_formats(parser)
    parser.add_argument(
        "--container",
        action="store_true",
        help="check the container engine and its GPU support; in a container, what it lacks",
    )
    parser.add_argument("checks", nargs="*", metavar="CHECK", help="run only these checks")


def _options(parser: CommandParser) -> None:
    _add_formats(parser)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="show only these groups")
    parser.add_argument(
        "--available", action="store_true", help="leave out planned and absent options"
    )


def _add_formats(parser: CommandParser) -> None:
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="print JSON, for programs")
    formats.add_argument(
        "--markdown", action="store_true", help="print the table of the documentation"
    )


def _test(parser: CommandParser) -> None:
    parser.add_argument("pytest_arguments", nargs="*", help="passed to pytest, after --")


def _wheels(parser: CommandParser) -> None:
    parser.add_argument(
        "--pythons",
        metavar="VERSIONS",
        help="the Pythons besides the running one, such as 3.12,3.13, or paths of interpreters",
    )


_OWN_ARGUMENTS: dict[str, Callable[[CommandParser], None]] = {
    "bdist_wheel": _make,
    "build": _build,
    "codegen": _codegen,
    "completion": _completion,
    "develop": _develop,
    "doctor": _doctor,
    "explain": _explain,
    "install": _make,
    "options": _options,
    "test": _test,
    "wheels": _wheels,
}


def help_of(root: Path, name: str, arguments: list[str]) -> str:
    """Return the help of a command, or of the topic of `explain` that the arguments name."""
    parts = [parser_of(name).format_help()]
    if name == "explain":
        from tools.insight.explain import list_topics, usage_of

        words = [word for word in arguments if not word.startswith("-")]
        if words:
            return usage_of(load(root), words[0])
        parts.append(f"topics:\n{list_topics(load(root))}\n")
    with suppress(BuildError):  # a broken table has no options to show
        parts.append(options_and_example(name, load(root)))
    return "\n".join(parts)


def describe_identity(root: Path, question: str) -> str:
    """Return the name or version that a wheel built now would have."""
    config = load(root)
    options = _unprobed_options(config)
    try:
        identity = identity_of(config, options)
    except ImportError:  # a Python without the build requirements
        name = options.role("package_name") or config.project.distribution
        version = options.role("version"), options.role("version_number")
        return name if question in NAME else distribution_version(config.version, *version)
    return identity.name if question in NAME else identity.version


def _unprobed_options(config: Config) -> Options:
    """Resolve options without probing: no name or version depends on the machine."""
    requests = environment_requests(config, os.environ)
    return resolve(config, requests, Programs(os.environ), sys.executable, assume_found)


def misplaced(arguments: list[str], commands: list[str]) -> str:
    """Return the command line with its arguments after the command; empty when it has no command."""
    command = next((argument for argument in arguments if argument in commands), "")
    others = [argument for argument in arguments if argument != command]
    return " ".join(["python setup.py", command, *others]) if command else ""
