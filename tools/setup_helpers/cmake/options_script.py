"""The text of build/options.cmake, which gives CMake the options, the table and facts about Python."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from tools.base.cmake_text import cmake_list, cmake_quote

from ..env.options import Options, Origin, ResolvedOption
from ..env.pythons import further_pythons
from ..probes.python import find_file
from ..table.architectures import cmake_architectures
from ..table.config import Config
from ..table.languages import Language, described_minimum, enabled, linking_language
from ..table.predicates import Value, evaluate, target_machine
from ..table.targets import (
    ALL_LANGUAGES,
    Extension,
    Flags,
    Library,
    Program,
    SourceGroup,
    UnitTests,
    Wheel,
)

Target = TypeVar("Target", Library, Extension, Program)


def options_script(
    config: Config,
    options: Options,
    pools: Mapping[str, int],
    compilers: Mapping[str, Sequence[str]],
    architectures: Mapping[str, str],
) -> tuple[str, dict[str, str]]:
    """Return the script that CMake includes, and the cache values that it sets.

    `compilers` are the commands of the compilers that were found, and `architectures` those of the GPUs to
    compile for, both by language.
    """
    lines = ["# Made by tools/setup_helpers/cmake/options_script.py from build_config.toml.\n"]
    lines.append("include(CMakeDependentOption)\n")
    written: dict[str, str] = {}
    for resolved in options.resolved:
        if resolved.option.cmake:
            lines.append(_declaration(resolved))
            written[resolved.option.name] = resolved.text
    lines.append(_build_type(options))
    lines.append(_target_system())
    lines += _languages(config, options, compilers, architectures)
    for kind in ("SHARED", "MODULE", "EXE"):
        text = cmake_quote(options.role("link_flags"))
        lines.append(f'set(CMAKE_{kind}_LINKER_FLAGS "{text}")\n')
    lines += _table(config, options)
    lines += _python(config, options)
    lines.append(cmake_list("TABLED_RESOURCES", pools))
    lines += [f"set(POOL_{name} {depth})\n" for name, depth in pools.items()]
    lines.append(cmake_list("TABLED_OPTIONS", [r.option.name for r in options.resolved]))
    for resolved in options.resolved:
        note = f"{resolved.text} ({resolved.origin.value}{': ' + resolved.detail if resolved.detail else ''})"
        lines.append(f'set(OPTION_NOTE_{resolved.option.name} "{cmake_quote(note)}")\n')
    return "".join(lines), written


def library_lines(libraries: Mapping[str, tuple[Path, Path]]) -> str:
    """Return the lines that name the libraries of the CUDA toolkit: where each and its headers are."""
    return cmake_list("CUDA_LIBRARIES", libraries) + "".join(
        f'set(CUDA_LIBRARY_{name} "{cmake_quote(str(file))}")\n'
        f'set(CUDA_HEADERS_{name} "{cmake_quote(str(header.parent))}")\n'
        for name, (header, file) in libraries.items()
    )


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


def _target_system() -> str:
    """Return the lines that make CMake cross compile, if the build is for another machine."""
    if not (machine := target_machine()):
        return ""
    return f"set(CMAKE_SYSTEM_NAME {platform.system()})\nset(CMAKE_SYSTEM_PROCESSOR {machine})\n"


def _languages(
    config: Config,
    options: Options,
    compilers: Mapping[str, Sequence[str]],
    architectures: Mapping[str, str],
) -> list[str]:
    """Return the languages of this build with their compilers and standards."""
    languages = enabled(config.languages, options.values_and_facts())
    linking = linking_language(languages)
    lines = [
        cmake_list("TABLED_LANGUAGES", [x.name for x in languages]),
        cmake_list("LANGUAGES_WITH_GCC_FLAGS", [x.name for x in languages if x.dialect]),
        f'set(LINKING_LANGUAGE "{linking.name if linking else ""}")\n',
        *(
            f'set(STAND_IN_FOR_{suffix.removeprefix(".")} "{row.stand_in}")\n'
            for row in config.languages
            if row.stand_in and row not in languages
            for suffix in row.suffixes
        ),
    ]
    for language in languages:
        name = language.name
        for variable, text in (
            (f"CMAKE_{name}_COMPILER", _compiler(language, options, compilers)),
            (f"CMAKE_{name}_HOST_COMPILER", _host_compiler(config, language, options)),
        ):
            if text:
                lines.append(f'set({variable} "{cmake_quote(text)}" CACHE FILEPATH "")\n')
        flags = cmake_quote(options.text(language.flags))
        lines += [
            f'set(CMAKE_{name}_FLAGS "{flags}")\n',
            cmake_list(f"LANGUAGE_{name}_ARGUMENTS", language.arguments),
            *(
                cmake_list(f"FILE_ARGUMENTS_{suffix.removeprefix('.')}", language.file_arguments)
                for suffix in language.suffixes
                if language.file_arguments
            ),
            f'set(LANGUAGE_{name}_TITLE "{language.title}")\n',
            f'set(LANGUAGE_{name}_SUPPORTED "{described_minimum(language)}")\n',
            *(f'set(LANGUAGE_{name}_MINIMUM_{x} "{y}")\n' for x, y in language.minimum.items()),
        ]
        if name in architectures:
            text = cmake_architectures(architectures[name])
            lines.append(f'set(CMAKE_{name}_ARCHITECTURES "{text}")\n')
        if number := language.standard_number:
            lines += [
                f"set(LANGUAGE_{name}_STANDARD {number})\n",
                f'set(LANGUAGE_{name}_STANDARD_NAME "{language.standard}")\n',
                f"set(LANGUAGE_{name}_EXTENSIONS {'ON' if language.has_extensions else 'OFF'})\n",
            ]
    return lines


def _compiler(language: Language, options: Options, compilers: Mapping[str, Sequence[str]]) -> str:
    """Return the compiler to give CMake: the option's, or one where CMake itself does not look."""
    if chosen := options.text(language.compiler):
        return chosen
    return compilers.get(language.name, [""])[0] if language.home else ""


