"""A developer's checkout: its sources, its build options, and the commands that build it."""

from __future__ import annotations

import enum
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from ..fixture_project import Project

CACHE = "ccache"
BUILD = "build"


class BuildMethod(enum.Enum):
    """A command that builds the checkout."""

    DEVELOP = "setup.py develop"
    CODEGEN = "setup.py codegen"
    NINJA = "ninja"
    PIP = "pip install -e ."


@dataclass(frozen=True)
class Settings:
    """Choices for a build that are not part of the sources."""

    options: dict[str, str] = field(default_factory=dict)
    cache_in_path: bool = True

    def key(self, ignored: tuple[str, ...] = ("CC", "COMPILER_CACHE")) -> str:
        """Return a key that is equal for settings that must give the same bytes."""
        return repr(sorted(row for row in self.options.items() if row[0] not in ignored))

    def with_options(self, **options: str) -> Settings:
        """Return the settings with these options changed; an empty value unsets an option."""
        merged = {**self.options, **options}
        return replace(self, options={name: text for name, text in merged.items() if text})


@dataclass(frozen=True)
class Machine:
    """Folders for PATH: one with the compiler cache, and one with all other programs."""

    programs: Path
    cache: Path

    @staticmethod
    def set_up(folder: Path) -> Machine:
        """Link this machine's programs into folders, so that a test can take one of them off PATH."""
        machine = Machine(folder / "programs", folder / "cache")
        for path in (machine.programs, machine.cache):
            path.mkdir(parents=True)
        for part in os.environ["PATH"].split(os.pathsep):
            for entry in os.scandir(part) if os.path.isdir(part) else ():
                folder = machine.cache if entry.name == CACHE else machine.programs
                link = folder / entry.name
                if not link.is_symlink() and not entry.name.startswith(("python", "pip")):
                    link.symlink_to(entry.path)
        return machine

    def path(self, settings: Settings) -> str:
        places = [self.programs, *([self.cache] if settings.cache_in_path else [])]
        return os.pathsep.join(map(str, places))


@dataclass
class Checkout(Project):
    """One source tree with its own virtual environment."""

    root: Path
    python: Path
    machine: Machine
    settings: Settings = field(default_factory=Settings)

    def variables(self, **environ: str) -> dict[str, str]:
        overridden = (
            "CC",
            "CXX",
            "CFLAGS",
            "CXXFLAGS",
            "LDFLAGS",
            "BUILD_DIR",
            "CCACHE",
            "COMPILER",
        )
        variables = {k: v for k, v in super().variables().items() if not k.startswith(overridden)}
        variables["PATH"] = f"{self.python.parent}:{self.machine.path(self.settings)}"
        variables["CCACHE_DIR"] = str(self.machine.cache / "store")
        variables |= {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        return variables | environ

    def command(self, method: BuildMethod, build_dir: str, as_arguments: bool) -> list[str]:
        """Return the command line, which contains the options if `as_arguments` is true."""
        if method is BuildMethod.NINJA:
            return ["ninja", "-C", build_dir]
        options = self.options(build_dir).items() if as_arguments else ()
        if method is BuildMethod.PIP:
            settings = [word for name, text in options for word in ("-C", f"{name}={text}")]
            pip = [str(self.python), "-m", "pip", "install", "--no-build-isolation", "-e", "."]
            return [*pip, *settings]
        name = method.value.partition(" ")[2]
        definitions = [f"-D{name}={text}" for name, text in options]
        return [str(self.python), "setup.py", name, *definitions]

    def options(self, build_dir: str) -> dict[str, str]:
        """Return the options of the settings, and BUILD_DIR unless it is the default."""
        return {**self.settings.options, **({} if build_dir == BUILD else {"BUILD_DIR": build_dir})}

    def environment(
        self, method: BuildMethod, build_dir: str, as_arguments: bool
    ) -> dict[str, str]:
        alone = method is BuildMethod.NINJA or as_arguments
        return self.variables(**({} if alone else self.options(build_dir)))

    def build(
        self, method: BuildMethod, build_dir: str = BUILD, as_arguments: bool = False
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(method, build_dir, as_arguments),
            cwd=self.root,
            env=self.environment(method, build_dir, as_arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )

    def start(self, method: BuildMethod, build_dir: str, log: Path) -> subprocess.Popen[bytes]:
        """Start a build in its own process group, so that it can be interrupted."""
        with log.open("wb") as output:
            return subprocess.Popen(
                self.command(method, build_dir, as_arguments=False),
                cwd=self.root,
                env=self.environment(method, build_dir, as_arguments=False),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def git(self, *arguments: str) -> str:
        """Run git and return what it printed."""
        command = ["git", *arguments]
        return subprocess.run(
            command, cwd=self.root, capture_output=True, text=True, check=True
        ).stdout

    def sources(self) -> Iterator[str]:
        """Yield the files that git tracks or would add."""
        listing = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for path in sorted({*listing.split("\0")} - {""}):
            if os.path.lexists(self.root / path):
                yield path

    def key(self) -> str:
        """Return a digest of the sources, their modes and the settings that affect the bytes."""
        digest = sha256(self.settings.key().encode())
        for name in self.sources():
            path = self.root / name
            mode = path.lstat().st_mode
            digest.update(f"\0{name}\0{mode}\0".encode() + path.read_bytes())
        return digest.hexdigest()

    def copy_sources(self, target: Path) -> None:
        """Copy the sources, uncommitted edits included, to another folder."""
        for path in self.sources():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.root / path, target / path)
