"""Prepare for a command: choose its environment, and install the packages that it needs."""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING

from .env.request import Goal, attempt_options, build_directory
from .env.resolver import assume_found
from .own_environment import in_virtual_environment
from .table.config_reader import load

if TYPE_CHECKING:
    from .call import Call

# The build requirements needed to write the metadata of an archive.
_FOR_METADATA = ("setuptools", "packaging")


class Needs(Enum):
    """Which of pyproject.toml's build requirements a command needs."""

    NOTHING = "nothing"
    METADATA = "those that write metadata"
    GENERATORS = "those that code generation imports"
    EVERYTHING = "all, and CMake and Ninja"


def prepare(call: Call, needs: Needs, arguments: list[str]) -> None:
    """Install the missing requirements of a command, once its options are known to be valid."""
    from . import bootstrap

    if needs is Needs.NOTHING:
        return
    system = call.parsed.system
    if needs is Needs.EVERYTHING:
        if not (system or in_virtual_environment()):
            _check_options(call)
            bootstrap.choose_environment(call.root, arguments, system=system)
        config = load(call.root)
        missing = bootstrap.missing_build_requirements(config, call.programs)
        options = attempt_options(config, call.request(Goal.GENERATE), assume_found).options
        missing += bootstrap.missing_for_options(config, options)
    else:
        generators = load(call.root).project.generator_requirements
        names = _FOR_METADATA if needs is Needs.METADATA else generators
        missing = bootstrap.missing_among(call.root, names)
    if missing:
        _check_options(call)
        bootstrap.choose_environment(call.root, arguments, system=system)
        bootstrap.install_requirements("build", missing)


def _check_options(call: Call) -> None:
    """Raise the BuildError that the command itself would raise for its options."""
    from .package.identity import identity_of

    config, options = call.config_and_options()
    build_directory(config, options)
    with suppress(ImportError):  # the module that checks versions may not be installed yet
        identity_of(config, options)
