"""All operator files of the generator together: their meaning, or every problem in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.autograd.callable_names import HeaderNames
from tools.autograd.load_derivatives import build_derivatives, declared_derivatives
from tools.autograd.model import Derivatives
from tools.codegen.cache import Cache
from tools.codegen.deprecated import DeprecatedSignature, build_deprecated
from tools.codegen.docs import OperatorDocs, build_docs
from tools.codegen.errors import InputError, Problem
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators, declared_functions


@contextmanager
def _collected(problems: list[Problem]) -> Iterator[None]:
    """Collect the problems of one file, so that the other files are still read."""
    try:
        yield
    except InputError as error:
        problems.extend(error.problems)


@dataclass(frozen=True)
class Inputs:
    """The declarations of all files; None for a file that was not given."""

    operators: Operators
    derivatives: Derivatives | None
    deprecated: tuple[DeprecatedSignature, ...]
    docs: OperatorDocs
    ignored_derivatives: tuple[str, ...] = ()
    """Operators that derivatives.yaml has entries for, but that do not exist."""


@dataclass(frozen=True)
class InputFiles:
    """The files, decoded but not yet interpreted."""

    native_functions: OperatorFile
    tags: OperatorFile
    derivatives: OperatorFile | None = None
    deprecated: OperatorFile | None = None
    headers: HeaderNames | None = None
    """Functions that formulas may call besides operators; None to leave calls to the compiler."""
    docs: OperatorFile | None = None
    ignores_unknown_derivatives: bool = False
    """Skip derivatives of operators that do not exist, instead of reporting them as mistakes."""

    @staticmethod
    def read(
        native_functions: Path,
        tags: Path,
        derivatives: Path | None = None,
        deprecated: Path | None = None,
        docs: Path | None = None,
        *,
        ignores_unknown_derivatives: bool = False,
    ) -> InputFiles:
        """Read the files from disk; messages use these paths."""
        return InputFiles(
            OperatorFile.read(native_functions),
            OperatorFile.read(tags),
            None if derivatives is None else OperatorFile.read(derivatives),
            None if deprecated is None else OperatorFile.read(deprecated),
            docs=None if docs is None else OperatorFile.read(docs),
            ignores_unknown_derivatives=ignores_unknown_derivatives,
        )

    @property
    def meaning(self) -> str:
        """A digest of the entries' content, without the tags; empty if a file is unreadable."""
        files = (self.native_functions, self.derivatives, self.deprecated, self.docs)
        meanings = [file.meaning for file in files if file is not None]
        return " ".join(meanings) if all(meanings) else ""

    def build(self, cache: Cache | None = None) -> Inputs:
        """Interpret the files, except entries that `cache` already has.

        Raises:
            InputError: If there are mistakes; the error lists all of them.
        """
        problems: list[Problem] = []
        operators: Operators | None = None
        derivatives: Derivatives | None = None
        deprecated: tuple[DeprecatedSignature, ...] = ()
        docs = OperatorDocs()
        ignored: list[str] | None = [] if self.ignores_unknown_derivatives else None
        with _collected(problems):
            operators = build_operators(self.native_functions, self.tags, cache)
        if operators is None:
            raise InputError([*problems, *self._derivative_problems()], self._sources())
        with _collected(problems):
            if self.derivatives is not None:
                derivatives = build_derivatives(self.derivatives, operators, self.headers, ignored)
        with _collected(problems):
            if self.deprecated is not None:
                deprecated = build_deprecated(self.deprecated, operators)
        with _collected(problems):
            if self.docs is not None:
                docs = build_docs(self.docs, operators)
        if problems:
            raise InputError(problems, self._sources())
        return Inputs(operators, derivatives, deprecated, docs, tuple(ignored or ()))

    def _sources(self) -> dict[str, str]:
        files = (
            self.native_functions,
            self.tags,
            self.derivatives,
            self.deprecated,
            self.docs,
        )
        return {file.name: file.text for file in files if file is not None}

    def _derivative_problems(self) -> list[Problem]:
        """Return the problems in the derivatives of those operators that could be read."""
        problems: list[Problem] = []
        if self.derivatives is not None:
            readable, doubtful = declared_functions(self.native_functions, self.tags)
            functions = {function.full_name: function for function in readable}
            declared_derivatives(self.derivatives, functions, problems, doubtful=doubtful)
        return problems
