"""The text of build/options.cmake, which gives CMake the options, the table and facts about Python."""

from __future__ import annotations

import importlib.util
import platform
import sysconfig
from collections.abc import Iterable, Mapping
from typing import TypeVar

from tools.base.cmake_text import cmake_list, cmake_quote

from ..env.options import Options, Origin, ResolvedOption
from ..probes.python_distribution import find_file
from ..table.config import Config
from ..table.predicates import Value, evaluate
from ..table.targets import Extension, Library, Program

Target = TypeVar("Target", Library, Extension, Program)


def options_script(
    config: Config, options: Options, pools: Mapping[str, int]
) -> tuple[str, dict[str, str]]:
    """Return the script that CMake includes, and the cache values that it sets."""
    lines = ["# Made by tools/setup_helpers/cmake/options_script.py from build_config.toml.\n"]
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
    lines += _python(config, options)
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
    # The resolver has evaluated the condition; CMake offers the option only if it holds.
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
    """Return the table's rows whose conditions hold, as CMake lists."""
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
        lines += _library(library, values)
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
    """Return the rows that are not planned for later and whose condition holds."""
    return [x for x in rows if not x.planned and (x.when is None or evaluate(x.when, values))]


def _library(library: Library, values: Mapping[str, Value]) -> list[str]:
    prefix = f"LIBRARY_{library.name}"
    lists = ["sources", "kernels", "single_capability", "definitions", "links", "private_links"]
    groups = [x for x in library.groups if x.when is None or evaluate(x.when, values)]
    in_groups = (pattern for group in library.groups for pattern in group.sources)
    return [
        *(cmake_list(f"{prefix}_{key.upper()}", getattr(library, key)) for key in lists),
        cmake_list(f"{prefix}_EXCLUDE", [*library.exclude, *in_groups]),
        cmake_list(f"{prefix}_GROUPS", [group.name for group in groups]),
        *(
            cmake_list(f"{prefix}_GROUP_{group.name}_{key.upper()}", getattr(group, key))
            for group in groups
            for key in ("sources", "flags", "definitions", "links")
        ),
        f'set({prefix}_DESTINATION "{library.destination}")\n',
        f"set({prefix}_LOADS_LINKS {'ON' if library.loads_links else 'OFF'})\n",
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


def _python(config: Config, options: Options) -> list[str]:
    """Return facts about the running Python, and where the packages are that enabled options need."""
    facts = {
        "Python_VERSION": platform.python_version(),
        "Python_SOABI": str(sysconfig.get_config_var("SOABI")),
        "Python_INCLUDE_DIR": sysconfig.get_path("include"),
    }
    values = options.values_and_facts()
    for need in config.checks:
        if need.when is not None and not evaluate(need.when, values):
            continue
        if need.probe == "python_package":
            module = need.arguments[0]
            found = importlib.util.find_spec(module)
            if found and found.submodule_search_locations:
                facts[f"PYTHON_PACKAGE_{module}"] = found.submodule_search_locations[0]
        elif need.probe == "python_distribution" and (path := find_file(*need.arguments)):
            facts[f"PYTHON_DISTRIBUTION_{need.arguments[0].replace('-', '_')}"] = str(path)
    return [f'set({name} "{cmake_quote(text)}")\n' for name, text in facts.items()]
