"""Write the bill of materials of a wheel (CycloneDX, PEP 770): the parts that it holds or links.

The table names the parts and their licences; installed metadata and the ELF files give the versions.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.base.distributions import installed_version, required_name
from tools.base.errors import environment_error

from ..table.config import Component as Row
from .elf import is_elf, needed_versions, read_elf
from .identity import Identity, Part

if TYPE_CHECKING:
    from cyclonedx.model.component import Component

BUNDLED, LINKED = "bundled in this wheel", "linked dynamically, not in this wheel"
# The name of the property that says how a component is used.
_USE = "use"


@dataclass(frozen=True)
class BundledDistribution:
    """An installed distribution whose libraries are copied into the package."""

    name: str
    version: str
    summary: str
    licenses: tuple[Path, ...]
    libraries: tuple[Path, ...]


def bundled_distribution(name: str) -> BundledDistribution:
    """Raise a BuildError when `name` is not installed or carries no licence."""
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        raise environment_error(
            f"{name} is bundled into the wheel but is not installed",
            hint=f"python -m pip install {name}",
        ) from None
    files = [Path(str(found.locate_file(file))) for file in found.files or ()]
    licenses = tuple(sorted(f for f in files if _is_license(f)))
    if not licenses:
        raise environment_error(f"{name} is bundled into the wheel but carries no licence text")
    libraries = tuple(sorted(f for f in files if ".so" in f.suffixes and f.is_file()))
    return BundledDistribution(
        name, found.version, str(found.metadata["Summary"] or ""), licenses, libraries
    )


def _is_license(path: Path) -> bool:
    in_metadata = any(part.endswith(".dist-info") for part in path.parts)
    return in_metadata and path.name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE"))


def render_sbom(
    identity: Identity,
    expression: str,
    rows: Sequence[Row],
    files: Mapping[str, Path],
    when: datetime,
) -> str:
    """Render CycloneDX 1.6 as JSON; the same inputs give the same bytes.

    Args:
        identity: The distribution that the wheel belongs to.
        expression: The licences of the wheel, as an SPDX expression.
        rows: The components of the table that may be in the wheel or linked by it.
        files: The files of the wheel, by name.
        when: The timestamp.
    """
    from cyclonedx.model.bom import Bom
    from cyclonedx.output.json import JsonV1Dot6

    bom = Bom()
    root = _distribution(identity.name, identity.version, expression)
    bom.metadata.component = root
    bom.metadata.timestamp = when
    parts = list(_parts(identity, expression, rows, files))
    for part in parts:
        bom.components.add(part)
    bom.register_dependency(root, parts)
    text = "\n".join(
        [f"{identity.name} {identity.version}", *(f"{part.name} {part.version}" for part in parts)]
    )
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, text)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _parts(
    identity: Identity, expression: str, rows: Sequence[Row], files: Mapping[str, Path]
) -> Iterator[Component]:
    needed = _needed(files)
    for row in rows:
        if row.bundled:
            if identity.part is not Part.PYTHON:
                yield _bundled(bundled_distribution(row.name), row.license, files)
            continue
        names = [n for n in needed if any(fnmatch.fnmatchcase(n, p) for p in row.libraries)]
        if not names:
            continue
        if row.requirement:
            name = required_name(row.requirement)
            yield _distribution(name, installed_version(name), row.license, use=LINKED)
        else:
            yield _system_library(row, names, needed)
    if identity.part is Part.PYTHON:
        licenses = [expression, *(x.license for x in rows if x.bundled)]
        whole = " AND ".join(dict.fromkeys(part for x in licenses for part in x.split(" AND ")))
        for requirement in identity.requirements:
            name, _, version = requirement.partition("==")
            yield _distribution(name, version, whole, use=LINKED)


def _needed(files: Mapping[str, Path]) -> dict[str, set[str]]:
    """Map the libraries that the files need to the symbol versions needed of them."""
    needed: dict[str, set[str]] = {}
    for path in files.values():
        if is_elf(path):
            for name in read_elf(path).needed:
                needed.setdefault(name, set())
            for name, versions in needed_versions(path).items():
                needed.setdefault(name, set()).update(versions)
    return needed


def _system_library(row: Row, names: Iterable[str], needed: Mapping[str, set[str]]) -> Component:
    """Describe a library of the machine; its version is the newest that any symbol needs."""
    from cyclonedx.model.bom_ref import BomRef
    from cyclonedx.model.component import Component, ComponentType

    versions = {version for name in names for version in needed[name]}
    newest: dict[str, str] = {}
    for version in sorted(versions, key=_number):
        newest[version.partition("_")[0]] = version
    return Component(
        name=row.name,
        version=", ".join(sorted(newest.values())) or ", ".join(sorted(names)),
        type=ComponentType.LIBRARY,
        bom_ref=BomRef(f"system:{row.name}"),
        licenses=_licenses(row.license),
        properties=_properties(LINKED),
    )


def _number(version: str) -> list[tuple[int, str]]:
    words = version.replace("_", ".").split(".")
    return [(int(word), "") if word.isdigit() else (-1, word) for word in words]


def _distribution(
    name: str, version: str, expression: str, description: str = "", use: str = ""
) -> Component:
    from cyclonedx.model.bom_ref import BomRef
    from cyclonedx.model.component import Component, ComponentType
    from packageurl import PackageURL

    purl = PackageURL("pypi", name=name, version=version or None)
    return Component(
        name=name,
        version=version or None,
        type=ComponentType.LIBRARY,
        purl=purl,
        bom_ref=BomRef(str(purl)),
        description=description or None,
        licenses=_licenses(expression),
        properties=_properties(use),
    )


def _licenses(expression: str) -> list[Any]:
    from cyclonedx.model.license import LicenseExpression

    return [LicenseExpression(expression)] if expression else []


def _properties(use: str) -> list[Any]:
    from cyclonedx.model import Property

    return [Property(name=_USE, value=use)] if use else []


def _bundled(
    distribution: BundledDistribution, expression: str, files: Mapping[str, Path]
) -> Component:
    """Describe a bundled distribution and the copies of its libraries in the package."""
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.bom_ref import BomRef
    from cyclonedx.model.component import Component, ComponentType

    part = _distribution(
        distribution.name, distribution.version, expression, distribution.summary, BUNDLED
    )
    for library, digest in _copies(distribution, files):
        inner = Component(
            name=library,
            type=ComponentType.FILE,
            bom_ref=BomRef(f"file:{library}"),
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
        )
        part.components.add(inner)
    return part


def _copies(
    distribution: BundledDistribution, files: Mapping[str, Path]
) -> Iterable[tuple[str, str]]:
    """Yield the name in the package and the SHA-256 of each library from the distribution."""
    names = {library.name for library in distribution.libraries}
    for name, path in sorted(files.items()):
        if name.rpartition("/")[2] in names:
            yield name, hashlib.sha256(path.read_bytes()).hexdigest()


def add_system_packages(
    bill: Path, packages: Sequence[tuple[Mapping[str, Any], Row | None]], expression: str
) -> None:
    """Add the packages of the machine whose libraries were added to the wheel, with the table's rows.

    A row that the bill lists as linked is listed as bundled instead. `expression` is the wheel's new
    License-Expression.
    """
    text = json.loads(bill.read_text(encoding="utf-8"))
    components = {each["bom-ref"]: each for each in text.get("components", [])}
    dependencies = {each["ref"]: each for each in text.get("dependencies", [])}
    root = text["metadata"]["component"]
    root["licenses"] = [{"expression": expression}]
    linked = set(
        dependencies.setdefault(root["bom-ref"], {"ref": root["bom-ref"]}).get("dependsOn", [])
    )
    for package, row in packages:
        if row is not None:
            components.pop(f"system:{row.name}", None)
            dependencies.pop(f"system:{row.name}", None)
            linked.discard(f"system:{row.name}")
        name = package["purl"].partition("#")[0]
        components[name] = {
            "bom-ref": name,
            "licenses": [{"expression": license_of(package, row)}],
            "name": package["name"],
            "properties": [{"name": _USE, "value": BUNDLED}],
            "purl": name,
            "type": "library",
            "version": package["version"],
        }
        dependencies[name] = {"ref": name}
        linked.add(name)
    dependencies[root["bom-ref"]]["dependsOn"] = sorted(linked)
    text["components"] = [components[name] for name in sorted(components)]
    text["dependencies"] = [dependencies[name] for name in sorted(dependencies)]
    bill.write_text(json.dumps(text, indent=2) + "\n", encoding="utf-8")


def license_of(package: Mapping[str, Any], row: Row | None) -> str:
    """Return the licences of a system package; a reference to its licence texts if the table has none."""
    return row.license if row and row.license else f"LicenseRef-{package['name']}"


def timestamp(epoch: int) -> datetime:
    """Convert seconds since the epoch to UTC."""
    return datetime.fromtimestamp(epoch, tz=timezone.utc)
