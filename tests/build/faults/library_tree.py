"""This repository's library as a tree for faults: a clone, built with the compiler cache."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ..fixture_project import ROOT, Project
from .tree import Tree, digests

_OPERATOR = """
- func: fault_campaign_twice(Tensor self) -> Tensor
  variants: function
  dispatch:
    CompositeExplicitAutograd: fault_campaign_twice
"""
_KERNEL = """#include <ATen/ops/add.h>
#include <ATen/ops/fault_campaign_twice_native.h>

namespace at::native {
Tensor fault_campaign_twice(const Tensor& self) {
  return at::add(self, self);
}
}  // namespace at::native
"""
_NATIVE = "aten/src/ATen/native"
_PRODUCTS = ("aten", "bin", "lib", "stubs", "torch")


@dataclass(frozen=True)
class WithOperator:
    """The library, with or without one more operator; the options are the same."""

    present: bool

    @property
    def answer(self) -> str:
        return f"{self.present}\n"


@dataclass
class LibraryTree(Tree):
    """`sources` is the repository to clone. The machine's own compilers are used, so that the cache has hits."""

    marks_links: ClassVar[bool] = False

    def __post_init__(self) -> None:
        self._versions = (WithOperator(False), WithOperator(True))

    @property
    def version(self) -> WithOperator:  # type: ignore[override]
        return self._versions[self.number]

    def variables(self, **environ: str) -> dict[str, str]:
        return Project.variables(self, **environ)

    def fresh(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        subprocess.run(
            ["git", "clone", "--quiet", "--shared", str(ROOT), str(self.root)], check=True
        )
        self.edit_to(self.number)

    def edit_to(self, number: int) -> None:
        """Add an operator with its kernel, or remove it again."""
        self.number = number
        table = self.root / _NATIVE / "native_functions.yaml"
        text = table.read_text(encoding="utf-8").replace(_OPERATOR, "")
        kernel = self.root / _NATIVE / "FaultCampaignTwice.cpp"
        if self.version.present:
            text += _OPERATOR
            kernel.write_text(_KERNEL, encoding="utf-8")
        else:
            kernel.unlink(missing_ok=True)
        table.write_text(text, encoding="utf-8")

    def words(self) -> str:
        program = (
            "import torch; assert torch.ones(3).sum().item() == 3\n"
            "print(hasattr(torch, 'fault_campaign_twice'))"
        )
        command = [str(self.python), "-c", program]
        return subprocess.run(command, cwd="/", capture_output=True, text=True, check=True).stdout

    def package(self) -> dict[str, str]:
        folders = [self.root / "torch", *(self.build / name for name in _PRODUCTS)]
        found = {**digests(self.root, folders), **self.installed()}
        return {name: value for name, value in found.items() if not name.endswith(".o")}


def library_tree(folder: Path, python: Path) -> LibraryTree:
    return LibraryTree(folder, python, ROOT, folder.parent)