def _host_compiler(config: Config, language: Language, options: Options) -> str:
    """Return the host compiler's program if an option names it, without a compiler cache before it."""
    host = next((x for x in config.languages if x.name == language.host), None)
    own = options.text(language.host_compiler) if language.host_compiler else ""
    words = shlex.split(own or (options.text(host.compiler) if host else ""))
    return next((x for x in words if Path(x).name not in ("ccache", "sccache")), "")


def _table(config: Config, options: Options) -> list[str]:
    """Return the table's rows whose conditions hold, as CMake lists."""
    values = options.values_and_facts()
    lines = [
        cmake_list("PROJECT_INPUTS", config.project.inputs),
        f'set(PACKAGE_NAME "{config.project.package}")\n',
        f'set(PROJECT_VERSION_TEXT "{config.version}")\n',
    ]
    stages = (x for x in config.stages if x.when is None or evaluate(x.when, values))
    replaced = [pattern for stage in stages for pattern in stage.replaces]
    lines.append(cmake_list("REPLACED_SOURCES", replaced))
    modules = (x for x in config.cmake_modules if x.when is None or evaluate(x.when, values))
    lines.append(cmake_list("TABLED_MODULES", [x.name for x in modules]))
    off = _suffixes_off(config, values)
    libraries = _built(config.libraries, values)
    lines.append(cmake_list("TABLED_LIBRARIES", [x.name for x in libraries]))
    for library in libraries:
        lines += _library(library, config.wheels[library.name], values, off)
    extensions = _built(config.extensions, values)
    lines.append(cmake_list("TABLED_EXTENSIONS", [x.target for x in extensions]))
    for extension in extensions:
        prefix = f"EXTENSION_{extension.target}"
        lines.append(cmake_list(f"{prefix}_SOURCES", extension.sources))
        lines.append(cmake_list(f"{prefix}_FLAGS", _flags(extension.flags)))
        lines.append(cmake_list(f"{prefix}_LINKS", extension.links))
        lines.append(f'set({prefix}_FOLDER "{extension.folder}")\n')
        lines.append(f'set({prefix}_RUNPATH "{cmake_quote(extension.runpath)}")\n')
        lines.append(f'set({prefix}_WHEEL "{config.wheels[extension.target].value}")\n')
    programs = _built(config.programs, values)
    lines.append(cmake_list("TABLED_PROGRAMS", [x.name for x in programs]))
    for program in programs:
        lines += _program(program, config.wheels[program.name])
    tests = _built_tests(config, options)
    lines.append(cmake_list("TABLED_TESTS", [x.name for x in tests]))
    for test in tests:
        prefix = f"TEST_{test.name}"
        lines.append(cmake_list(f"{prefix}_SOURCES", _without(test.sources, off)))
        lines.append(cmake_list(f"{prefix}_FLAGS", _flags(test.flags)))
        lines.append(cmake_list(f"{prefix}_LINKS", test.links))
    capabilities = [x for x in config.capabilities if x.when is None or evaluate(x.when, values)]
    lines.append(cmake_list("CPU_CAPABILITIES", [x.name for x in capabilities]))
    for capability in capabilities:
        lines.append(cmake_list(f"CPU_FLAGS_{capability.name}", capability.flags))
    return lines


