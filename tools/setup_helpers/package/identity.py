"""Under which name and version the package is distributed: the table's, unless options say otherwise."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import usage_error
from ..gen_version_header import distribution_version
from ..table.config import Config
from ..table.options import Options

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")


@dataclass(frozen=True)
class Identity:
    """Name and version as the metadata and the archives' names carry them."""

    name: str
    version: str


def identity_of(config: Config, options: Options) -> Identity:
    """Raises BuildError (exit code 2) for a name or version that no index would take."""
    from packaging.version import InvalidVersion, Version

    name = options.role("package_name") or config.project.distribution
    if not _NAME.fullmatch(name):
        raise usage_error(f"{name!r} cannot be the name of a distribution")
    version = distribution_version(
        config.version, options.role("version"), options.role("version_number")
    )
    try:
        return Identity(name, str(Version(version)))
    except InvalidVersion:
        raise usage_error(
            f"{version!r} is not a version", hint="such as 1.2.0 or 1.2.0rc1"
        ) from None


def source_identity(config: Config, options: Options) -> Identity:
    """For a source archive: pyproject.toml inside it names the distribution, whatever a wheel is called."""
    return Identity(config.project.distribution, identity_of(config, options).version)


def table_identity(config: Config) -> Identity:
    """Before any option is known."""
    return Identity(config.project.distribution, config.version)
