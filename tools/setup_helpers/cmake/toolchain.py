"""The programs that build a tree, and the machine that they run on."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.base.fingerprint import digest_text
from tools.base.programs import Programs

from ..env.options import Options
from ..probes import ProbeContext
from ..probes.build_tool import Tool
from ..probes.compiler import find_compiler
from ..table.config import Config
from ..table.predicates import Predicate, evaluate

BUILD = "python setup.py develop"
# The role of each compiler's option -> the names to look for if the option is not set.
COMPILERS = {"c_compiler": "cc,gcc,clang", "cxx_compiler": "c++,g++,clang++"}
# Names that say no more than the language and version, and the names that they may be links to.
_PLAIN = re.compile(r"(?:cc|gcc|clang|c\+\+|g\+\+|clang\+\+)(?:-[\d.]+)?")
_COMPILER = re.compile(r"(?:\w+-)*(?:gcc|g\+\+|clang)(?:-[\d.]+)?")


@dataclass(frozen=True)
class Toolchain:
    """The programs that build the tree."""

    cmake: Tool
    ninja: Tool
    compilers: Mapping[str, str]
    """Role of the option -> identity: the command and a digest of its version text."""


def compiler_commands(config: Config, options: Options, programs: Programs) -> dict[str, list[str]]:
    """Return the command of each compiler that was found, by the role of its option."""
    context = ProbeContext(config.root, programs, sys.executable, dict(options))
    commands = {}
    for role, candidates in COMPILERS.items():
        option = config.option_for(role)
        if command := find_compiler(context, option.name if option else "", candidates):
            commands[role] = command
    return commands


def identify_compilers(commands: Mapping[str, Sequence[str]], programs: Programs) -> dict[str, str]:
    """Return each compiler's program, arguments and a digest of its version text, as one string."""
    identities = {}
    for role, command in commands.items():
        answer = programs.ask([*command, "--version"])
        program, version = _program(command[0], programs), answer.out + answer.err
        # GCC's text begins with the name by which it was called.
        version = version.removeprefix(os.path.basename(command[0]))
        identities[role] = f"{shlex.join([program, *command[1:]])} {digest_text(version)}"
    return identities


def _program(name: str, programs: Programs) -> str:
    """Return one path for all links to the same compiler, such as cc and gcc.

    A link with any other name is kept, since a program may act on the name by which it is called, as
    compiler caches and cross compilers do.
    """
    found = programs.find(name) or name
    real = os.path.realpath(found)
    means_nothing = _PLAIN.fullmatch(os.path.basename(found)) or found == real
    if not means_nothing or not _COMPILER.fullmatch(os.path.basename(real)):
        return found
    return f"{real} (C++)" if "++" in os.path.basename(found) else real


@dataclass(frozen=True)
class Machine:
    """The inputs of the checks before a build: the table, the options, the environment, and through them the disk."""

    config: Config
    options: Options
    programs: Programs
    build_dir: Path
    before_installation: bool = False
    """Whether requirements that pip can install are still to be installed."""

    @property
    def environ(self) -> Mapping[str, str]:
        return self.programs.environ

    @property
    def root(self) -> Path:
        return self.config.root

    def flags(self, role: str) -> tuple[str, ...]:
        """Return the flags that an option adds to every compilation or link."""
        return tuple(shlex.split(self.options.role(role)))

    def meets(self, condition: Predicate | None) -> bool:
        """Return whether a row of the table applies; a row without a condition always does."""
        return condition is None or evaluate(condition, self.options.values_and_facts())

    def with_option(self, role: str, value: str) -> str:
        """Return the command that builds with an option set; empty when no option has that role."""
        option = self.config.option_for(role)
        return f"{option.name}={value} {BUILD}" if option else ""

    @property
    def context(self) -> ProbeContext:
        return ProbeContext(self.root, self.programs, sys.executable, dict(self.options))

    @cached_property
    def compilers(self) -> Mapping[str, list[str]]:
        """Role (`c_compiler`, `cxx_compiler`) -> command; a language without a compiler is absent."""
        return compiler_commands(self.config, self.options, self.programs)

    @cached_property
    def compiler_identities(self) -> Mapping[str, str]:
        """Like `compilers`, with a digest of the version in the text."""
        return identify_compilers(self.compilers, self.programs)
