"""What CMake asks the front end, through execute_process: option values and the table's lists.

The front end writes its resolved options to build/options.json before it configures; CMake called
by hand resolves the environment once. Later -D values, and only those, change what was recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from ..code_generation.generated_sources import cmake_list, cmake_quote
from ..errors import BuildError, usage_error
from ..resources import configured_pools
from ..suggest import nearest
from ..table.config import Config, Extension, Library, Program
from ..table.config_reader import load
from ..table.option_resolver import resolve
from ..table.options import (
    Options,
    Origin,
    Request,
    ResolvedOption,
    environment_requests,
    names_of,
)
from ..table.predicates import Value, evaluate
from ..terminal.printing import print_error
from ..tree import made_files
from ..tree.atomic import write_if_changed

OPTIONS_RECORD = "options.json"
OPTIONS_SCRIPT = "options.cmake"

Target = TypeVar("Target", Library, Extension, Program)


def record_options(
    options: Options, build_dir: Path, written: Mapping[str, str], from_front_end: bool = False
) -> None:
    """`written` is what CMake's cache holds by our hand: any other value there is a user's.

    `from_front_end`: the next configuration takes these options whatever the cache holds.
    """
    record = {
        "requests": [[r.name, r.text, r.origin.value] for r in options.requests()],
        "resolved": options.to_json(),
        "cache": dict(written),
        "from_front_end": from_front_end,
    }
    build_dir.mkdir(parents=True, exist_ok=True)
    write_if_changed(build_dir / OPTIONS_RECORD, json.dumps(record, indent=1).encode())


def _record(build_dir: Path) -> dict[str, object]:
    try:
        record = json.loads((build_dir / OPTIONS_RECORD).read_bytes())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def written_values(build_dir: Path) -> dict[str, str]:
    cache = _record(build_dir).get("cache")
    return cache if isinstance(cache, dict) else {}


def recorded_requests(config: Config, build_dir: Path) -> list[Request] | None:
    """The explicit wishes of the last resolution; None when there was none."""
    rows = _record(build_dir).get("requests")
    if not isinstance(rows, list):
        return None
    known = names_of(config)
    return [Request(n, text, Origin(origin)) for n, text, origin in rows if n in known]


def recorded_options(config: Config, build_dir: Path) -> Options:
    """Resolves again what was asked for last, or the environment when nothing was."""
    requests = recorded_requests(config, build_dir)
    if requests is None:
        requests = environment_requests(config, os.environ)
    return resolve(config, requests, os.environ, sys.executable)


def cache_requests(
    config: Config, cache: Mapping[str, tuple[str, str]], written: Mapping[str, str]
) -> list[Request]:
    """-D values in CMake's cache: name -> (type, value). A misspelt one is an error."""
    known = names_of(config)
    requests = []
    misspelt = []
    for name, (kind, value) in cache.items():
        if name in known:
            if written.get(name) != value:
                requests.append(Request(name, value, Origin.COMMAND_LINE))
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


def options_script(
    config: Config, options: Options, pools: Mapping[str, int]
) -> tuple[str, dict[str, str]]:
    """The script CMake includes, and the cache values it sets."""
    lines = ["# Made by tools/setup_helpers/graph/cmake_interface.py from build_config.toml.\n"]
    lines.append("include(CMakeDependentOption)\n")
    written: dict[str, str] = {}
    for resolved in options.resolved:
        if resolved.option.cmake:
            lines.append(_declaration(resolved))
            written[resolved.option.name] = resolved.text
    lines.append(_build_type(options))
    for role, variable in (
        ("c_compiler", "CMAKE_C_COMPILER"),
        ("cxx_compiler", "CMAKE_CXX_COMPILER"),
    ):
        if text := options.role(role):
            lines.append(f'set({variable} "{cmake_quote(text)}" CACHE FILEPATH "")\n')
    for role, variables in (
        ("c_flags", ("CMAKE_C_FLAGS",)),
        ("cxx_flags", ("CMAKE_CXX_FLAGS",)),
        (
            "link_flags",
            ("CMAKE_SHARED_LINKER_FLAGS", "CMAKE_MODULE_LINKER_FLAGS", "CMAKE_EXE_LINKER_FLAGS"),
        ),
    ):
        for variable in variables:
            lines.append(f'set({variable} "{cmake_quote(options.role(role))}")\n')
    lines += _table(config, options)
    lines.append(cmake_list("TABLED_RESOURCES", pools))
    lines += [f"set(POOL_{name} {depth})\n" for name, depth in pools.items()]
    lines.append(cmake_list("TABLED_OPTIONS", [r.option.name for r in options.resolved]))
    for resolved in options.resolved:
        note = f"{resolved.text} ({resolved.origin.value}{': ' + resolved.detail if resolved.detail else ''})"
        lines.append(f'set(OPTION_NOTE_{resolved.option.name} "{cmake_quote(note)}")\n')
    return "".join(lines), written


