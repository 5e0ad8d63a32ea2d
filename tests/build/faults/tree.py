"""A checkout of the fixture project for faults, with two versions of its sources."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from ..conditions import wrap_compilers
from ..fixture_project import OUTER, Project

# Folders of the build directory with results; objects and records differ from build to build.
PRODUCTS = ("bin", "lib", "phrases", "replies", "src", "stubs")
# A compiler slow enough to be interrupted, that reports when it links.
BEHAVIOUR = 'case " $* " in *" -c "*) sleep 0.1 ;; *) echo >> "$HERE/linking" ;; esac'


@dataclass(frozen=True)
class Version:
    """One state of the sources and the options; versions differ for every step of a build."""

    word: str
    format: str
    options: Mapping[str, str]

    @property
    def answer(self) -> str:
        """Return what the built package prints."""
        words = [self.format.replace("%s%s", word) for word in ("hello", self.word)]
        return f"{[w.upper() if self.options['TINY_LOUD'] == '1' else w for w in words]}\n"


VERSIONS = (
    Version("world", "%s%s", {"TINY_LOUD": "1"}),
    Version("there", "<%s%s>", {"TINY_LOUD": "0"}),
)


def digests(root: Path, folders: Iterable[Path]) -> dict[str, str]:
    """Return the digest of every file below the folders, by its path in the tree."""
    return {
        str(path.relative_to(root)): sha256(path.read_bytes()).hexdigest()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


@dataclass
class Tree(Project):
    """A tree in one place, at one version."""

    root: Path
    python: Path
    sources: Path
    compilers: Path
    number: int = 0
    marks_links: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._path = wrap_compilers(self.compilers, BEHAVIOUR)

    @property
    def version(self) -> Version:
        return VERSIONS[self.number]

    @property
    def build(self) -> Path:
        return self.root / "build"

    @property
    def linking(self) -> Path:
        """The file that the compiler creates when it is called to link."""
        return self.compilers / "linking"

    def at(self, root: Path) -> Tree:
        """Return the same tree in another place."""
        return replace(self, root=root)

    def variables(self, **environ: str) -> dict[str, str]:
        variables = super().variables(**self.version.options, **environ)
        return variables | {"PATH": f"{self.python.parent}:{self._path}"}

    def fresh(self) -> None:
        """Create the sources alone, never built."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.sources, self.root)
        self.edit_to(self.number)

    def edit_to(self, number: int) -> None:
        """Edit the words, the code and the option."""
        self.number = number
        (self.root / "words.yaml").write_text(f"- hello\n- {self.version.word}\n")
        code = (self.sources / "src/greet.c").read_text()
        (self.root / "src/greet.c").write_text(code.replace('"%s%s"', f'"{self.version.format}"'))

    def edit_all(self) -> None:
        """Edit everything to the other version."""
        self.edit_to(1 - self.number)

    @property
    def site(self) -> Path:
        """The folder in which packages are installed."""
        return next(self.python.parents[1].glob("lib/python*/site-packages"))

    def unregister(self) -> None:
        """Remove everything that was installed into the environment."""
        for path in self.site.iterdir():
            if path.name != OUTER:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def start(self) -> subprocess.Popen[bytes]:
        """Start a `develop` in a process group of its own."""
        return subprocess.Popen(
            [str(self.python), "setup.py", "develop"],
            cwd=self.root,
            env=self.variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def package(self) -> dict[str, str]:
        """Return the digests of all files of the package, its inputs and its installation."""
        folders = [self.root / "tiny", *(self.build / name for name in PRODUCTS)]
        return {**digests(self.root, folders), **self.installed()}

    def installed(self) -> dict[str, str]:
        """Return the text of the files that pip and imports read, by their path in `site`.

        RECORD is reduced to its file names, because the digests in it follow from the other files.
        """
        found = {}
        for path in sorted(self.site.rglob("*")):
            if path.is_file() and path.name != OUTER:
                text = path.read_text(errors="replace").replace(str(self.root), "ROOT")
                if path.name == "RECORD":
                    text = "\n".join(sorted(line.partition(",")[0] for line in text.splitlines()))
                found[str(path.relative_to(self.site))] = text
        return found

    def shift_times(self, seconds: int) -> None:
        """Shift all times as if written under another clock, in Ninja's records, too."""
        difference = seconds * 10**9
        for path in self.root.rglob("*"):
            info = path.lstat()
            os.utime(
                path,
                ns=(info.st_atime_ns + difference, info.st_mtime_ns + difference),
                follow_symlinks=False,
            )
