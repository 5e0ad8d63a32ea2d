"""Record what a configuration depends on, and tell why CMake must run again."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.base.atomic import write_if_changed
from tools.base.fingerprint import digest_file, digest_text
from tools.base.globs import find_files
from tools.base.programs import Programs

from ..env.options import Options
from ..generation.generated_sources import NAME as GENERATED_SOURCES
from ..ninja.compiler_cache import missing_cache
from ..ninja.jobs import configured_pools, pool_limits
from ..probes import ProbeContext
from ..probes.build_tool import Tool
from ..probes.compiler import find_compiler
from ..state.graph_records import changed_configuration, configured_since
from ..table.config import Config, Effect

RECORD = "configure.json"
_GENERATED = "generated source lists"
# The role of each compiler's option -> the names to look for if the option is not set.
_COMPILERS = {"c_compiler": "cc,gcc,clang", "cxx_compiler": "c++,g++,clang++"}
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
    for role, candidates in _COMPILERS.items():
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


def components(
    config: Config, options: Options, toolchain: Toolchain, build_dir: Path
) -> dict[str, str]:
    """Return everything that the configuration depends on except generated code, by displayable name."""
    named = {option.name for role in _COMPILERS if (option := config.option_for(role))}
    parts = {
        r.option.name: r.text
        for r in options.resolved
        if r.option.effect is Effect.CONFIGURE and r.option.name not in named
    }
    parts.update(toolchain.compilers)
    parts["cmake"] = toolchain.cmake.version
    parts["ninja"] = toolchain.ninja.version
    parts["source tree"] = str(config.root)
    parts["build tree"] = str(build_dir)
    parts["Python's path"] = sys.executable
    parts["Python"] = f"{sysconfig.get_config_var('SOABI')} {sysconfig.get_path('include')}"
    files = find_files(config.root, ["CMakeLists.txt", "cmake/**/*"])
    for path in files:
        parts[path] = digest_file(str(config.root / path))
    for name, limit in pool_limits(configured_pools(config.resources, build_dir)).items():
        parts[f"jobs at once of class {name}"] = limit
    return parts


def with_generated(parts: Mapping[str, str], build_dir: Path) -> dict[str, str]:
    """Add the parts that are known only after the code is generated."""
    return {**parts, _GENERATED: digest_file(str(build_dir / GENERATED_SOURCES))}


def reason_to_configure(parts: Mapping[str, str], build_dir: Path, fresh: bool) -> str:
    """Return why CMake must run; empty if these parts give no reason."""
    if fresh:
        return "requested"
    known = _known_parts(build_dir)
    if not known:
        return "first time"
    for name in _changed_parts(parts, known, build_dir):
        old, new = known.get(name), parts.get(name)
        short = old is not None and new is not None and len(old) + len(new) < 60
        return f"{name}: {old or 'empty'} -> {new or 'empty'}" if short else f"{name} changed"
    if program := missing_cache(build_dir):
        return f"{program} is gone"
    foreign = changed_configuration(build_dir)
    return f"{foreign} was changed since the last build" if foreign else ""


def _changed_parts(
    parts: Mapping[str, str], known: Mapping[str, str], build_dir: Path
) -> Iterator[str]:
    """Yield the parts for which CMake must run, without those for which Ninja ran it already."""
    by_ninja = configured_since(build_dir)
    for name in [*parts, *known]:
        if parts.get(name) == known.get(name) or (name == _GENERATED and name not in parts):
            continue
        if name == _GENERATED:
            file = build_dir / GENERATED_SOURCES
        else:
            file = Path(parts["source tree"], name)
        if not (file.is_file() and file.stat().st_mtime_ns <= by_ninja):
            yield name


def _known_parts(build_dir: Path) -> dict[str, str]:
    """Return what the last configuration depended on; {} if none succeeded."""
    try:
        known = json.loads((build_dir / RECORD).read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def write_record(parts: Mapping[str, str], build_dir: Path) -> None:
    """Record what the present configuration depends on."""
    write_if_changed(build_dir / RECORD, json.dumps(parts, indent=1).encode())


def compiler_changed(parts: Mapping[str, str], build_dir: Path) -> bool:
    """Whether a compiler changed, so that CMake has to configure from scratch."""
    known = _known_parts(build_dir)
    return any(known.get(role, parts.get(role)) != parts.get(role) for role in _COMPILERS)
