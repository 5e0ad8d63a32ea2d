"""The hooks that pip and build call (PEP 517 and PEP 660); they run the same pipeline as the commands.

They never install anything: they declare what they need as requirements.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.console import report
from tools.base.errors import BuildError
from tools.base.programs import Programs

from .bootstrap import check_build_requirements, missing_for_options
from .env.config_settings import ConfigSettings, read_settings
from .env.options import Options, Origin, environment_requests, explicit_requests
from .env.resolver import Prober, assume_found, resolve
from .own_environment import name_interpreter
from .package.editable import REGISTERING, check_owner, editable_project
from .package.identity import Identity, Part, identity_of, part_of, source_identity
from .package.manifest import rebuild_at_import
from .probes import run_probe
from .probes.build_tool import find_tool, requirement
from .table.config import Config
from .table.config_reader import load

if TYPE_CHECKING:
    from .pipeline import BuiltPackage


@contextlib.contextmanager
def _errors_as_messages() -> Iterator[None]:
    """Print an error as one block instead of a traceback; pip shows it and reports that the hook failed."""
    try:
        yield
    except (BuildError, OSError) as error:
        raise SystemExit(report(error)) from None


@_errors_as_messages()
def build_wheel(
    wheel_directory: str,
    config_settings: ConfigSettings = None,
    metadata_directory: str | None = None,
) -> str:
    """Build and pack a wheel, and repair it for other machines if the options ask for that."""
    from .package.wheel_repair import RepairPolicy
    from .package.wheel_set import WheelSet, check_library_beside

    config, target = _ready_project(), Path(wheel_directory)
    options = _options(config, config_settings, assume_found)
    part = part_of(config, options)
    if part is Part.PYTHON:
        check_library_beside(config, options, target)
    policy = RepairPolicy.of(config, options)
    policy.require_tools(os.environ)
    built = _build(Path.cwd(), read_settings(config, config_settings).pairs)
    prepared = Path(metadata_directory) if metadata_directory else None
    command = f"python -m build -C {policy.option}=ON"
    made = WheelSet(built.config, built.options, built.contents, target, os.environ, command)
    wheel, unrepaired = made.make(part, prepared=prepared)
    if unrepaired:
        print(unrepaired, flush=True)
    return wheel.name


@_errors_as_messages()
def build_editable(
    wheel_directory: str,
    config_settings: ConfigSettings = None,
    metadata_directory: str | None = None,
) -> str:
    """Build in the source tree and pack a wheel whose one line of content names the tree."""
    from .package.registration import pack_editable

    config = _ready_project()
    settings = read_settings(config, config_settings, "editable")
    identity, config = _registered_identity(config.root), _registered_place(config)
    if identity is None:
        identity = identity_of(config, _options(config, config_settings, state="editable"))
        # Hooks run in the interpreter that pip installs for, so this checks the target environment.
        check_owner(editable_project(config, identity))
        config = _build(config.root, settings.pairs, editable=True).config
        if settings.rebuild is not None:
            rebuild_at_import(config.package_root, settings.rebuild)
    prepared = Path(metadata_directory) if metadata_directory else None
    return pack_editable(config, identity, Path(wheel_directory), prepared).name


@_errors_as_messages()
def build_sdist(sdist_directory: str, config_settings: ConfigSettings = None) -> str:
    """Pack the sources; nothing is compiled."""
    from .env.request import build_directory
    from .package.manifest import staged_paths
    from .package.sdist import list_sources, make_sdist
    from .package.wheel import archive_epoch

    config = _ready_project()
    options = _options(config, config_settings)
    staged = staged_paths(config.root, build_directory(config, options))
    sources = list_sources(config, staged)
    if sources.note:
        print(sources.note, flush=True)
    return make_sdist(
        config,
        source_identity(config, options),
        Path(sdist_directory),
        sources.files,
        epoch=archive_epoch(options.role("source_date")),
    ).name


@_errors_as_messages()
def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: ConfigSettings = None
) -> str:
    """Write the metadata without building; mistakes in options are reported here already."""
    from .package.wheel import wheel_tag, write_dist_info

    config = _ready_project()
    options = _options(config, config_settings)
    part = part_of(config, options)
    identity = identity_of(config, options, part)
    target = Path(metadata_directory)
    return write_dist_info(config.root, identity, target, tag=wheel_tag(part)).name


@_errors_as_messages()
def prepare_metadata_for_build_editable(
    metadata_directory: str, config_settings: ConfigSettings = None
) -> str:
    """Write the metadata of the editable install, which is always that of the whole package."""
    from .package.wheel import write_dist_info

    config = _ready_project()
    identity = _registered_identity(config.root)
    if identity is None:
        identity = identity_of(config, _options(config, config_settings))
    editable = replace(identity, licenses=())  # see write_editable_image
    return write_dist_info(config.root, editable, Path(metadata_directory)).name


@_errors_as_messages()
def get_requires_for_build_wheel(config_settings: ConfigSettings = None) -> list[str]:
    """Require CMake and Ninja unless the machine has recent ones, and the repair tools if requested."""
    from .bootstrap import group_requirements
    from .package.wheel_repair import TOOLS, RepairPolicy

    requires = get_requires_for_build_editable(config_settings)
    config = load(Path.cwd())
    if RepairPolicy.of(config, _options(config, config_settings, assume_found)).required:
        requires += group_requirements(config.root, "repair") or TOOLS
    return requires


@_errors_as_messages()
def get_requires_for_build_editable(config_settings: ConfigSettings = None) -> list[str]:
    """Require CMake and Ninja unless the machine has recent ones, and what the options need."""
    config = load(Path.cwd())
    programs = Programs(os.environ)
    needs = config.project.tools.items()
    tools = [requirement(*need) for need in needs if not find_tool(*need, programs)]
    return tools + missing_for_options(config, _options(config, config_settings, assume_found))


def get_requires_for_build_sdist(config_settings: ConfigSettings = None) -> list[str]:
    """Require nothing beyond [build-system] requires."""
    return []


def _ready_project() -> Config:
    """Return the table of the project, whose build requirements are met."""
    name_interpreter()
    check_build_requirements(Path.cwd())
    return load(Path.cwd())


def _build(
    root: Path, settings: Sequence[tuple[str, str]], *, editable: bool = False
) -> BuiltPackage:
    """Run the pipeline, which installs nothing."""
    from tools.insight.report.report import Report
    from tools.insight.watcher import Watcher

    from .env.request import Goal, Request, programs_of
    from .pipeline import Pipeline

    goal = Goal.STAGE if editable else Goal.PACKAGE
    root, origin = root.resolve(), Origin.CONFIG_SETTINGS
    programs = programs_of(load(root), os.environ, settings, origin)
    request = Request(root, programs, settings, origin, goal)
    return Pipeline(request, Watcher(Report())).run()


def _options(
    config: Config,
    config_settings: ConfigSettings,
    prober: Prober = run_probe,
    state: str = "wheel",
) -> Options:
    requests = environment_requests(config, os.environ)
    pairs = read_settings(config, config_settings, state).pairs
    requests += explicit_requests(config, pairs, Origin.CONFIG_SETTINGS)
    return resolve(config, requests, Programs(os.environ), sys.executable, prober)


def _registered_place(config: Config) -> Config:
    """Return the table with the staging tree that `develop` passed to pip, if any."""
    staging = json.loads(os.environ.get(REGISTERING, "{}")).get("staging")
    return replace(config, staging=Path(staging)) if staging else config


def _registered_identity(root: Path) -> Identity | None:
    """Return the identity that `develop` passed to pip for this tree, which is already built; else None."""
    passed = json.loads(os.environ.get(REGISTERING, "{}"))
    return Identity(passed["name"], passed["version"]) if passed.get("root") == str(root) else None
