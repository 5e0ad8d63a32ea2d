"""The two generators that codegen_bench.py times: ours, and the one in the wheel of TORCH_PEER.

Each works on its own copy of PyTorch's operator files, in its own output folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from peer import clean_environment

ROOT = Path(__file__).resolve().parents[1]
ADDED = """
- func: codegen_bench_abc(Tensor self, int n=1) -> Tensor
  variants: function
  dispatch:
    CompositeExplicitAutograd: codegen_bench_abc
"""
_FORMULA = "grad * self.cosh().conj()"
# As in PyTorch's build: torchgen.gen for ATen, then one process for both parts of autograd.
AUTOGRAD = """
import sys
from torchgen.packaged.autograd.gen_autograd import gen_autograd, gen_autograd_python
from torchgen.selective_build.selector import SelectiveBuilder
gen_autograd_python(*sys.argv[1:])
gen_autograd(*sys.argv[1:], SelectiveBuilder.get_nop_selector())
"""


@dataclass(frozen=True)
class Run:
    """The cost of one run's processes; memory is that of the largest process."""

    seconds: float
    cpu_seconds: float
    megabytes: float
    written: int


@dataclass(frozen=True)
class Inputs:
    """A copy of the operator files, laid out as in the peer's wheel."""

    folder: Path

    @property
    def native_functions(self) -> Path:
        return self.folder / "ATen/native/native_functions.yaml"

    @property
    def tags(self) -> Path:
        return self.folder / "ATen/native/tags.yaml"

    @property
    def derivatives(self) -> Path:
        return self.folder / "autograd/derivatives.yaml"

    def edit(self, kind: str, turn: int) -> None:
        """Make one of the edits that rows name; `turn` makes each edit different."""
        match kind:
            case "comment":
                self._rewrite(self.native_functions, "\n- func: ", f"\n# Remark {turn}.\n- func: ")
            case "change":
                kernel = rf"\1    CPU: isin_changed_{turn}\n"
                pattern = r"(- func: nonzero_static\((?:.*\n)+?  dispatch:\n)    CPU: \w+\n"
                text = self.native_functions.read_text()
                changed, count = re.subn(pattern, kernel, text, count=1)
                assert count == 1, "nonzero_static has changed in PyTorch"
                self.native_functions.write_text(changed)
            case "add":
                self.native_functions.write_text(self.native_functions.read_text() + ADDED)
            case "remove":
                self._rewrite(self.native_functions, ADDED, "")
            case "derivative":
                self._rewrite(self.derivatives, _FORMULA, f"({_FORMULA})")
            case "nothing":
                pass

    @staticmethod
    def _rewrite(path: Path, old: str, new: str) -> None:
        text = path.read_text()
        assert old in text, f"{old!r} is not in {path.name}"
        path.write_text(text.replace(old, new, 1))


