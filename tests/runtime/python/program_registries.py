"""Registries of programs that are generated for C++, read and run from Python."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.jit._torchscript._program import Program

PEER = os.environ.get("TORCH_PEER")
_ROOT = Path(__file__).parents[3]
_LOAD = """
import json, sys, torch
found = torch.jit.load(sys.argv[1])()
print(json.dumps([x.tolist() if isinstance(x, torch.Tensor) else x for x in found]))
"""


@dataclass(frozen=True)
class Registry:
    """A generated file: its text of TorchScript, and the name of each operator's function."""

    text: str
    rows: Mapping[str, str]

    @staticmethod
    def generated(command: str, folder: Path) -> Registry:
        """Return what a command of tools.jit writes into an empty folder."""
        arguments = [sys.executable, "-m", f"tools.jit.{command}", "-d", str(folder)]
        subprocess.run(arguments, cwd=_ROOT, check=True)
        (file,) = folder.glob("*.cpp")
        code = file.read_text()
        rows = re.findall(r'^ +\{("aten::.*"), "(\w+)"\},$', code, re.MULTILINE)
        return Registry(
            code.partition('R"=====(')[2].partition(')====="')[0],
            {json.loads(schema).partition("(")[0]: name for schema, name in rows},
        )

    def program(self, path: str) -> Program:
        """Return the text as the program of an archive that has it in a file."""
        return Program({path: self.text}, (), 3)

    def write_archive(self, path: Path, file: str, result: str, calls: Sequence[str]) -> None:
        """Write an archive with the text in a file and a module whose forward returns calls."""
        module = torch.jit.trace(torch.nn.ReLU(), torch.ones(1))
        plain = path.with_suffix(".plain")
        module.save(plain)
        forward = f"  def forward(self) -> {result}:\n    return [{', '.join(calls)}]\n"
        with zipfile.ZipFile(plain) as source, zipfile.ZipFile(path, "w") as target:
            for name in source.namelist():
                data = source.read(name)
                if name.endswith(".py"):
                    head = re.split(r"^ +def forward", data.decode(), flags=re.MULTILINE)[0]
                    target.writestr(f"{name.partition('__torch__')[0]}{file}", self.text)
                    data = f"{head}{forward}".encode()
                if not name.endswith(".debug_pkl"):
                    target.writestr(name, data)


def run_by_peer(archive: Path) -> list[Any]:
    """Return what the module of an archive returns in PyTorch, with tensors as lists."""
    done = subprocess.run(
        [str(PEER), "-W", "ignore", "-c", _LOAD, str(archive)],
        cwd=archive.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found
