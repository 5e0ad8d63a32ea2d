"""Write the bill of materials of a wheel (CycloneDX, PEP 770): its third-party parts.

The table says which distributions are bundled; their installed metadata describes them.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from tools.base.errors import environment_error

if TYPE_CHECKING:
    from cyclonedx.model.component import Component


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
    name: str,
    version: str,
    license_id: str,
    bundled: Sequence[BundledDistribution],
    files: Mapping[str, Path],
    when: datetime,
) -> str:
    """Render CycloneDX 1.6 as JSON; the same inputs give the same bytes."""
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.license import DisjunctiveLicense
    from cyclonedx.output.json import JsonV1Dot6

    bom = Bom()
    root = _library(name, version)
    if license_id:
        root.licenses.add(DisjunctiveLicense(id=license_id))
    bom.metadata.component = root
    bom.metadata.timestamp = when
    parts = [_part(distribution, files) for distribution in bundled]
    for part in parts:
        bom.components.add(part)
    bom.register_dependency(root, parts)
    identity = "\n".join([f"{name} {version}", *(f"{d.name} {d.version}" for d in bundled)])
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, identity)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _library(name: str, version: str, description: str = "") -> Component:
    from cyclonedx.model.bom_ref import BomRef
    from cyclonedx.model.component import Component, ComponentType
    from packageurl import PackageURL

    purl = PackageURL("pypi", name=name, version=version)
    return Component(
        name=name,
        version=version,
        type=ComponentType.LIBRARY,
        purl=purl,
        bom_ref=BomRef(str(purl)),
        description=description or None,
    )


def _part(distribution: BundledDistribution, files: Mapping[str, Path]) -> Component:
    """Describe a bundled distribution and the copies of its libraries in the package."""
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.bom_ref import BomRef
    from cyclonedx.model.component import Component, ComponentType

    part = _library(distribution.name, distribution.version, distribution.summary)
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


def timestamp(epoch: int) -> datetime:
    """Convert seconds since the epoch to UTC."""
    return datetime.fromtimestamp(epoch, tz=timezone.utc)
