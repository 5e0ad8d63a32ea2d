"""A checkout with its own environment, for builds from scratch and edits whose cost is measured."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from peer import clean_environment

ROOT = Path(__file__).resolve().parents[1]
_IS_COMPILED = re.compile(r"\.(?:o|so)$")
LogRows = Mapping[str, tuple[str, ...]]


class Checkout:
    """A worktree of HEAD, and a virtual environment that sees the running one's packages."""

    def __init__(self, folder: Path, jobs: int, cached: bool) -> None:
        self.root = folder / "checkout"
        self.build = self.root / "build"
        self._edits = itertools.count()
        subprocess.run(
            ["git", "worktree", "add", "--quiet", "--detach", str(self.root), "HEAD"],
            cwd=ROOT,
            check=True,
        )
        environment = folder / "environment"
        self.python = environment / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
        self.site = next(environment.glob("lib/python*/site-packages"))
        seen = "\n".join(path for path in sys.path if path.endswith("site-packages"))
        (self.site / "outer.pth").write_text(f"{seen}\n", encoding="utf-8")
        self._bare = set(self.site.iterdir())
        self.variables = clean_environment() | {
            "MAX_JOBS": str(jobs),
            "VIRTUAL_ENV": str(environment),
            "PATH": os.pathsep.join([str(environment / "bin"), os.environ["PATH"]]),
        }
        if not cached:
            self.variables["CCACHE_DISABLE"] = "1"

    def remove(self) -> None:
        subprocess.run(
            ["git", "worktree", "remove", "--force", str(self.root)], cwd=ROOT, check=True
        )

    def run(self, *command: str, cwd: Path | None = None) -> float:
        """Run a command and return its wall seconds; if it fails, exit with its output."""
        start = time.perf_counter()
        result = subprocess.run(
            command,
            cwd=cwd or self.root,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - start
        if result.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{result.stdout[-8000:]}")
        return seconds

    def call(self, statement: str) -> float:
        """Run a statement in a fresh interpreter, outside the checkout."""
        return self.run(str(self.python), "-c", statement, cwd=self.root.parent)

    def forget(self) -> None:
        """Delete untracked files and uninstall, as if the checkout had never been built."""
        self.run("git", "clean", "-dffqx")
        for path in set(self.site.iterdir()) - self._bare:
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def log(self) -> LogRows:
        """Return the last entry of each output in Ninja's log."""
        log = self.build / ".ninja_log"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else ()
        rows = [tuple(line.split("\t")) for line in lines if not line.startswith("#")]
        return {row[3]: row for row in rows}

    def rebuilt_since(self, before: LogRows) -> list[str]:
        """Return the objects that were rebuilt."""
        return sorted(name for name in self._made_since(before) if name.endswith(".o"))

    def compiling_since(self, before: LogRows) -> float:
        """Return seconds from the start of the first compiler or linker to the end of the last."""
        made = self._made_since(before)
        rows = [row for name, row in made.items() if _IS_COMPILED.search(name)]
        if not rows:
            return 0.0
        return (max(int(row[1]) for row in rows) - min(int(row[0]) for row in rows)) / 1000

    def steps_since(self, before: LogRows) -> int:
        """Count the commands that Ninja ran since its log was `before`.

        A command may have several outputs; an entry with unchanged times was only given a new date.
        """
        ran = {(row[0], row[1], row[4]) for row in self._made_since(before).values()}
        return len(ran - {(row[0], row[1], row[4]) for row in before.values()})

    def _made_since(self, before: LogRows) -> LogRows:
        return {name: row for name, row in self.log().items() if before.get(name) != row}

    def dependencies(self, outputs: Iterable[str]) -> dict[str, list[Path]]:
        """Return every file that each object was compiled from, as recorded by Ninja."""
        found: dict[str, list[Path]] = {}
        for output in outputs:
            shown = subprocess.run(
                ["ninja", "-t", "deps", output],
                cwd=self.build,
                env=self.variables,
                capture_output=True,
                text=True,
                check=True,
            ).stdout.splitlines()
            found[output] = [self.build / line.strip() for line in shown[1:] if line.strip()]
        return found

    def edit_code(self, path: str) -> str:
        """Change a C++ file so that its object differs; return the name that the edit adds."""
        name = self.new_name()
        self.append(path, f"[[gnu::used]] static int {name}() {{ return 1; }}\n")
        return name

    def edit_python(self, path: str) -> str:
        """Add a constant to a module of the package; return its name."""
        name = self.new_name()
        self.append(path, f"{name} = 2\n")
        return name

    def new_name(self) -> str:
        """Return a name that no earlier edit has used."""
        return f"build_bench_{next(self._edits)}"

    def append(self, path: str, text: str) -> None:
        """Append to a file, or create it."""
        with open(self.root / path, "a", encoding="utf-8") as file:
            file.write(text)

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace text that occurs exactly once in the file."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert text.count(old) == 1, (path, old)
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")


def without(text: str, objects: Mapping[str, list[Path]]) -> list[str]:
    """Return the objects none of whose files mention `text`."""
    mentions: dict[Path, bool] = {}

    def mentioned(path: Path) -> bool:
        if path not in mentions:
            try:
                mentions[path] = text in path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                mentions[path] = False
        return mentions[path]

    return [name for name, files in objects.items() if not any(map(mentioned, files))]
