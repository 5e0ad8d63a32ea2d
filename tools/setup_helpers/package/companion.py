"""The companion: a distribution without files, under the name that other packages require.

Packages that declare `Requires-Dist: NAME` are then content with this project's distribution, and pip
does not install another one over it. The companion requires exactly this project's version.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.base.distributions import normalised

from ..env.options import Options
from ..table.config import Config
from .identity import Identity
from .installed import COMPANION_MARKER, installed_in, is_companion, is_intact, write_record


@dataclass(frozen=True)
class Companion:
    """The name and version of the companion, and the distribution that it requires."""

    name: str
    version: str
    distribution: str
    requirement: str
    summary: str
    wanted: bool = True
    """Whether it is installed with the package; otherwise it is removed."""

    @property
    def folder(self) -> str:
        """The name of the folder of its metadata."""
        return f"{self.name.replace('-', '_').lower()}-{self.version}.dist-info"

    def metadata(self) -> dict[str, str]:
        """Return the text of each file of the metadata except RECORD."""
        from .wheel import wheel_file

        lines = (
            "Metadata-Version: 2.1",
            f"Name: {self.name}",
            f"Version: {self.version}",
            f"Summary: {self.summary}",
            f"Requires-Dist: {self.requirement}",
        )
        return {
            "METADATA": "\n".join(lines) + "\n",
            "WHEEL": wheel_file(binary=False),
            COMPANION_MARKER: f"{self.distribution}\n",
        }


def companion_of(config: Config, options: Options, identity: Identity) -> Companion | None:
    """Return the companion of a distribution; None if the table has none or it is the name itself."""
    name = config.packaging.companion
    if not name or normalised(name) == normalised(identity.name):
        return None
    from packaging.version import Version

    label = identity.version.replace("+", ".").replace("!", ".")
    version = str(Version(config.project.runtime_version.format(version=label)))
    return Companion(
        name,
        version,
        identity.name,
        f"{identity.name}=={identity.version}",
        f"Stands for {identity.name}, which provides the package {config.project.package}",
        options.role_on("companion") or config.option_for("companion") is None,
    )


def make_companion_wheel(companion: Companion, target: Path, epoch: int) -> Path:
    """Make the companion's wheel in `target` and return its path."""
    from .wheel import pack, wheel_name

    with tempfile.TemporaryDirectory(prefix="companion-") as folder:
        info = Path(folder, "image", companion.folder)
        _write(companion, info)
        return pack(info.parent, wheel_name(info), target, epoch)


def installed_companions(name: str, site: Path) -> Iterator[Path]:
    """Yield the metadata folders of companions of a name."""
    for found in installed_in(site):
        if found.name == normalised(name) and is_companion(found.place):
            yield found.place


def is_up_to_date(companion: Companion, site: Path) -> bool:
    """Return whether exactly this companion is installed, or none if it is not wanted."""
    found = list(installed_companions(companion.name, site))
    if not companion.wanted:
        return not found
    if found != [site / companion.folder] or not is_intact(found[0]):
        return False
    texts = companion.metadata()
    return all((found[0] / name).read_text(encoding="utf-8") == texts[name] for name in texts)


def install_companion(companion: Companion, site: Path) -> None:
    """Replace the installed companion; only remove it if it is not wanted."""
    if is_up_to_date(companion, site):
        return
    with tempfile.TemporaryDirectory(prefix="~companion-", dir=site) as folder:
        for previous in installed_companions(companion.name, site):
            previous.rename(Path(folder, f"previous-{previous.name}"))
        if companion.wanted:
            info = Path(folder, companion.folder)
            _write(companion, info)
            (info / "INSTALLER").write_text("pip\n", encoding="utf-8")
            write_record(info.parent, info)
            info.rename(site / info.name)


def uninstall_companion(companion: Companion, site: Path) -> None:
    """Remove the installed companion, if there is one."""
    for info in installed_companions(companion.name, site):
        shutil.rmtree(info)


def _write(companion: Companion, info: Path) -> None:
    info.mkdir(parents=True)
    for name, text in companion.metadata().items():
        (info / name).write_text(text, encoding="utf-8")
