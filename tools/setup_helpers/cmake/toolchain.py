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
from ..probes.compilers import find_compiler
from ..state.noop import COMPILER_VARIABLES
from ..table.config import Config
from ..table.languages import Language, enabled
from ..table.predicates import Predicate, evaluate

BUILD = "python setup.py develop"
# Names that say no more than the language and version, and the names that they may be links to.
_PLAIN = re.compile(r"(?:cc|gcc|clang|c\+\+|g\+\+|clang\+\+)(?:-[\d.]+)?")
_COMPILER = re.compile(r"(?:\w+-)*(?:gcc|g\+\+|clang)(?:-[\d.]+)?")


@dataclass(frozen=True)
class Toolchain:
    """The programs that build the tree."""

    cmake: Tool
    ninja: Tool
    compilers: Mapping[str, str]
    """Language -> identity of its compiler: the command, variables that it reads, and a digest of its version text."""
    compiler_files: tuple[str, ...] = ()


def compiler_commands(config: Config, options: Options, programs: Programs) -> dict[str, list[str]]:
    """Return the command of each compiler that was found, by the name of its language."""
    context = _context(config, options, programs)
    commands = {
        language.name: find_compiler(context, language)
        for language in enabled(config.languages, options.values_and_facts())
    }
    return {name: command for name, command in commands.items() if command}


def gpu_architectures(config: Config, options: Options, programs: Programs) -> dict[str, str]:
    """Return what each language for GPUs is compiled for: the option's list, or else this machine's GPUs.

    A machine without a GPU compiles for all generations.
    """
    found = {}
    for language in enabled(config.languages, options.values_and_facts()):
        if language.architectures:
            from ..probes.cuda import machine_architectures

            here = ";".join(machine_architectures(programs))
            found[language.name] = options.text(language.architectures) or here or "all-major"
    return found


def gpu_libraries(
    config: Config, options: Options, programs: Programs
) -> dict[str, tuple[Path, Path]]:
    """Return a header and the file of each library of the CUDA toolkit that the options found."""
    found = {}
    for resolved in options.resolved:
        if resolved.option.probe == "cuda_library" and resolved.value is True:
            from ..probes.cuda import find_library, toolkit_folders

            language, header, library, distribution = resolved.option.probe_arguments
            places = toolkit_folders(_context(config, options, programs), language)
            if files := find_library(header, library, distribution, places):
                found[library] = files
    return found


def _context(config: Config, options: Options, programs: Programs) -> ProbeContext:
    return ProbeContext(config.root, programs, sys.executable, dict(options), config.languages)


def identify_compilers(commands: Mapping[str, Sequence[str]], programs: Programs) -> dict[str, str]:
    """Return each compiler's program, arguments and a digest of its version text, as one string.

    The text of a script counts, too: a wrapper may pass other arguments to a compiler of the same version. So
    do the variables that add to the arguments, as environment modules and conda set them.
    """
    set_for_compilers = "".join(
        f" with {name}={value}"
        for name in COMPILER_VARIABLES
        if (value := programs.environ.get(name, ""))
    )
    identities = {}
    for language, command in commands.items():
        answer = programs.ask([*command, "--version"])
        program, version = _program(command[0], programs), answer.out + answer.err
        # GCC's text begins with the name by which it was called.
        version = version.removeprefix(os.path.basename(command[0]))
        digest = digest_text(version, *_script(program))
        identities[language] = f"{shlex.join([program, *command[1:]])}{set_for_compilers} {digest}"
    return identities


def _script(program: str) -> list[str]:
    """Return the text of a program that is a script; nothing for any other."""
    try:
        with open(program, "rb") as file:
            head = file.read(2)
            return [(head + file.read()).decode("latin-1")] if head == b"#!" else []
    except OSError:
        return []


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

    @property
    def languages(self) -> list[Language]:
        """The languages of this build."""
        return enabled(self.config.languages, self.options.values_and_facts())

    def compile_flags(self, language: Language) -> tuple[str, ...]:
        """Return the flags that the language's option adds to every compilation."""
        return tuple(shlex.split(self.options.text(language.flags))) if language.flags else ()

    @property
    def link_flags(self) -> tuple[str, ...]:
        """The flags that an option adds to every link."""
        return tuple(shlex.split(self.options.role("link_flags")))

    def meets(self, condition: Predicate | None) -> bool:
        """Return whether a row of the table applies; a row without a condition always does."""
        return condition is None or evaluate(condition, self.options.values_and_facts())

    def with_option(self, role: str, value: str) -> str:
        """Return the command that builds with an option set; empty when no option has that role."""
        option = self.config.option_for(role)
        return f"{option.name}={value} {BUILD}" if option else ""

    @property
    def context(self) -> ProbeContext:
        return _context(self.config, self.options, self.programs)

    @cached_property
    def compilers(self) -> Mapping[str, list[str]]:
        """Language -> command; a language without a compiler is absent."""
        return compiler_commands(self.config, self.options, self.programs)

    @property
    def compiler_files(self) -> tuple[str, ...]:
        """The paths of the compilers, or of the programs that start them."""
        found = (self.programs.find(command[0]) for command in self.compilers.values())
        return tuple(dict.fromkeys(filter(None, found)))

    @cached_property
    def compiler_identities(self) -> Mapping[str, str]:
        """Like `compilers`, with a digest of the version in the text."""
        return identify_compilers(self.compilers, self.programs)
