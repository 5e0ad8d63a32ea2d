"""The settings that pip, build and uv pass to the hooks with -C, as requests for options.

Every option of the table is a setting of its own name. Some settings of scikit-build-core mean the same
here, so that its users can keep their command lines.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tools.base.errors import did_you_mean, usage_error

from ..table.config import Config
from .options import names_of
from .values import switch_text

ConfigSettings: TypeAlias = Mapping[str, Any] | None

_PREFIX = "skbuild."
_DEFINE = "cmake.define."
REBUILD = "editable.rebuild"
# The values of cmake.build-type, with the role of the option that has the same effect.
_BUILD_TYPES = {"Release": "", "Debug": "debug", "RelWithDebInfo": "debug_info"}
KNOWN = ("cmake.args", "cmake.build-type", "build-dir", "build.verbose", REBUILD)
"""The settings besides the options and cmake.define.NAME."""


@dataclass(frozen=True)
class HookSettings:
    """The settings of one call of a hook."""

    pairs: tuple[tuple[str, str], ...] = ()
    """Options and their values; of equal names, the last one counts."""
    rebuild: bool | None = None
    """Whether an editable install rebuilds at import; None if it was not set."""


@dataclass
class _Collected:
    pairs: list[tuple[str, str]] = field(default_factory=list)
    cmake_arguments: list[str] = field(default_factory=list)
    rebuild: bool | None = None


def read_settings(config: Config, settings: ConfigSettings, state: str = "wheel") -> HookSettings:
    """Translate the settings; unknown names are kept, and refused with those of options.

    pip collects values of the same name in a list. The last one wins, as with -D, since the first may
    come from a configuration file; only lists of arguments are joined.

    Args:
        config: The table.
        settings: The hook's argument.
        state: What is built, for `{state}` in the template of build-dir.
    """
    collected = _Collected()
    facts = {"state": state, "build_type": str((settings or {}).get("cmake.build-type", "Release"))}
    for name, value in (settings or {}).items():
        texts = [str(each) for each in (value if isinstance(value, list) else [value])]
        if texts:
            _read(config, name.removeprefix(_PREFIX), texts, facts, collected)
    if collected.cmake_arguments:
        option = _option(config, "cmake_arguments", "cmake.args")
        given = dict(collected.pairs).get(option) or os.environ.get(option, "")
        joined = shlex.join([*shlex.split(given), *collected.cmake_arguments])
        collected.pairs.append((option, joined))
    return HookSettings(tuple(collected.pairs), collected.rebuild)


def _read(
    config: Config, name: str, texts: list[str], facts: Mapping[str, str], to: _Collected
) -> None:
    last = texts[-1]
    if name == "cmake.args":
        to.cmake_arguments += [word for text in texts for word in text.split(";") if word]
    elif name.startswith(_DEFINE):
        defined = name.removeprefix(_DEFINE)
        if not defined:
            raise usage_error(f"{name}={last} has no name", hint=f"write {_DEFINE}NAME=VALUE")
        if defined in names_of(config):
            to.pairs.append((defined, last))
        else:
            to.cmake_arguments.append(f"-D{defined}={last}")
    elif name == "cmake.build-type":
        to.pairs += _build_type(config, last)
    elif name == "build-dir":
        to.pairs.append((_option(config, "build_dir", name), _fill(last, facts)))
    elif name == "build.verbose":
        to.pairs.append((_option(config, "verbose", name), last))
    elif name == REBUILD:
        to.rebuild = _boolean(name, last)
    elif "." in name or "-" in name:  # no option has such a name
        known = (*KNOWN, _DEFINE + name.rpartition(".")[2])
        raise usage_error(
            f"unknown setting {name}{did_you_mean(name, known, 3)}",
            hint=f"the settings are the names of options, {_DEFINE}NAME, {', '.join(KNOWN)}",
        )
    else:
        to.pairs.append((name, last))


def _boolean(name: str, text: str) -> bool:
    value = switch_text(text)
    if not value:
        raise usage_error(f"{name}={text} is not a boolean: use true or false")
    return value == "ON"


def _build_type(config: Config, kind: str) -> Iterator[tuple[str, str]]:
    if kind not in _BUILD_TYPES:
        raise usage_error(
            f"cmake.build-type={kind} is not supported", hint=f"one of {', '.join(_BUILD_TYPES)}"
        )
    for role in filter(None, _BUILD_TYPES.values()):
        option = config.option_for(role)
        if option or role == _BUILD_TYPES[kind]:
            yield (
                _option(config, role, "cmake.build-type"),
                "ON" if role == _BUILD_TYPES[kind] else "OFF",
            )


def _option(config: Config, role: str, setting: str) -> str:
    option = config.option_for(role)
    if option is None:
        raise usage_error(f"{setting} has no effect: no option of this project has that purpose")
    return option.name


def _fill(template: str, facts: Mapping[str, str]) -> str:
    """Fill in the template of a build directory, such as build/{wheel_tag}."""
    values = {"cache_tag": sys.implementation.cache_tag, **facts}
    if "{wheel_tag}" in template:
        from scikit_build_core.builder.wheel_tag import WheelTag

        values["wheel_tag"] = str(WheelTag.compute_best([]))
    try:
        return template.format_map(values)
    except (KeyError, ValueError, IndexError) as error:
        raise usage_error(
            f"build-dir={template} is not a template: {error}",
            hint="it may contain {wheel_tag}, {cache_tag}, {state} and {build_type}",
        ) from None