def _built(rows: Iterable[Target], values: Mapping[str, Value]) -> list[Target]:
    """Return the rows that are not planned for later and whose condition holds."""
    return [x for x in rows if not x.planned and (x.when is None or evaluate(x.when, values))]


def _built_tests(config: Config, options: Options) -> list[UnitTests]:
    """Return the unit tests to build; none if the option for them is off."""
    if config.option_for("unit_tests") and not options.role_on("unit_tests"):
        return []
    values = options.values_and_facts()
    return [x for x in config.tests if x.when is None or evaluate(x.when, values)]


def _suffixes_off(config: Config, values: Mapping[str, Value]) -> tuple[str, ...]:
    """Return the suffixes of sources that no language of this build compiles."""
    on = enabled(config.languages, values)
    return tuple(
        x for row in config.languages if row not in on and not row.stand_in for x in row.suffixes
    )


def _flags(flags: Flags) -> list[str]:
    """Return arguments of compilers, each under the condition that the language is the right one."""
    return [
        f"$<$<COMPILE_LANGUAGE:{language}>:{flag}>" if language != ALL_LANGUAGES else flag
        for language, own in flags.items()
        for flag in own
    ]


def _library(
    library: Library, wheel: Wheel, values: Mapping[str, Value], off: tuple[str, ...]
) -> list[str]:
    prefix = f"LIBRARY_{library.name}"
    lists = ["kernels", "single_capability", "definitions", "links", "private_links"]
    groups = [x for x in library.groups if x.when is None or evaluate(x.when, values)]
    in_groups = (pattern for group in library.groups for pattern in group.sources)
    return [
        cmake_list(f"{prefix}_SOURCES", _without(library.sources, off)),
        cmake_list(f"{prefix}_FLAGS", _flags(library.flags)),
        *(cmake_list(f"{prefix}_{key.upper()}", getattr(library, key)) for key in lists),
        cmake_list(f"{prefix}_EXCLUDE", [*library.exclude, *in_groups]),
        cmake_list(f"{prefix}_GROUPS", [group.name for group in groups]),
        *(line for group in groups for line in _group(group, prefix, off)),
        f'set({prefix}_DESTINATION "{library.destination}")\n',
        cmake_list(f"{prefix}_RUNPATH", library.runpath),
        f"set({prefix}_LOADS_LINKS {'ON' if library.loads_links else 'OFF'})\n",
        f"set({prefix}_PER_PYTHON {'ON' if library.per_python else 'OFF'})\n",
        f'set({prefix}_WHEEL "{wheel.value}")\n',
        f'set({prefix}_RESOURCE "{library.resource}")\n',
        f'set({prefix}_LINK_RESOURCE "{library.link_resource}")\n',
    ]


def _without(patterns: Iterable[str], suffixes: tuple[str, ...]) -> list[str]:
    return [pattern for pattern in patterns if not pattern.endswith(suffixes)]


def _group(group: SourceGroup, library: str, off: tuple[str, ...]) -> list[str]:
    prefix = f"{library}_GROUP_{group.name}"
    return [
        cmake_list(f"{prefix}_SOURCES", _without(group.sources, off)),
        cmake_list(f"{prefix}_FLAGS", _flags(group.flags)),
        cmake_list(f"{prefix}_DEFINITIONS", group.definitions),
        cmake_list(f"{prefix}_LINKS", group.links),
        cmake_list(f"{prefix}_RUNPATH", group.runpath),
    ]


def _program(program: Program, wheel: Wheel) -> list[str]:
    prefix = f"PROGRAM_{program.name}"
    return [
        cmake_list(f"{prefix}_SOURCES", program.sources),
        cmake_list(f"{prefix}_FLAGS", _flags(program.flags)),
        cmake_list(f"{prefix}_LINKS", program.links),
        f'set({prefix}_DESTINATION "{program.destination}")\n',
        f'set({prefix}_RUNPATH "{cmake_quote(program.runpath)}")\n',
        f'set({prefix}_RESOURCE "{program.resource}")\n',
        f'set({prefix}_WHEEL "{wheel.value}")\n',
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
    further = further_pythons(config, options, os.environ)
    for python in further:
        facts[f"Python_{python.abi}_SOABI"] = python.soabi
        facts[f"Python_{python.abi}_INCLUDE_DIR"] = python.include
    lines = [f'set({name} "{cmake_quote(text)}")\n' for name, text in facts.items()]
    return [*lines, cmake_list("FURTHER_PYTHONS", [python.abi for python in further])]
