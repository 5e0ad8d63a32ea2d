"""Install the package: as an editable install, or as a wheel with pip.

An editable install is written directly where pip would only write the same files: it takes a fraction of
pip's second and a half, and pip can list, check and uninstall the distribution.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from tools.base.distributions import normalised
from tools.base.errors import environment_error

from ..env.options import Options
from ..table.config import Config
from . import pip
from .companion import (
    companion_of,
    install_companion,
    make_companion_wheel,
    uninstall_companion,
)
from .contents import Contents
from .editable import (
    MARKER,
    REGISTERING,
    EditableProject,
    check_owner,
    editable_project,
    hiding_module,
    installs_companion,
    is_registered,
    leads_to,
    site_packages,
    unfinished,
)
from .identity import Identity, Part, identity_of, part_of
from .installed import installed_in, recorded_files, write_record
from .wheel import (
    EARLIEST_EPOCH,
    archive_epoch,
    make_wheel,
    pack,
    wheel_name,
    wheel_tag,
    write_image,
)
from .wheel_set import WheelSet


def register(config: Config, options: Options, environ: Mapping[str, str]) -> str:
    """Install the editable distribution unless it is up to date; return a note on what was done."""
    identity = identity_of(config, options)
    project = editable_project(config, identity, options)
    if is_registered(project):
        return "up to date"
    with _locked(site_packages()):
        return _register_locked(config, identity, project, environ)


@contextmanager
def _locked(site: Path) -> Iterator[None]:
    """Let one checkout at a time register in an environment.

    The folder of packages itself is locked, so that no file has to be left there. Registrations still
    work, one at a time, where it cannot be locked, as on some network file systems.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            folder = os.open(site, os.O_RDONLY | os.O_DIRECTORY)
            stack.callback(os.close, folder)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield


def _register_locked(
    config: Config, identity: Identity, project: EditableProject, environ: Mapping[str, str]
) -> str:
    if is_registered(project):  # by another build of this checkout, while this one waited
        return "up to date"
    check_owner(project)
    if not is_registered(replace(project, companion=None)):
        _install_editable(config, identity, project, environ)
    site = site_packages()
    if project.companion is not None and installs_companion(site):
        install_companion(project.companion, site)
    if hiding := hiding_module(project, site):
        raise environment_error(
            f"{hiding} hides the checkout: `import {project.package}` finds it first",
            cause="it belongs to no installed distribution",
            hint="move or delete it, and run the command again",
        )
    return f"installed {project.distribution} {project.version} (editable)"


def _install_editable(
    config: Config, identity: Identity, project: EditableProject, environ: Mapping[str, str]
) -> None:
    if can_install(project, site_packages()):
        install(config, identity, site_packages())
    else:
        _register_with_pip(project, environ)


def _register_with_pip(project: EditableProject, environ: Mapping[str, str]) -> None:
    passed = {"root": str(project.root), "name": project.distribution, "version": project.version}
    if project.staging:
        passed["staging"] = str(project.staging)
    outer = {**environ, REGISTERING: json.dumps(passed)}
    arguments = ["--no-build-isolation", "--no-deps", "--no-index", "--editable", str(project.root)]
    pip.install(f"{project.distribution} as editable", arguments, outer)


def can_install(project: EditableProject, site: Path) -> bool:
    """Whether this is a virtual environment in which only `install` has installed this distribution.

    Elsewhere pip must decide, since it knows what the owner of the environment allows.
    """
    if sys.prefix == sys.base_prefix or not os.access(site, os.W_OK):
        return False
    ours = leads_to(project, site)
    return all(ours or (info / MARKER).is_file() for info in _own_folders(project, site))


def install(config: Config, identity: Identity, site: Path) -> None:
    """Write metadata first and the path file last, so that a killed install is not registered."""
    project = editable_project(config, identity)
    for leftover in unfinished(project, site):
        shutil.rmtree(leftover)
    with tempfile.TemporaryDirectory(prefix=project.unfinished, dir=site) as folder:
        image = Path(folder, "image")
        info = write_editable_image(config, identity, image)
        _add_installer_files(info, project.root)
        write_record(image, info)
        for previous in _own_folders(project, site):
            previous.rename(Path(folder, previous.name))
        info.rename(site / info.name)
        (image / project.path_file).replace(site / project.path_file)


