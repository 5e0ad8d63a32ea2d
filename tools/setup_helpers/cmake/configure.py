"""Record what a configuration depends on, and tell why CMake must run again."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

from tools.base.fingerprint import digest_file
from tools.base.globs import find_files
from tools.base.store import Record

from ..env.options import Options
from ..env.pythons import further_pythons
from ..generation.stage_runner import SOURCE_LISTS as GENERATED_SOURCES
from ..ninja.compiler_cache import changed_cache
from ..ninja.jobs import configured_pools, pool_limits
from ..ninja.remote import remote_slots
from ..state.graph_records import changed_configuration, configured_since
from ..state.noop import LINKER_VARIABLES
from ..table.config import Config, Effect
from ..table.languages import Language
from .toolchain import Toolchain

CONFIGURED: Record[dict[str, str]] = Record("configure.json")
"""What the last successful configuration depended on, by displayable name."""
VARIABLE = "BUILD_FRONT_END_CONFIGURES"
"""Set for CMake when the options are resolved and the code is generated. CMake started by hand or by Ninja
runs Python for both."""
_GENERATED = "generated source lists"


def components(
    config: Config, options: Options, toolchain: Toolchain, build_dir: Path
) -> dict[str, str]:
    """Return everything that the configuration depends on, by displayable name."""
    named = {language.compiler for language in config.languages}
    parts = {
        r.option.name: r.text
        for r in options.resolved
        if r.option.effect is Effect.CONFIGURE and r.option.name not in named
    }
    compilers = toolchain.compilers
    known = [language for language in config.languages if language.name in compilers]
    parts.update((language.display_name, compilers[language.name]) for language in known)
    parts["cmake"] = toolchain.cmake.version
    parts["ninja"] = toolchain.ninja.version
    parts["source tree"] = str(config.root)
    parts["build tree"] = str(build_dir)
    parts["Python's path"] = sys.executable
    parts["Python"] = f"{sysconfig.get_config_var('SOABI')} {sysconfig.get_path('include')}"
    for python in further_pythons(config, options, os.environ):
        parts[f"Python {python.version}"] = f"{python.soabi} {python.include}"
    files = find_files(config.root, ["CMakeLists.txt", "cmake/**/*"])
    for path in files:
        parts[path] = digest_file(str(config.root / path))
    slots = remote_slots(options)
    pools = configured_pools(config.resources, build_dir, slots)
    for name, limit in pool_limits(pools, slots).items():
        parts[f"jobs at once of class {name}"] = limit
    parts.update((name, x) for name in LINKER_VARIABLES if (x := os.environ.get(name)))
    parts[_GENERATED] = digest_file(str(build_dir / GENERATED_SOURCES))
    return parts


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
    if cache := changed_cache(build_dir, os.environ):
        return cache
    foreign = changed_configuration(build_dir)
    return f"{foreign} was changed since the last build" if foreign else ""


def _changed_parts(
    parts: Mapping[str, str], known: Mapping[str, str], build_dir: Path
) -> Iterator[str]:
    """Yield the parts for which CMake must run, without those for which Ninja ran it already."""
    by_ninja = configured_since(build_dir)
    for name in [*parts, *known]:
        if parts.get(name) == known.get(name):
            continue
        if name == _GENERATED:
            file = build_dir / GENERATED_SOURCES
        else:
            file = Path(parts["source tree"], name)
        if not (file.is_file() and file.stat().st_mtime_ns <= by_ninja):
            yield name


def _known_parts(build_dir: Path) -> dict[str, str]:
    """Return what the last configuration depended on; {} if none succeeded."""
    return CONFIGURED.read(build_dir) or {}


def write_record(parts: Mapping[str, str], build_dir: Path) -> None:
    """Record what the present configuration depends on."""
    CONFIGURED.write(build_dir, dict(parts))


def links_again(parts: Mapping[str, str], build_dir: Path) -> bool:
    """Whether a variable of linkers changed, which no command line shows."""
    known = _known_parts(build_dir)
    return bool(known) and any(known.get(name) != parts.get(name) for name in LINKER_VARIABLES)


def changed_compilers(config: Config, parts: Mapping[str, str], build_dir: Path) -> list[Language]:
    """Return the languages whose compiler changed. If there are any, CMake has to configure from scratch."""
    known = _known_parts(build_dir)
    present = known.keys() & parts.keys()
    names = {name for name in present if known[name] != parts[name]}
    return [language for language in config.languages if language.display_name in names]
