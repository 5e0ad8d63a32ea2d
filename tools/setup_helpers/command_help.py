"""What `python setup.py COMMAND --help` says about each command, apart from the list of its arguments."""

from __future__ import annotations

import textwrap
from argparse import RawDescriptionHelpFormatter
from dataclasses import dataclass

from .table.config import Config, Option

_WIDTH = 88


@dataclass(frozen=True)
class CommandHelp:
    """The help of a command."""

    purpose: str
    example: str
    """What follows `python setup.py` in the example."""
    roles: tuple[str, ...] = ()
    """The options that matter most for this command, by the roles that the table gives them."""
    setting: tuple[str, str] = ("", "")
    """A role and a value. The example also sets this option, if the project has it."""


_BUILD = ("jobs", "debug", "debug_info", "build_dir", "fresh", "configure_only", "verbose")
_ARCHIVE = ("package_name", "companion", "version", "version_number", "source_date")

HELP_OF = {
    "develop": CommandHelp(
        "Generate, compile and link what is out of date, copy it into the package's folder, and register"
        " this checkout with pip, so that the package can be imported from anywhere and follows your edits."
        " Missing build requirements are installed first. Run it again after every edit; with nothing to"
        " do, it prints `up to date`.",
        "develop",
        _BUILD,
        ("debug", "ON"),
    ),
    "build": CommandHelp(
        "Generate, compile and link what is out of date, and leave the results in the build directory:"
        " nothing is copied into the package's folder or installed.",
        "build",
        _BUILD,
        ("jobs", "4"),
    ),
    "install": CommandHelp(
        "Build a wheel and install it into the running environment with pip. The installed package does"
        " not depend on this checkout; to follow your edits, use `develop`.",
        "install",
        ("jobs", "build_dir", "package_name", "version"),
    ),
    "bdist_wheel": CommandHelp(
        "Build, audit and pack a wheel into dist/. The same sources and compiler give the same bytes.",
        "bdist_wheel",
        (*_ARCHIVE, "library_wheel", "python_wheel", "repair_wheel", "jobs"),
        ("repair_wheel", "ON"),
    ),
    "wheels": CommandHelp(
        "Build once, and pack into dist/: a library wheel with everything that does not depend on Python,"
        " the same files as an archive for C++, and a thin wheel for the running Python and each of"
        " --pythons, which requires exactly that library wheel. The other Pythons need only their headers;"
        " nothing is installed into them.",
        "wheels --pythons 3.12,3.13",
        ("pythons", *_ARCHIVE, "repair_wheel", "jobs"),
    ),
    "sdist": CommandHelp(
        "Pack the sources into an archive in dist/, from which pip can build the package without this"
        " checkout. Files that git ignores are left out.",
        "sdist",
        _ARCHIVE,
    ),
    "clean": CommandHelp(
        "Delete the files that builds of this configuration made, in the build directory and in the"
        " package's folder. Files that no build made are kept.",
        "clean",
        ("build_dir",),
        ("build_dir", "build-debug"),
    ),
    "test": CommandHelp(
        "Install the `test` dependency group of pyproject.toml if it is missing, and run pytest. Arguments"
        " after -- are passed to pytest and replace the arguments that the table gives.",
        "test -- -k sum",
    ),
    "codegen": CommandHelp(
        "Run the code generation stages whose inputs changed. Builds do this too; the command is for"
        " looking at generated files without compiling them.",
        "codegen --everything",
        ("build_dir",),
    ),
    "explain": CommandHelp(
        "Answer a question about the build or the project. Without a topic, list the topics.",
        "explain rebuild",
    ),
    "doctor": CommandHelp(
        "Run every check of the machine, the environment and this checkout, and say how to fix what it"
        " finds. The quick ones also run before each build. The exit code is 3 if there are problems.",
        "doctor --json",
    ),
    "options": CommandHelp(
        "Show every option: its value, where the value comes from, and what the option is for. Give names"
        " of groups to see only those.",
        "options build",
    ),
    "completion": CommandHelp(
        "Print a script that makes a shell complete commands, arguments, and the names and values of"
        " options. Write it to a file, and source that file in ~/.bashrc, in ~/.zshrc after compinit, or in"
        " ~/.config/fish/config.fish. Write it again when the options of the table change.",
        "completion bash > ~/.setup_py_completion.bash",
    ),
}


class HelpFormatter(RawDescriptionHelpFormatter):
    """Formats help with a fixed width, so that it does not depend on the terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_WIDTH)


def purpose_of(name: str) -> str:
    """Return the paragraph that says what a command does."""
    return textwrap.fill(HELP_OF[name].purpose, _WIDTH)


def options_and_example(name: str, config: Config) -> str:
    """Return the options that matter for a command, and an example of its use."""
    about = HELP_OF[name]
    found = [option for role in about.roles if (option := config.option_for(role)) is not None]
    parts: list[str] = []
    if found:
        lines = [
            "options of the build that matter here, as NAME=VALUE in the environment or after -D:"
        ]
        parts.append("\n".join([*lines, *_rows(found), "  All of them: python setup.py options"]))
    example = about.example
    role, value = about.setting
    if role and (option := config.option_for(role)) is not None:
        example += f" -D {option.name}={value}"
    parts.append(f"example:\n  $ python setup.py {example}")
    return "\n\n".join(parts)


def _rows(options: list[Option]) -> list[str]:
    width = max(len(option.name) for option in options)
    indent = " " * (width + 4)
    return [
        textwrap.fill(
            f"{option.name:<{width}}  {option.help}",
            _WIDTH,
            initial_indent="  ",
            subsequent_indent=indent,
        )
        for option in options
    ]