class Side:
    """A generator with its inputs and its output folder."""

    def __init__(self, name: str, inputs: Inputs, out: Path) -> None:
        self.name = name
        self.inputs = inputs
        self.out = out

    def commands(self) -> list[list[str]]:
        raise NotImplementedError

    def clear(self) -> None:
        shutil.rmtree(self.out, ignore_errors=True)

    def run(self) -> Run:
        """Generate, in new processes."""
        before = self._times()
        environment = clean_environment() | {"PYTHONPATH": str(ROOT)}
        cpu = memory = 0.0
        started = time.perf_counter()
        for command in self.commands():
            process = subprocess.Popen(
                command, cwd=self.inputs.folder, env=environment, stdout=subprocess.DEVNULL
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                sys.exit(f"{self.name} failed: {' '.join(command)}")
            cpu += usage.ru_utime + usage.ru_stime
            memory = max(memory, usage.ru_maxrss / 1024)
        seconds = time.perf_counter() - started
        after = self._times()
        written = sum(before.get(path) != stamp for path, stamp in after.items())
        return Run(seconds, cpu, memory, written)

    def _times(self) -> dict[str, int]:
        found = {}
        for folder, _, names in os.walk(self.out):
            for name in names:
                if name not in ("codegen.json", "codegen.memory"):
                    path = os.path.join(folder, name)
                    found[path] = os.stat(path).st_mtime_ns
        return found


class Ours(Side):
    """`python -m tools.codegen generate`, with `--all` for the stages that are off by default."""

    def __init__(self, name: str, inputs: Inputs, out: Path, *, all_stages: bool = False) -> None:
        super().__init__(name, inputs, out)
        self.options = ["--all"] if all_stages else []

    def commands(self) -> list[list[str]]:
        inputs = self.inputs
        files = ["--native-functions", inputs.native_functions, "--tags", inputs.tags]
        files += ["--derivatives", inputs.derivatives, "--out", self.out]
        command = [sys.executable, "-m", "tools.codegen", "generate", *map(str, files)]
        return [[*command, *self.options]]


class Peer(Side):
    """torchgen, as PyTorch's build calls it."""

    def __init__(self, python: str, inputs: Inputs, out: Path) -> None:
        super().__init__("PyTorch", inputs, out)
        self.python = python

    def commands(self) -> list[list[str]]:
        (self.out / "autograd").mkdir(parents=True, exist_ok=True)
        inputs, out = self.inputs, self.out
        aten = ["--source-path", inputs.folder / "ATen", "--install_dir", out / "ATen"]
        aten += ["--aoti_install_dir", out / "aoti", "--per-operator-headers"]
        autograd = [inputs.native_functions, inputs.tags, out / "autograd"]
        autograd += [inputs.folder / "autograd"]
        return [
            [self.python, "-m", "torchgen.gen", *map(str, aten)],
            [self.python, "-c", AUTOGRAD, *map(str, autograd)],
        ]


def packaged(python: str) -> Path:
    """Return the folder of PyTorch's operator files and templates in the peer's wheel."""
    program = "import torchgen, pathlib; print(pathlib.Path(torchgen.__file__).parent / 'packaged')"
    found = subprocess.run(
        [python, "-I", "-c", program], capture_output=True, text=True, check=True
    )
    return Path(found.stdout.strip())


def replicate(inputs: Inputs, times: int) -> None:
    """Multiply every operator `times` times: copies with new names and their derivatives."""
    native, derivatives = inputs.native_functions.read_text(), inputs.derivatives.read_text()
    native_entries = _entries(native)
    derivative_entries = _entries(derivatives)
    for copy in range(2, times + 1):
        renamed = [_rename(entry, copy) for entry in native_entries if _replicable(entry)]
        native += "\n" + "\n".join(renamed)
        derived = [_rename(entry, copy) for entry in derivative_entries if _replicable(entry)]
        derivatives += "\n" + "\n".join(derived)
    inputs.native_functions.write_text(native)
    inputs.derivatives.write_text(derivatives)


def _entries(text: str) -> list[str]:
    return [piece for piece in re.split(r"^(?=- )", text, flags=re.MULTILINE) if piece[:2] == "- "]


def _replicable(entry: str) -> bool:
    """Return whether the entry may be renamed; `__and__` and `bernoulli` have special names."""
    return not re.match(r"- (?:func|name): +(?:__|bernoulli)", entry)


def _rename(entry: str, copy: int) -> str:
    """Rename the entry's operator, and the operators of its group that it refers to."""

    def prefixed(match: re.Match[str]) -> str:
        names = re.sub(r"(?<![\w.])(_foreach_)?(?=[A-Za-z_])", rf"\g<1>t{copy}_", match[2])
        return match[1] + names

    entry = re.sub(r"^(- (?:func|name): +)(\w+)", prefixed, entry)
    return re.sub(r"(?m)^(  (?:structured_delegate|autogen): )([\w., ]+)", prefixed, entry)
