"""What the drivers of the code generation stages share: inputs read once per run, and templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from tools.autograd.callable_names import headers_of_formulas
from tools.codegen.emit.common import E, Family, Output
from tools.codegen.errors import Problem
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile
from tools.codegen.selection import Selection, read_selection
from tools.codegen.templates import Templates
from tools.drivers.inputs import InputFiles, Inputs

Limits: TypeAlias = Mapping[str, int]
"""How many operators go into one file, by sharded family."""

NO_LIMITS: Limits = {}

_SELECTED = "SELECTED_OP_LIST"
_ROOT = Path(__file__).parents[2]
_NATIVE_FUNCTIONS = "aten/src/ATen/native/native_functions.yaml"
_TAGS = "aten/src/ATen/native/tags.yaml"
_DEPRECATED = "tools/autograd/deprecated.yaml"
_DOCS = "aten/src/ATen/native/operator_docs.yaml"
_DERIVATIVES = "tools/autograd/derivatives.yaml"


class Files(Output, Protocol):
    """An output that knows what the last run generated."""

    def unchanged(self, meaning: str) -> bool: ...


class Context(Protocol):
    """The inputs of a stage: the tree, an output, and values shared by the stages of a run."""

    @property
    def root(self) -> Path: ...
    @property
    def files(self) -> Files: ...
    @property
    def shared(self) -> dict[str, Any]: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def options(self) -> Mapping[str, str]: ...
    @property
    def everything(self) -> bool: ...


_OTHER_OPERATORS = "other operators"


def shared_values(files: InputFiles, inputs: Inputs) -> dict[str, Any]:
    """Return the shared values of a run over operator files that need not be the tree's."""
    return {"operator files": files, "operators": inputs, _OTHER_OPERATORS: True}


def has_other_operators(context: Context) -> bool:
    """Return whether the operators may be those of another tree, such as PyTorch's.

    The tree's lists of operators then serve as far as they fit.
    """
    return _OTHER_OPERATORS in context.shared


def operator_files(context: Context) -> InputFiles:
    """Return the tree's operator files, read once per run."""
    files = context.shared.get("operator files")
    if not isinstance(files, InputFiles):
        files = InputFiles(
            _read(context, _NATIVE_FUNCTIONS),
            _read(context, _TAGS),
            _read(context, _DERIVATIVES),
            _read(context, _DEPRECATED),
            headers_of_formulas(context.root),
            _read(context, _DOCS),
        )
        context.shared["operator files"] = files
    return files


def _read(context: Context, name: str) -> OperatorFile:
    """Read one of the tree's files; one without entries was emptied by accident."""
    file = OperatorFile.read(context.root / name, name)
    if file.entries or file.problems:
        return file
    problem = Problem(name, 1, 1, "the file has no entries")
    return replace(file, problems=(problem,), readable=False)


def inputs(context: Context) -> Inputs:
    """Return the meaning of the files, built once per run.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    built = context.shared.get("operators")
    if not isinstance(built, Inputs):
        built = operator_files(context).build()
        context.shared["operators"] = built
    return built


def selected(context: Context) -> Selection | None:
    """Return the operators of a selective build, or None if all are built.

    Raises:
        InputError: If the list has mistakes, such as unknown operators.
    """
    path = context.options.get(_SELECTED)
    if not path:
        return None
    selection = context.shared.get(_SELECTED)
    if not isinstance(selection, Selection):
        file = OperatorFile.read(context.root / path, path)
        selection = read_selection(file, inputs(context).operators.functions)
        context.shared[_SELECTED] = selection
    return selection


def unchanged(context: Context, *others: OperatorFile | None, sources: str = "") -> bool:
    """Return whether the operators and other declarations are those of the last run.

    Comments do not count. `sources` is a digest of other files that the stage reads.
    """
    if context.options.get(_SELECTED):
        return False  # most files depend on the list
    files = (operator_files(context).native_functions, *others)
    meanings = [file.meaning for file in files if file is not None]
    return context.files.unchanged("".join((*meanings, sources)) if all(meanings) else "")


class GenerateOperators(Protocol):
    """Writes the files of a stage that reads the operators and nothing else."""

    def __call__(
        self, model: Operators, output: Output, *, limits: Limits, selection: Selection | None
    ) -> None: ...


def run_on_operators(context: Context, generate: GenerateOperators) -> None:
    """Run a stage that reads the operators and nothing else, unless they are those of the last run."""
    if not unchanged(context):
        generate(
            inputs(context).operators,
            context.files,
            limits=context.limits,
            selection=selected(context),
        )


def templates(folder: str) -> Templates:
    """Return the templates in a folder of the checkout."""
    return Templates(lambda name: (_ROOT / folder / name).read_text(encoding="utf-8"))


def write(emitter: E, families: Mapping[str, Family[E]], only: str | None) -> None:
    """Write every family, or only the family `only`."""
    for name, family in families.items():
        if only is None or name == only:
            family(emitter)
