"""What a configuration depends on, and why CMake must run again."""

from __future__ import annotations

import json
import shlex
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..code_generation.generated_sources import NAME as GENERATED_SOURCES
from ..globs import find_files
from ..probes import ProbeContext
from ..probes.compiler import find_compiler
from ..programs import Programs
from ..resources import configured_pools, pool_limits
from ..table.config import Config, Effect
from ..table.options import Options
from ..tree.fingerprint import digest_file, digest_text
from ..tree.graph_records import (
    changed_configuration,
)
from .compiler_cache import missing_cache
from .toolchain import Tool

RECORD = "configure.json"
_GENERATED = "generated source lists"


@dataclass(frozen=True)
class Toolchain:
    """The programs that make the tree."""

    cmake: Tool
    ninja: Tool
    compilers: Mapping[str, str]
    """Language -> identity: the command and a digest of its own description."""


def compiler_commands(config: Config, options: Options, programs: Programs) -> dict[str, list[str]]:
    """The command of each compiler that is there, by the role of its option."""
    context = ProbeContext(config.root, programs, sys.executable, dict(options))
    commands = {}
    for role, candidates in (("c_compiler", "cc,gcc,clang"), ("cxx_compiler", "c++,g++,clang++")):
        option = config.option_for(role)
        if command := find_compiler(context, option.name if option else "", candidates):
            commands[role] = command
    return commands


def identify_compilers(commands: Mapping[str, Sequence[str]], programs: Programs) -> dict[str, str]:
    """Command and a digest of the version text of each compiler."""
    identities = {}
    for role, command in commands.items():
        answer = programs.ask([*command, "--version"])
        identities[role] = f"{shlex.join(command)} {digest_text(answer.out + answer.err)}"
    return identities


def components(
    config: Config, options: Options, toolchain: Toolchain, build_dir: Path
) -> dict[str, str]:
    """Everything the configuration depends on but generated code, by a name that can be shown."""
    parts = {r.option.name: r.text for r in options.resolved if r.option.effect is Effect.CONFIGURE}
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
    """With what is known only once the code is generated."""
    return {**parts, _GENERATED: digest_file(str(build_dir / GENERATED_SOURCES))}


def reason_to_configure(parts: Mapping[str, str], build_dir: Path, fresh: bool) -> str:
    """Why CMake must run; empty when it need not, as far as these parts tell."""
    if fresh:
        return "asked for"
    known = _known_parts(build_dir)
    if not known:
        return "first time"
    for name in [*parts, *known]:
        if name == _GENERATED and name not in parts:
            continue
        if parts.get(name) != known.get(name):
            old, new = known.get(name), parts.get(name)
            short = old is not None and new is not None and len(old) + len(new) < 60
            return f"{name}: {old or 'empty'} -> {new or 'empty'}" if short else f"{name} changed"
    if program := missing_cache(build_dir):
        return f"{program} is gone"
    foreign = changed_configuration(build_dir)
    return f"{foreign} is not as the last build left it" if foreign else ""


def _known_parts(build_dir: Path) -> dict[str, str]:
    """What the last configuration depended on; {} when none went well."""
    try:
        known = json.loads((build_dir / RECORD).read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def compiler_changed(parts: Mapping[str, str], build_dir: Path) -> bool:
    """CMake cannot change compilers in a configured tree; it must start afresh."""
    known = _known_parts(build_dir)
    return any(
        known.get(role, parts.get(role)) != parts.get(role)
        for role in ("c_compiler", "cxx_compiler")
    )
