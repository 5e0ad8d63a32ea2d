"""The commands of setup.py that make and install wheels and archives."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.errors import usage_error

from .env.options import Options
from .env.request import Goal, build_directory
from .package.identity import Part, part_of
from .table.config import Config

if TYPE_CHECKING:
    from .call import Call
    from .env.pythons import TargetPython
    from .package.wheel_set import WheelSet
    from .pipeline import BuiltPackage


def install(call: Call) -> int:
    """Build a wheel and install it into the running environment."""
    from .package.registration import install_wheel
    from .package.wheel_set import check_library_installed

    config, options = call.config_and_options()
    if part_of(config, options) is Part.PYTHON:
        check_library_installed(config, options)
    built = call.run(Goal.PACKAGE)
    with call.report.step("install") as step:
        step.note = install_wheel(built.config, built.options, built.contents, os.environ)
    return 0


def bdist_wheel(call: Call) -> int:
    """Build and pack a wheel into dist/."""
    from .package.wheel_set import check_library_beside

    config, options = call.config_and_options()
    part = part_of(config, options)
    if part is Part.PYTHON:
        check_library_beside(config, options, _dist(config, options))
    _prepare_repair(call, config, options)
    made = _wheel_set(call, call.run(Goal.PACKAGE), "bdist_wheel")
    _make_wheel(call, made, part)
    if part is not Part.LIBRARY:
        _make_companion(call, made)
    return 0


def wheels(call: Call) -> int:
    """Build a library wheel, an archive of it for C++, and a thin wheel for each Python into dist/."""
    from .env.pythons import further_pythons, running_python
    from .package.cpp_archive import make_archive

    config, options = call.config_and_options()
    if call.parsed.pythons is not None:
        if (option := config.option_for("pythons")) is None:
            raise usage_error("no option of this project names Pythons")
        call.parsed.define.append(f"{option.name}={call.parsed.pythons}")
        config, options = call.config_and_options()
    requested = further_pythons(config, options, os.environ)
    _prepare_repair(call, config, options)
    built = call.run(Goal.PACKAGE)
    made = _wheel_set(call, built, "wheels")
    library = _make_wheel(call, made, Part.LIBRARY)
    if config.packaging.archive:
        with call.report.step("archive") as step:
            archive = make_archive(config, library, os.environ, epoch=made.epoch)
            step.note = _describe_file(call, archive)
    for python in (running_python(), *requested):
        _make_wheel(call, made, Part.PYTHON, python)
    _make_companion(call, made)
    return 0


def _prepare_repair(call: Call, config: Config, options: Options) -> None:
    """Install the tools that repair wheels if the options require a repair."""
    from .package.wheel_repair import RepairPolicy

    policy = RepairPolicy.of(config, options)
    if policy.required:
        from .bootstrap import ensure_group

        ensure_group(call.root, "repair", system=call.parsed.system)
        policy.require_tools(os.environ)


def _wheel_set(call: Call, built: BuiltPackage, command: str) -> WheelSet:
    from .package.wheel_set import WheelSet

    option = built.config.option_for("repair_wheel")
    again = f"{option.name if option else ''}=ON python setup.py {command}"
    return WheelSet(
        built.config,
        built.options,
        built.contents,
        _dist(built.config, built.options),
        os.environ,
        again,
    )


def _make_wheel(call: Call, made: WheelSet, part: Part, python: TargetPython | None = None) -> Path:
    with call.report.step("wheel") as step:
        wheel, unrepaired = made.make(part, python)
        step.note = _describe_file(call, wheel)
    if unrepaired:
        call.report.say(f"{'':22}{unrepaired}")
    return wheel


def _make_companion(call: Call, made: WheelSet) -> None:
    """Make the wheel of the companion, if the table has one and the options do not refuse it."""
    from .package.companion import companion_of, make_companion_wheel
    from .package.identity import identity_of

    companion = companion_of(made.config, made.options, identity_of(made.config, made.options))
    if companion is not None and companion.wanted:
        with call.report.step("companion") as step:
            step.note = _describe_file(
                call, make_companion_wheel(companion, made.target, made.epoch)
            )


def _dist(config: Config, options: Options) -> Path:
    """Return the folder of archives: dist/, or that of the build directory in a read-only checkout."""
    root = config.root
    return (root if os.access(root, os.W_OK) else build_directory(config, options)) / "dist"


def _describe_file(call: Call, path: Path) -> str:
    shown = path.relative_to(call.root) if path.is_relative_to(call.root) else path
    return f"{shown}, {path.stat().st_size / 1e6:.1f} MB"


def sdist(call: Call) -> int:
    """Pack the sources into dist/."""
    from .package.identity import source_identity
    from .package.manifest import staged_paths
    from .package.sdist import list_sources, make_sdist
    from .package.wheel import archive_epoch

    config, options = call.config_and_options()
    made = staged_paths(config.root, build_directory(config, options))
    sources = list_sources(config, made)
    with call.report.step("sdist") as step:
        epoch = archive_epoch(options.role("source_date"))
        identity = source_identity(config, options)
        folder = _dist(config, options)
        archive = make_sdist(config, identity, folder, sources.files, epoch=epoch)
        step.note = _describe_file(call, archive)
    if sources.note:
        call.report.say(f"{'':22}{sources.note}")
    return 0
