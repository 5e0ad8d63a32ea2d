"""The stages that are off by default, all run at once on any operator files, for --all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from tools.codegen.emit.common import Output
from tools.codegen.limits import stages_of_table
from tools.drivers.context import Limits, shared_values
from tools.drivers.inputs import InputFiles, Inputs

_DRIVERS = "tools.drivers."


@dataclass(frozen=True)
class _Files:
    """An output for stages that must run: the caller has found out that something changed."""

    output: Output

    def add(self, path: str, ingredients: str, text: Callable[[], str]) -> None:
        self.output.add(path, ingredients, text)

    def unchanged(self, meaning: str) -> bool:
        return False


@dataclass(frozen=True)
class _Context:
    root: Path
    files: _Files
    shared: dict[str, Any]
    limits: Limits
    options: Mapping[str, str] = field(default_factory=dict)
    everything: bool = False


def optional_stages(root: Path, others: Collection[str]) -> Iterator[tuple[str, Limits]]:
    """Yield the entry point and the limits of each stage with a condition in a checkout's table.

    Stages whose drivers are among the modules `others` are left out.
    """
    for stage in stages_of_table(root):
        module, _, _ = stage["entry"].partition(":")
        if "when" in stage and module.startswith(_DRIVERS) and module not in others:
            yield stage["entry"], stage.get("limits", {})


def generate_optional(
    root: Path, files: InputFiles, inputs: Inputs, output: Output, others: Collection[str]
) -> None:
    """Write the files of all optional stages, for the operators of `inputs`, read from `files`.

    What these stages read besides operators, such as shape functions, is that of the checkout
    `root`.

    Raises:
        InputError: If an operator that these files name does not exist.
    """
    shared = shared_values(files, inputs)
    for entry, limits in optional_stages(root, others):
        module, _, name = entry.partition(":")
        getattr(import_module(module), name)(_Context(root, _Files(output), shared, limits))
