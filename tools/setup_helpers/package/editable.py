"""The editable install: one line in site-packages that names the checkout, and metadata for pip.

Every build checks whether the install is up to date, so this module imports little.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.distributions import normalised
from tools.base.errors import environment_error

from .installed import installed_in, is_companion, is_intact, recorded_files

if TYPE_CHECKING:
    from ..env.options import Options
    from ..table.config import Config
    from .companion import Companion
    from .identity import Identity

MARKER = "editable.json"
# Set while pip runs the in-tree backend for a tree that is already built: its path, name and version.
REGISTERING = "BUILD_FRONT_END_REGISTERS"


@dataclass(frozen=True)
class EditableProject:
    """The facts that the installed metadata must match."""

    root: Path
    distribution: str
    package: str
    version: str
    forbidden_owners: tuple[str, ...] = ()
    companion: Companion | None = None
    staging: Path | None = None
    """Where the package is imported from, if that is not the checkout."""

    @property
    def place(self) -> Path:
        """The folder that the path file names."""
        return self.staging or self.root

    @property
    def file_name(self) -> str:
        """The distribution's name as written in file names."""
        return self.distribution.replace("-", "_").replace(".", "_").lower()

    @property
    def path_file(self) -> str:
        return f"__editable__.{self.file_name}.pth"

    @property
    def unfinished(self) -> str:
        """The prefix of folders for incomplete installs; no distribution has such a name."""
        return f"~editable-{self.file_name}-"

    def info(self, site: Path) -> Path:
        """Return the folder of its metadata."""
        return site / f"{self.file_name}-{self.version}.dist-info"

    def marker(self) -> str:
        """Return a text that changes whenever the installed metadata would."""
        declared = (self.root / "pyproject.toml").read_bytes()
        fingerprint = hashlib.sha256(declared).hexdigest()
        values = {"root": str(self.place), "version": self.version, "pyproject": fingerprint}
        return json.dumps(values, indent=2, sort_keys=True) + "\n"


def site_packages() -> Path:
    """Return the folder of the running interpreter's packages."""
    return Path(sysconfig.get_path("purelib"))


def is_registered(project: EditableProject, site: Path | None = None) -> bool:
    """Whether `import` finds this checkout, and the metadata is intact and matches pyproject.toml."""
    site = site_packages() if site is None else site
    info = project.info(site)
    try:
        marker = (info / MARKER).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return (
        marker == project.marker()
        and leads_to(project, site)
        and hiding_module(project, site) is None
        and not unfinished(project, site)
        and is_intact(info)
        and _has_companion(project, site)
    )


def hiding_module(project: EditableProject, site: Path) -> Path | None:
    """Return a file in `site` that Python would import instead of the checkout, which comes after it.

    A folder without such a file, as uninstallers leave behind when it has other files, hides nothing.
    """
    found = [*(site / project.package).glob("__init__.*"), *site.glob(f"{project.package}.py")]
    return found[0] if found else None


def _has_companion(project: EditableProject, site: Path) -> bool:
    """Whether the companion is installed as requested; only `install` writes it, so not with pip."""
    if project.companion is None or not installs_companion(site):
        return True
    from .companion import is_up_to_date

    return is_up_to_date(project.companion, site)


def installs_companion(site: Path) -> bool:
    """Whether the companion may be installed: in a virtual environment that can be written."""
    return sys.prefix != sys.base_prefix and os.access(site, os.W_OK)


def unfinished(project: EditableProject, site: Path) -> list[Path]:
    """List the folders that killed registrations left in site-packages."""
    return list(site.glob(f"{project.unfinished}*"))


def leads_to(project: EditableProject, site: Path) -> bool:
    """Whether the path file in `site` leads to this checkout."""
    try:
        line = (site / project.path_file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return line.strip() == str(project.place)


def watched_files(project: EditableProject) -> list[Path]:
    """List the installed files, and the folder that would shadow the checkout."""
    site = site_packages()
    companion = project.companion
    kept = [site / companion.folder / "RECORD"] if companion and companion.wanted else []
    return [*recorded_files(project.info(site)), site / project.package, *kept]


def check_owner(project: EditableProject, path: Sequence[str] | None = None) -> None:
    """Raise BuildError if another distribution owns the import package of this one."""
    folders = [site_packages()] if path is None else map(Path, path)
    for other in (found for folder in folders for found in installed_in(folder)):
        if other.name == normalised(project.distribution) or is_companion(other.place):
            continue
        if other.name in project.forbidden_owners or other.owns(project.package):
            raise environment_error(
                f"{other.name} {other.version} is installed here and owns {project.package}/",
                cause=f"in {other.place.parent}",
                hint=f"use another virtual environment, or: python -m pip uninstall {other.name}",
            )


def check_writable(site: Path | None = None) -> None:
    """Raise BuildError if nothing can be installed in this virtual environment.

    Outside of one, pip knows another place for packages of the user.
    """
    site = site_packages() if site is None else site
    if sys.prefix != sys.base_prefix and site.is_dir() and not os.access(site, os.W_OK):
        raise environment_error(
            f"{site} cannot be written, so `develop` cannot install there",
            hint="activate another virtual environment, or build without installing: python setup.py build",
        )


def editable_project(
    config: Config, identity: Identity, options: Options | None = None
) -> EditableProject:
    """Collect the facts about the editable install from the table and the identity.

    Without the options, nothing is known about a companion.

    A library wheel of the same package would be overwritten, so it counts as another owner.
    """
    libraries = config.packaging.library_distribution.format(name=identity.name)
    return EditableProject(
        config.root,
        identity.name,
        config.project.package,
        identity.version,
        (*config.packaging.forbidden_owners, normalised(libraries)),
        _companion(config, options, identity),
        config.staging,
    )


def _companion(config: Config, options: Options | None, identity: Identity) -> Companion | None:
    if options is None:
        return None
    from .companion import companion_of

    return companion_of(config, options, identity)
