"""Make the wheels of a build: the whole package, or a library wheel with a thin wheel for each Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.base.distributions import installed_version, normalised
from tools.base.errors import BuildError, environment_error, usage_error

from ..env.options import Options
from ..env.pythons import TargetPython, running_python
from ..table.config import Config
from .contents import Contents
from .identity import Part, identity_of
from .wheel import archive_epoch, make_wheel, wheel_tag
from .wheel_repair import RepairPolicy


@dataclass(frozen=True)
class WheelSet:
    """Makes wheels of one build, and collects what users should know about them."""

    config: Config
    options: Options
    contents: Contents
    target: Path
    environ: Mapping[str, str]
    command: str
    """The command that makes the same wheels; repaired, if an option in front of it asks for that."""

    @property
    def epoch(self) -> int:
        return archive_epoch(self.options.role("source_date"))

    def make(
        self, part: Part, python: TargetPython | None = None, prepared: Path | None = None
    ) -> tuple[Path, str]:
        """Make the wheel of a part for a Python (the running one); return it and a note, which may be empty."""
        identity = identity_of(self.config, self.options, part)
        wheel = make_wheel(
            self.config,
            identity,
            self.files(part, python),
            self.target,
            epoch=self.epoch,
            prepared=prepared,
            tag=wheel_tag(part, python),
        )
        policy = RepairPolicy.of(self.config, self.options)
        provided = self._provided if part is Part.PYTHON else []
        return policy.apply(wheel, self.environ, self.command, epoch=self.epoch, provided=provided)

    def files(self, part: Part, python: TargetPython | None = None) -> dict[str, Path]:
        """Return the files of a part: name in the wheel -> file on disk."""
        if part is Part.LIBRARY:
            return dict(self.contents.libraries)
        files = self.contents.for_python((python or running_python()).soabi)
        if part is Part.PYTHON:
            return {n: p for n, p in files.items() if n not in self.contents.libraries}
        return files

    @property
    def _provided(self) -> list[str]:
        return sorted(
            {name.rpartition("/")[2] for name in self.contents.libraries if ".so" in name}
        )


def check_library_beside(config: Config, options: Options, target: Path) -> None:
    """Raise BuildError if `target` holds library wheels, but none that the Python wheel will accept."""
    library, version = _required_library(config, options)
    stem = library.replace("-", "_")
    found = sorted(path.name for path in target.glob("*.whl") if _named(path, stem))
    if found and not any(name.split("-")[1] == version for name in found):
        raise usage_error(
            f"the library wheel in {target.name}/ is of another version",
            cause=f"{', '.join(found)}; the Python wheel will require {library}=={version}",
            hint=_remedy(config),
        )


def check_library_installed(config: Config, options: Options) -> None:
    """Raise BuildError if the running Python does not have the library wheel that the Python wheel requires."""
    library, version = _required_library(config, options)
    installed = installed_version(library)
    if installed != version:
        raise environment_error(
            f"the Python wheel requires {library}=={version}",
            cause=f"version {installed} is installed" if installed else "it is not installed",
            hint=_remedy(config) + ", then install that with pip",
        )


def _required_library(config: Config, options: Options) -> tuple[str, str]:
    identity = identity_of(config, options, Part.LIBRARY)
    return identity.name, identity.version


def _named(path: Path, stem: str) -> bool:
    return normalised(path.name.partition("-")[0]) == normalised(stem)


def _remedy(config: Config) -> str:
    option = config.option_for("library_wheel")
    return f"make one with: {option.name}=1 python setup.py bdist_wheel" if option else ""


def require_libraries(contents: Contents) -> None:
    """Raise BuildError if no file can go into a library wheel."""
    if not contents.libraries:
        raise BuildError("the package has no files that do not depend on Python")
