"""An output that collects generated files in memory."""

from __future__ import annotations

from collections.abc import Callable

from operator_files import ROOT

from tools.autograd.model import Derivatives
from tools.codegen.docs import OperatorDocs
from tools.codegen.emit.python_binding import NO_DOCS
from tools.codegen.limits import limits_of_table
from tools.codegen.model import Operators
from tools.drivers.generate import generate


class Collected(dict[str, str]):
    """An output that builds every text, and records the `ingredients` of each file."""

    def __init__(self) -> None:
        super().__init__()
        self.ingredients: dict[str, str] = {}

    def add(self, path: str, ingredients: str, text: Callable[[], str]) -> None:
        assert path not in self, f"two writers of {path}"
        self[path] = text()
        self.ingredients[path] = ingredients


def files_of(
    operators: Operators,
    only: str | None = None,
    *,
    derivatives: Derivatives | None = None,
    docs: OperatorDocs = NO_DOCS,
    everything: bool = False,
) -> Collected:
    """Generate every file of the model, or of one family."""
    files = Collected()
    limits = limits_of_table(ROOT)
    generate(
        operators,
        files,
        only,
        derivatives=derivatives,
        docs=docs,
        limits=limits,
        everything=everything,
    )
    return files