def uninstall(project: EditableProject, site: Path) -> str:
    """Remove the editable install, but nothing from the checkout; return a note on what was done."""
    with _locked(site):
        return _uninstall_locked(project, site)


def _uninstall_locked(project: EditableProject, site: Path) -> str:
    installed = list(_own_folders(project, site))
    if not leads_to(project, site):
        found = f"{', '.join(map(str, installed))} does not lead here" if installed else ""
        raise environment_error(
            f"{project.distribution} of this checkout is not installed in {site}",
            cause=found,
            hint=f"python -m pip uninstall {project.distribution}" if installed else "",
        )
    for info in installed:
        for path in recorded_files(info):
            path.unlink(missing_ok=True)
        shutil.rmtree(info, ignore_errors=True)
    (site / project.path_file).unlink(missing_ok=True)
    if project.companion is not None:
        uninstall_companion(project.companion, site)
    return f"removed {project.distribution} {project.version} (editable) from {site}"


def _own_folders(project: EditableProject, site: Path) -> Iterator[Path]:
    name = normalised(project.distribution)
    return (found.place for found in installed_in(site) if found.name == name)


def _add_installer_files(info: Path, root: Path) -> None:
    """Write the files that pip adds to the metadata of a wheel (PEP 376, PEP 610, and REQUESTED)."""
    origin = {"dir_info": {"editable": True}, "url": root.as_uri()}
    (info / "INSTALLER").write_text("pip\n", encoding="utf-8")
    (info / "direct_url.json").write_text(json.dumps(origin, sort_keys=True), encoding="utf-8")
    (info / "REQUESTED").touch()


def write_editable_image(
    config: Config, identity: Identity, image: Path, prepared: Path | None = None
) -> Path:
    """Write the wheel's files except RECORD into `image`; return the .dist-info folder.

    There is no bill of materials, since bundled libraries stay where they were installed.
    """
    project = editable_project(config, identity)
    with tempfile.TemporaryDirectory(prefix="editable-") as folder:
        path_file, marker = Path(folder, project.path_file), Path(folder, MARKER)
        path_file.write_text(f"{project.place}\n", encoding="utf-8")
        marker.write_text(project.marker(), encoding="utf-8")
        return write_image(
            config.root,
            replace(identity, licenses=()),  # the bundled libraries are not part of this wheel
            {project.path_file: path_file},
            image,
            prepared=prepared,
            metadata_files={MARKER: marker},
        )


def pack_editable(config: Config, identity: Identity, target: Path, prepared: Path | None) -> Path:
    """Make the wheel in `target` and return its path."""
    with tempfile.TemporaryDirectory(prefix="wheel-") as folder:
        image = Path(folder, "image")
        info = write_editable_image(config, identity, image, prepared)
        return pack(image, wheel_name(info), target, EARLIEST_EPOCH)


def install_wheel(
    config: Config, options: Options, contents: Contents, environ: Mapping[str, str]
) -> str:
    """Pack a wheel in a temporary folder and install it; return its name."""
    part = part_of(config, options)
    identity = identity_of(config, options, part)
    project = editable_project(config, identity_of(config, options))
    if part is not Part.WHOLE:  # the other part may be installed
        project = replace(project, forbidden_owners=config.packaging.forbidden_owners)
    check_owner(project)
    with tempfile.TemporaryDirectory() as folder:
        epoch = archive_epoch(options.role("source_date"))
        files = WheelSet(config, options, contents, Path(folder), environ, "").files(part)
        tag = wheel_tag(part)
        wheel = make_wheel(config, identity, files, Path(folder), epoch=epoch, tag=tag)
        wheels = [str(wheel)]
        companion = companion_of(config, options, identity)
        if companion is not None and companion.wanted and part is not Part.LIBRARY:
            wheels.append(str(make_companion_wheel(companion, Path(folder), epoch)))
        pip.install("the wheel", ["--force-reinstall", "--no-deps", *wheels], environ)
        return wheel.name
