"""The name and version of the distribution: those of the table, unless options override them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum

from tools.base.errors import usage_error

from ..env.options import Options
from ..table.config import CONFIG_FILE, Component, Config

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")


class Part(Enum):
    """What a wheel holds of the package."""

    WHOLE = "whole"
    LIBRARY = "library"  # what does not depend on Python
    PYTHON = "python"  # everything else, which requires exactly that library wheel


@dataclass(frozen=True)
class Identity:
    """The name and version in the metadata and in the names of archives, and what it requires."""

    name: str
    version: str
    requirements: tuple[str, ...] = ()
    part: Part = Part.WHOLE
    licenses: tuple[str, ...] = ()
    """SPDX expressions of third-party parts in the wheel, besides the project's own licence."""


def part_of(config: Config, options: Options) -> Part:
    """Return the part of the package that the options request as a wheel."""
    library, python = (options.role_on(role) for role in ("library_wheel", "python_wheel"))
    if library and python:
        names = [x.name for x in config.options if x.role in ("library_wheel", "python_wheel")]
        raise usage_error(
            f"{' and '.join(names)} exclude each other",
            hint="make both wheels with: python setup.py wheels",
        )
    return Part.LIBRARY if library else Part.PYTHON if python else Part.WHOLE


def identity_of(config: Config, options: Options, part: Part = Part.WHOLE) -> Identity:
    """Return the identity. Raise BuildError (exit code 2) for an invalid name or version."""
    from packaging.version import InvalidVersion, Version

    name = options.role("package_name") or config.project.distribution
    if not _NAME.fullmatch(name):
        raise usage_error(f"{name!r} is not a valid name of a distribution")
    version = distribution_version(
        config.version, options.role("version"), options.role("version_number")
    )
    try:
        whole = Identity(name, str(Version(version)), *_of_components(config, options))
    except InvalidVersion:
        option = config.option_for("version")
        given = option and options.role("version")
        place = option.name if option and given else config.project.version_file
        raise usage_error(
            f"{place}: {version!r} is not a version", hint="such as 1.2.0 or 1.2.0rc1"
        ) from None
    library = config.packaging.library_distribution.format(name=name)
    if part is Part.LIBRARY:
        return replace(whole, name=library, part=part)
    if part is Part.PYTHON:
        required = (f"{library}=={whole.version}",)
        return Identity(name, whole.version, required, part)
    return whole


def _of_components(
    config: Config, options: Options
) -> tuple[tuple[str, ...], Part, tuple[str, ...]]:
    """Return the requirements and the licences of the components, around the part that has both."""
    components = config.packaging.under(options.values_and_facts()).components
    requirements = tuple(x.requirement for x in components if x.requirement)
    licenses = tuple(x.license for x in components if x.bundled and x.license)
    for component in components:
        _check_license(component)
    return requirements, Part.WHOLE, licenses


def _check_license(component: Component) -> None:
    """Raise BuildError unless the licence is an SPDX expression, since an index would refuse the wheel."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    try:
        if component.license:
            canonicalize_license_expression(component.license)
    except InvalidLicenseExpression as error:
        reason = str(error)
        raise usage_error(
            f"{CONFIG_FILE}: the licence of component {component.name!r} is {component.license!r}",
            cause=reason[:1].lower() + reason[1:],
            hint="write an SPDX expression; a licence that SPDX does not list is LicenseRef-NAME",
        ) from None


def source_identity(config: Config, options: Options) -> Identity:
    """Return the identity of a source archive, named by its pyproject.toml even if wheels are renamed."""
    return Identity(config.project.distribution, identity_of(config, options).version)


def table_identity(config: Config) -> Identity:
    """Return the identity in the table, for use before options are resolved."""
    return Identity(config.project.distribution, config.version)


def distribution_version(base: str, override: str = "", number: str = "") -> str:
    """Return `base`, or the overriding version with its post-release number."""
    if not override:
        return base
    return f"{override}.post{number}" if int(number or "0") > 1 else override
