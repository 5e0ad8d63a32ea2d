"""Give CMake the option values and the table's lists, through execute_process.

The front end writes the resolved options before it starts CMake. CMake started by hand runs this module,
which changes the recorded options by the variables that are set and by -D values. CMake started by Ninja
ignores the environment, which is that of whoever happens to build.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from tools.base.atomic import write_if_changed
from tools.base.console import report
from tools.base.errors import BuildError, nearest, usage_error
from tools.base.programs import Programs
from tools.base.store import build_file

from ..env.foreign import foreign_names
from ..env.options import OptionRequest, Options, Origin, environment_requests, names_of
from ..env.record import read_record, record_options, recorded_requests, written_values
from ..env.resolver import resolve
from ..env.values import switch_text
from ..ninja.jobs import configured_pools
from ..ninja.remote import remote_slots
from ..state.folders import record_present_files, write_ignore_file
from ..table.config import Config
from ..table.config_reader import load
from .configure import VARIABLE
from .options_script import library_lines, options_script
from .toolchain import compiler_commands, gpu_architectures, gpu_libraries

OPTIONS_SCRIPT = build_file("options.cmake")
# What the modules of cmake/ write: Options, CompilerCache, TableLibrary and Summary.
for _name in ("CMakeFiles/cache_values.txt", "compiler_cache.txt", "empty.c", "summary.txt"):
    build_file(_name)


def recorded_options(config: Config, build_dir: Path) -> Options:
    """Resolve the recorded requests again, or the environment if there are none."""
    requests = recorded_requests(config, build_dir)
    if requests is None:
        requests = environment_requests(config, os.environ)
    return resolve(config, requests, _programs(config, build_dir), sys.executable)


def cache_requests(
    config: Config, cache: Mapping[str, tuple[str, str]], written: Mapping[str, str]
) -> list[OptionRequest]:
    """Return the requests made with -D, from CMake's cache of name -> (type, value).

    Raises:
        BuildError: If a name is a misspelt option.
    """
    known, foreign = names_of(config), foreign_names(config)
    requests = []
    misspelt = []
    for name, (kind, value) in cache.items():
        if name in known:
            if written.get(name) != value:
                requests.append(OptionRequest(name, value, Origin.COMMAND_LINE))
        elif name in foreign:
            continue
        elif kind == "UNINITIALIZED" and (match := nearest(name, known)):
            misspelt.append(f"-D{name}={value}: did you mean {match}?")
    if misspelt:
        raise usage_error("unknown option on the command line", cause="\n".join(misspelt))
    return requests


def _read_cache(path: Path) -> dict[str, tuple[str, str]]:
    cache = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, _, rest = line.partition("\t")
        kind, _, value = rest.partition("\t")
        cache[name] = (kind, value)
    return cache


def resolve_for_cmake(
    config: Config, build_dir: Path, cache: Mapping[str, tuple[str, str]]
) -> Options:
    """Resolve the recorded requests and the environment, overridden by -D values."""
    requests, written = recorded_requests(config, build_dir), written_values(build_dir)
    from_front_end = read_record(build_dir).get("from_front_end")
    by_hand = not _is_started_by_ninja()
    if by_hand and not from_front_end and written and cache.keys().isdisjoint(written):
        requests = None  # CMake's cache was deleted, so everything starts again
    if requests is None:
        requests = environment_requests(config, os.environ)
    elif by_hand:
        requests = _with_environment(config, requests, environment_requests(config, os.environ))
    if not from_front_end:
        requests = [*requests, *cache_requests(config, cache, written)]
    return resolve(config, requests, _programs(config, build_dir), sys.executable)


def _is_started_by_ninja() -> bool:
    """Whether the CMake that runs this was started by Ninja, since a file that it read has changed."""
    try:
        arguments = Path(f"/proc/{os.getppid()}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"--regenerate-during-build" in arguments


def _with_environment(
    config: Config, recorded: list[OptionRequest], present: list[OptionRequest]
) -> list[OptionRequest]:
    """Let variables that are set replace those recorded, but not -D values; report what has no effect.

    A variable that was set when the tree was configured and is not set any more still counts: programs
    that call CMake, such as editors, have another environment.
    """
    names = names_of(config)
    explicit = {names[r.name]: r.text for r in recorded if r.origin is not Origin.ENVIRONMENT}
    compilers = {language.compiler for language in config.languages}
    before = {names[r.name]: r.text for r in recorded}
    effective = []
    for request in present:
        name, text = names[request.name], switch_text(request.text) or request.text
        if name in explicit:
            reason = f"the tree was configured with -D{name}={explicit[name]}"
        elif name in compilers:  # CMake would have to forget everything that it knows
            reason = "CMake keeps the compiler that it found; start again with cmake --fresh"
        else:
            effective.append(request)
            continue
        if before.get(name) != text:
            print(f"-- {request.name}={request.text} in the environment has no effect: {reason}")
    replaced = {names[r.name] for r in effective}
    return [*effective, *(r for r in recorded if names[r.name] not in replaced)]


def _programs(config: Config, build_dir: Path) -> Programs:
    """Return the programs with the answers that the front end recorded."""
    return Programs.as_last_built(os.environ, build_dir, {*names_of(config), VARIABLE})


def write_options(
    config: Config, options: Options, build_dir: Path, *, from_front_end: bool = False
) -> None:
    """Write options.cmake and options.json."""
    pools = configured_pools(config.resources, build_dir, remote_slots(options))
    programs = _programs(config, build_dir)
    compilers = compiler_commands(config, options, programs)
    architectures = gpu_architectures(config, options, programs)
    script, written = options_script(config, options, pools, compilers, architectures)
    script += library_lines(gpu_libraries(config, options, programs))
    build_dir.mkdir(parents=True, exist_ok=True)
    write_if_changed(build_dir / OPTIONS_SCRIPT, script.encode())
    record_options(options, build_dir, written, from_front_end)


def main(arguments: list[str]) -> int:
    """Run as cmake/Options.cmake calls it; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parsed = parser.parse_args(arguments)
    try:
        write_ignore_file(parsed.build)
        record_present_files(parsed.build)
        config = load(parsed.source)
        options = resolve_for_cmake(config, parsed.build, _read_cache(parsed.cache))
        write_options(config, options, parsed.build)
    except (BuildError, OSError) as error:
        return report(error)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