def _declaration(resolved: ResolvedOption) -> str:
    option, text = resolved.option, resolved.text
    help_text = cmake_quote(option.help)
    if not option.is_switch:
        script = f'set({option.name} "{cmake_quote(text)}" CACHE STRING "{help_text}" FORCE)\n'
        if option.choices:
            choices = " ".join(f'"{c}"' for c in option.choices)
            script += f"set_property(CACHE {option.name} PROPERTY STRINGS {choices})\n"
        return script
    set_value = f"set_property(CACHE {option.name} PROPERTY VALUE {text})\n"
    if option.requires is None:
        return f'option({option.name} "{help_text}" {text})\n{set_value}'
    # The resolver decided the condition; CMake offers the row only while it can be chosen.
    met = resolved.origin is not Origin.FORCED
    declared = (
        f"set({option.name}_CAN_BE_CHOSEN {'ON' if met else 'OFF'})\n"
        f'cmake_dependent_option({option.name} "{help_text}" {text} {option.name}_CAN_BE_CHOSEN OFF)\n'
    )
    return declared + (set_value if met else "")


def _build_type(options: Options) -> str:
    kind = "Debug" if options.role_on("debug") else "Release"
    if options.role_on("debug_info"):
        kind = "RelWithDebInfo"
    return f'set(CMAKE_BUILD_TYPE {kind} CACHE STRING "Chosen by the options" FORCE)\n'


def _table(config: Config, options: Options) -> list[str]:
    """Libraries, extensions, programs, capabilities and resources as lists, conditions already decided."""
    values = options.values_and_facts()
    lines = [
        cmake_list("PROJECT_INPUTS", config.project.inputs),
        f'set(PYTHON_MINIMUM "{config.project.python_minimum}")\n',
        f'set(PACKAGE_NAME "{config.project.package}")\n',
        f'set(PROJECT_VERSION_TEXT "{config.version}")\n',
    ]
    libraries = _built(config.libraries, values)
    lines.append(cmake_list("TABLED_LIBRARIES", [x.name for x in libraries]))
    for library in libraries:
        lines += _library(library)
    extensions = _built(config.extensions, values)
    lines.append(cmake_list("TABLED_EXTENSIONS", [x.target for x in extensions]))
    for extension in extensions:
        prefix = f"EXTENSION_{extension.target}"
        lines.append(cmake_list(f"{prefix}_SOURCES", extension.sources))
        lines.append(cmake_list(f"{prefix}_LINKS", extension.links))
        lines.append(f'set({prefix}_FOLDER "{extension.folder}")\n')
        lines.append(f'set({prefix}_RUNPATH "{cmake_quote(extension.runpath)}")\n')
    programs = _built(config.programs, values)
    lines.append(cmake_list("TABLED_PROGRAMS", [x.name for x in programs]))
    for program in programs:
        lines += _program(program)
    capabilities = [x for x in config.capabilities if x.when is None or evaluate(x.when, values)]
    lines.append(cmake_list("CPU_CAPABILITIES", [x.name for x in capabilities]))
    for capability in capabilities:
        lines.append(cmake_list(f"CPU_FLAGS_{capability.name}", capability.flags))
    return lines


def _built(rows: Iterable[Target], values: Mapping[str, Value]) -> list[Target]:
    """The rows whose part exists and whose condition holds."""
    return [x for x in rows if not x.planned and (x.when is None or evaluate(x.when, values))]


def _library(library: Library) -> list[str]:
    prefix = f"LIBRARY_{library.name}"
    return [
        cmake_list(f"{prefix}_{key.upper()}", getattr(library, key))
        for key in ("sources", "exclude", "kernels", "single_capability", "links", "private_links")
    ] + [
        f'set({prefix}_DESTINATION "{library.destination}")\n',
        f"set({prefix}_PER_PYTHON {'ON' if library.per_python else 'OFF'})\n",
        f'set({prefix}_RESOURCE "{library.resource}")\n',
        f'set({prefix}_LINK_RESOURCE "{library.link_resource}")\n',
    ]


def _program(program: Program) -> list[str]:
    prefix = f"PROGRAM_{program.name}"
    return [
        cmake_list(f"{prefix}_SOURCES", program.sources),
        cmake_list(f"{prefix}_LINKS", program.links),
        f'set({prefix}_DESTINATION "{program.destination}")\n',
        f'set({prefix}_RUNPATH "{cmake_quote(program.runpath)}")\n',
        f'set({prefix}_RESOURCE "{program.resource}")\n',
    ]


def resolve_for_cmake(
    config: Config, build_dir: Path, cache: Mapping[str, tuple[str, str]]
) -> Options:
    """Recorded wishes (or the environment, the first time) with -D values over them."""
    requests = recorded_requests(config, build_dir)
    if requests is None:
        requests = environment_requests(config, os.environ)
    if not _record(build_dir).get("from_front_end"):
        requests = [*requests, *cache_requests(config, cache, written_values(build_dir))]
    return resolve(config, requests, os.environ, sys.executable)


def write_options(config: Config, options: Options, build_dir: Path) -> None:
    """options.cmake and options.json."""
    pools = configured_pools(config.resources, build_dir)
    script, written = options_script(config, options, pools)
    build_dir.mkdir(parents=True, exist_ok=True)
    write_if_changed(build_dir / OPTIONS_SCRIPT, script.encode())
    record_options(options, build_dir, written)


def main(arguments: list[str]) -> int:
    """Called by cmake/Options.cmake."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parsed = parser.parse_args(arguments)
    made_files.begin(parsed.build)
    try:
        config = load(parsed.source)
        options = resolve_for_cmake(config, parsed.build, _read_cache(parsed.cache))
        write_options(config, options, parsed.build)
    except BuildError as error:
        print_error(error)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
