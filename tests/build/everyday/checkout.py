"""A checkout that a person works in: its sources, the options it is built with, and ways to build it."""

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


class Way(enum.Enum):
    """What a person calls to build."""

    DEVELOP = "setup.py develop"
    CODEGEN = "setup.py codegen"
    NINJA = "ninja"
    PIP = "pip install -e ."


@dataclass(frozen=True)
class Settings:
    """What is chosen for a build, not edited."""

    options: dict[str, str] = field(default_factory=dict)
    cache_in_path: bool = True

    def key(self, ignored: tuple[str, ...] = ("CC", "COMPILER_CACHE")) -> str:
        """Equal for settings that must give the same bytes."""
        return repr(sorted(row for row in self.options.items() if row[0] not in ignored))

    def with_options(self, **options: str) -> Settings:
        """An empty value takes the option back."""
        merged = {**self.options, **options}
        return replace(self, options={name: text for name, text in merged.items() if text})


@dataclass(frozen=True)
class Machine:
    """Where programs are found: all but the compiler cache, and the cache."""

    programs: Path
    cache: Path

    @staticmethod
    def set_up(folder: Path) -> Machine:
        """Links to the programs of this machine, so that one of them can leave PATH."""
        machine = Machine(folder / "programs", folder / "cache")
        for place in (machine.programs, machine.cache):
            place.mkdir(parents=True)
        for part in os.environ["PATH"].split(os.pathsep):
            for entry in os.scandir(part) if os.path.isdir(part) else ():
                home = machine.cache if entry.name == CACHE else machine.programs
                link = home / entry.name
                if not link.is_symlink() and not entry.name.startswith(("python", "pip")):
                    link.symlink_to(entry.path)
        return machine

    def path(self, settings: Settings) -> str:
        places = [self.programs, *([self.cache] if settings.cache_in_path else [])]
        return os.pathsep.join(map(str, places))


@dataclass
class Checkout(Project):
    """One tree in one place, with an environment of its own."""

    root: Path
    python: Path
    machine: Machine
    settings: Settings = field(default_factory=Settings)

    def variables(self, **environ: str) -> dict[str, str]:
        foreign = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "BUILD_DIR", "CCACHE", "COMPILER")
        kept = {k: v for k, v in super().variables().items() if not k.startswith(foreign)}
        kept["PATH"] = f"{self.python.parent}:{self.machine.path(self.settings)}"
        kept["CCACHE_DIR"] = str(self.machine.cache / "store")
        kept |= {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        return kept | environ

    def command(self, way: Way, build_dir: str, as_arguments: bool) -> list[str]:
        """The command line; options stand in it, or in the environment."""
        if way is Way.NINJA:
            return ["ninja", "-C", build_dir]
        options = self.options(build_dir).items() if as_arguments else ()
        if way is Way.PIP:
            settings = [word for name, text in options for word in ("-C", f"{name}={text}")]
            pip = [str(self.python), "-m", "pip", "install", "--no-build-isolation", "-e", "."]
            return [*pip, *settings]
        name = way.value.partition(" ")[2]
        definitions = [f"-D{name}={text}" for name, text in options]
        return [str(self.python), "setup.py", name, *definitions]

    def options(self, build_dir: str) -> dict[str, str]:
        """Those of the settings, and the build directory unless it is the usual one."""
        return {**self.settings.options, **({} if build_dir == BUILD else {"BUILD_DIR": build_dir})}

    def environment(self, way: Way, build_dir: str, as_arguments: bool) -> dict[str, str]:
        alone = way is Way.NINJA or as_arguments
        return self.variables(**({} if alone else self.options(build_dir)))

    def build(
        self, way: Way, build_dir: str = BUILD, as_arguments: bool = False
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(way, build_dir, as_arguments),
            cwd=self.root,
            env=self.environment(way, build_dir, as_arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )

    def start(self, way: Way, build_dir: str, log: Path) -> subprocess.Popen[bytes]:
        """A build in a process group of its own, to be edited under or killed."""
        with log.open("wb") as output:
            return subprocess.Popen(
                self.command(way, build_dir, as_arguments=False),
                cwd=self.root,
                env=self.environment(way, build_dir, as_arguments=False),
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
        """What a person wrote: the files that git knows or would add."""
        said = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for path in sorted({*said.split("\0")} - {""}):
            if os.path.lexists(self.root / path):
                yield path

    def key(self) -> str:
        """Digest of the sources, with their modes, and of the settings that reach the bytes."""
        digest = sha256(self.settings.key().encode())
        for path in self.sources():
            place = self.root / path
            mode = place.lstat().st_mode
            digest.update(f"\0{path}\0{mode}\0".encode() + place.read_bytes())
        return digest.hexdigest()

    def copy_sources(self, target: Path) -> None:
        """What a fresh clone would hold, with the edits that are not committed."""
        for path in self.sources():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.root / path, target / path)
