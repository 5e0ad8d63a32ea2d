"""Running CMake: only when something it depends on changed, saying what."""

from __future__ import annotations

import json
import re
import shlex
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..code_generation.generated_sources import NAME as GENERATED_SOURCES
from ..errors import BuildError
from ..failure.diagnosis import diagnose_text, render
from ..failure.log import CONFIGURE, Log
from ..failure.scene import Scene
from ..globs import find_files
from ..probes import ProbeContext
from ..probes.compiler import find_compiler
from ..process import run
from ..resources import configured_pools, pool_limits
from ..table.config import Config, Effect
from ..table.options import Options
from ..tree.atomic import write_atomically
from ..tree.fingerprint import digest_file, digest_text
from ..tree.graph_records import (
    changed_configuration,
    drop_damaged_configuration,
    forget_configuration,
)
from .cmake_interface import record_options, written_values
from .compiler_cache import missing_cache
from .toolchain import Tool

RECORD = "configure.json"
# CMake finds its own records damaged, or made in another place.
_CACHE_TO_BLAME = re.compile(
    r"Parse error in cache file|where CMakeCache\.txt was created|used to generate cache"
    r"|CMake Error at \S*CMakeFiles/[\d.]+/"
)


@dataclass(frozen=True)
class Toolchain:
    """The programs that make the tree."""

    cmake: Tool
    ninja: Tool
    compilers: Mapping[str, str]
    """Language -> identity: the command and a digest of its own description."""


def compiler_commands(
    config: Config, options: Options, environ: Mapping[str, str]
) -> dict[str, list[str]]:
    """The command of each compiler that is there, by the role of its option."""
    context = ProbeContext(config.root, environ, sys.executable, dict(options))
    commands = {}
    for role, candidates in (("c_compiler", "cc,gcc,clang"), ("cxx_compiler", "c++,g++,clang++")):
        option = config.option_for(role)
        if command := find_compiler(context, option.name if option else "", candidates):
            commands[role] = command
    return commands


def identify_compilers(commands: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Command and a digest of the version text of each compiler."""
    identities = {}
    for role, command in commands.items():
        description = run([*command, "--version"]).output
        identities[role] = f"{shlex.join(command)} {digest_text(description)}"
    return identities


def components(
    config: Config, options: Options, toolchain: Toolchain, build_dir: Path
) -> dict[str, str]:
    """Everything the configuration depends on, by a name that can be shown."""
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
    parts["generated source lists"] = digest_file(str(build_dir / GENERATED_SOURCES))
    return parts


def reason_to_configure(parts: Mapping[str, str], build_dir: Path, fresh: bool) -> str:
    """Why CMake must run; empty when it need not."""
    if fresh:
        return "asked for"
    known = _known_parts(build_dir)
    if not known:
        return "first time"
    for name in [*parts, *known]:
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


def configure(
    config: Config,
    options: Options,
    toolchain: Toolchain,
    build_dir: Path,
    parts: Mapping[str, str],
    *,
    fresh: bool,
    tell: Callable[[str], None],
) -> None:
    """Runs CMake, which says to `tell` what it does; raises BuildError with its first error."""
    record_options(options, build_dir, written_values(build_dir), from_front_end=True)
    (build_dir / RECORD).unlink(missing_ok=True)
    command = [
        toolchain.cmake.path,
        *("-G", "Ninja"),
        *("-S", str(config.root)),
        *("-B", str(build_dir)),
        f"-DPython_EXECUTABLE={sys.executable}",
        f"-DCMAKE_MAKE_PROGRAM={toolchain.ninja.path}",
        *(["--fresh"] if fresh and (build_dir / "CMakeCache.txt").exists() else []),
        *shlex.split(options.role("cmake_arguments")),
    ]
    log = Log(build_dir, CONFIGURE)

    def on_line(line: str) -> None:
        log.line(line)
        tell(line)

    drop_damaged_configuration(build_dir)
    result = run(command, on_line=on_line)
    if result.code and _CACHE_TO_BLAME.search(result.output):
        forget_configuration(build_dir)
        result = run(command, on_line=on_line)
    log.close()
    if result.code:
        raise _failure(result.output, Scene(config.root, build_dir, options=config.roles), log)
    after = {**parts, "generated source lists": digest_file(str(build_dir / GENERATED_SOURCES))}
    write_atomically(build_dir / RECORD, json.dumps(after, indent=1).encode())


def _failure(output: str, scene: Scene, log: Log) -> BuildError:
    """The front end's own errors come through CMake as they are; CMake's get their likely cause."""
    own = re.search(r"^error: .*(?:\n  .*|\nhint: .*)*", output, re.MULTILINE)
    found = diagnose_text("CMake", own[0] if own else output, scene)
    return BuildError(
        "CMake could not configure the build",
        cause=own[0] if own else render(found),
        hint=found.hint,
        log=log.shown(scene.root),
    )


def compiler_changed(parts: Mapping[str, str], build_dir: Path) -> bool:
    """CMake cannot change compilers in a configured tree; it must start afresh."""
    known = _known_parts(build_dir)
    return any(
        known.get(role, parts.get(role)) != parts.get(role)
        for role in ("c_compiler", "cxx_compiler")
    )
