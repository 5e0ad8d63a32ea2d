"""A checkout to build from nothing, in an environment of its own, and edits whose cost is measured."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from peer import clean_environment

ROOT = Path(__file__).resolve().parents[1]
OPERATOR = "build_bench_twice"
DECLARATION = f"""
- func: {OPERATOR}(Tensor self) -> Tensor
  variants: function
  dispatch:
    CompositeExplicitAutograd: {OPERATOR}
"""
KERNEL = f"""#include <ATen/ops/add.h>
#include <ATen/ops/{OPERATOR}_native.h>

namespace at::native {{
Tensor {OPERATOR}(const Tensor& self) {{
  return at::add(self, self);
}}
}}  // namespace at::native
"""
CALL_OPERATOR = f"import torch; assert torch.{OPERATOR}(torch.ones(2)).tolist() == [2, 2]"
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
        """Wall seconds; ends the program with the output of a command that fails."""
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
        """A fresh interpreter, outside the checkout."""
        return self.run(str(self.python), "-c", statement, cwd=self.root.parent)

    def log(self) -> LogRows:
        """Output -> its last entry in Ninja's log."""
        lines = (self.build / ".ninja_log").read_text(encoding="utf-8").splitlines()
        rows = [tuple(line.split("\t")) for line in lines if not line.startswith("#")]
        return {row[3]: row for row in rows}

    def rebuilt_since(self, before: LogRows) -> list[str]:
        """The objects that were."""
        after = self.log()
        return sorted(
            name
            for name, entry in after.items()
            if name.endswith(".o") and before.get(name) != entry
        )

    def dependencies(self, outputs: Iterable[str]) -> dict[str, list[Path]]:
        """Every file that each object was compiled from, by Ninja's own record."""
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

    def edit(self, kernel: str) -> str:
        """A real change of a kernel's code, so that the object differs; the name that it brings."""
        name = f"build_bench_{next(self._edits)}"
        with open(self.root / kernel, "a", encoding="utf-8") as file:
            file.write(f"[[gnu::used]] static int {name}() {{ return 1; }}\n")
        return name

    def add_operator(self) -> None:
        """One entry of the YAML and a kernel of its own."""
        native = self.root / "aten" / "src" / "ATen" / "native"
        with open(native / "native_functions.yaml", "a", encoding="utf-8") as file:
            file.write(DECLARATION)
        (native / "BuildBenchTwice.cpp").write_text(KERNEL, encoding="utf-8")

    def kernels(self) -> list[str]:
        """The kernel file that takes longest to compile, and the one in the middle."""
        seconds: dict[str, float] = {}
        for name, entry in self.log().items():
            if "/native/cpu/" in name and name.endswith(".cpp.o"):
                source = name[name.index("aten/src/ATen/native/cpu/") : -len(".o")]
                taken = (int(entry[1]) - int(entry[0])) / 1000
                seconds[source] = max(seconds.get(source, 0.0), taken)
        ranked = [k for k in sorted(seconds, key=seconds.__getitem__) if (self.root / k).exists()]
        return [ranked[-1], ranked[len(ranked) // 2]]


def without(text: str, objects: Mapping[str, list[Path]]) -> list[str]:
    """Objects of which no file mentions `text`."""
    mentions: dict[Path, bool] = {}

    def mentioned(path: Path) -> bool:
        if path not in mentions:
            try:
                mentions[path] = text in path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                mentions[path] = False
        return mentions[path]

    return [name for name, files in objects.items() if not any(map(mentioned, files))]
