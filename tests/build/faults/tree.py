"""A built tree of the fixture project with two versions of its sources, and what a clean build of each gives."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from ..fixture_project import Project

BUILD_FOLDERS = ("bin", "lib", "src", "stubs")
# A compiler that takes long enough to be met at work, and says when it links.
SHIM = """#!/bin/sh
case " $* " in
*" -c "*) sleep 0.1 ;;
*) echo link >> "$FAULT_MARKS" ;;
esac
exec /usr/bin/%s "$@"
"""


@dataclass(frozen=True)
class Version:
    """One state of the sources and of the options: every stage of a build sees the difference."""

    name: str
    word: str
    format: str
    options: Mapping[str, str]

    @property
    def words(self) -> str:
        """What the built package answers."""
        greetings = [self.format.replace("%s%s", word) for word in ("hello", self.word)]
        loud = self.options["TINY_LOUD"] == "1"
        return f"{[g.upper() if loud else g for g in greetings]}\n"


LOUD = Version("loud", "world", "%s%s", {"TINY_LOUD": "1"})
QUIET = Version("quiet", "there", "<%s%s>", {"TINY_LOUD": "0"})


@dataclass
class Tree(Project):
    """A checkout that faults are done to."""

    root: Path
    python: Path
    sources: Path
    shims: Path
    version: Version = LOUD
    environ: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.shims.mkdir(exist_ok=True)
        for name in ("cc", "c++"):
            (self.shims / name).write_text(SHIM % name)
            (self.shims / name).chmod(0o755)
        self.environ |= {"FAULT_MARKS": str(self.marks)}

    @property
    def build(self) -> Path:
        return self.root / "build"

    @property
    def marks(self) -> Path:
        return self.shims / "marks"

    def variables(self, **more: str) -> dict[str, str]:
        variables = super().variables(**self.environ, **self.version.options, **more)
        return variables | {"PATH": f"{self.shims}:{variables['PATH']}"}

    def fresh(self) -> None:
        """The sources alone, as nobody has built them."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.sources, self.root)
        self.unregister()
        self.change_to(LOUD)

    def change_to(self, version: Version) -> None:
        """Edits the words, the code and the option."""
        self.version = version
        (self.root / "words.yaml").write_text(f"- hello\n- {version.word}\n")
        code = (self.sources / "src/greet.c").read_text()
        (self.root / "src/greet.c").write_text(code.replace('"%s%s"', f'"{version.format}"'))

    def unregister(self) -> None:
        """As if the package had never been installed."""
        for path in self.python.parents[1].glob("lib/python*/site-packages/*tiny*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def develop(self) -> subprocess.CompletedProcess[str]:
        return self.run("develop", check=False)

    def package(self) -> dict[str, str]:
        """Every file of the package and of what it is made from, with a digest of its bytes."""
        folders = [self.root / "tiny", *(self.build / name for name in BUILD_FOLDERS)]
        return {
            str(path.relative_to(self.root)): sha256(path.read_bytes()).hexdigest()
            for folder in folders
            for path in sorted(folder.rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts
        }
