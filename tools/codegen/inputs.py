"""All of the generator's operator files together: either what they mean, or every problem in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.autograd.load_derivatives import build_derivatives, declared_derivatives
from tools.autograd.model import Derivatives
from tools.codegen.deprecated import DeprecatedSignature, build_deprecated
from tools.codegen.errors import InputError, Problem
from tools.codegen.memory import Memory
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators, declared_functions


@contextmanager
def _collected(problems: list[Problem]) -> Iterator[None]:
    """Keeps the problems of one file, so that the others are read too."""
    try:
        yield
    except InputError as error:
        problems.extend(error.problems)


@dataclass(frozen=True)
class Inputs:
    """What the files declare; None for a file that was not given."""

    operators: Operators
    derivatives: Derivatives | None
    deprecated: tuple[DeprecatedSignature, ...]


@dataclass(frozen=True)
class InputFiles:
    """The files, read but not yet understood."""

    native_functions: OperatorFile
    tags: OperatorFile
    derivatives: OperatorFile | None = None
    deprecated: OperatorFile | None = None

    @staticmethod
    def read(
        native_functions: Path,
        tags: Path,
        derivatives: Path | None = None,
        deprecated: Path | None = None,
    ) -> InputFiles:
        """From disk; messages use the paths."""
        return InputFiles(
            OperatorFile.read(native_functions),
            OperatorFile.read(tags),
            None if derivatives is None else OperatorFile.read(derivatives),
            None if deprecated is None else OperatorFile.read(deprecated),
        )

    @property
    def meaning(self) -> str:
        """Digest of what the entries say, but for the tags; empty when a file is unreadable."""
        files = (self.native_functions, self.derivatives, self.deprecated)
        meanings = [file.meaning for file in files if file is not None]
        return " ".join(meanings) if all(meanings) else ""

    def build(self, memory: Memory | None = None) -> Inputs:
        """The meaning of the files; raises InputError with the problems of all of them.

        Entries that `memory` knows are not read again.
        """
        problems: list[Problem] = []
        operators: Operators | None = None
        derivatives: Derivatives | None = None
        deprecated: tuple[DeprecatedSignature, ...] = ()
        with _collected(problems):
            operators = build_operators(self.native_functions, self.tags, memory)
        if operators is None:
            raise InputError([*problems, *self._derivative_problems()], self._sources())
        with _collected(problems):
            if self.derivatives is not None:
                derivatives = build_derivatives(self.derivatives, operators)
        with _collected(problems):
            if self.deprecated is not None:
                deprecated = build_deprecated(self.deprecated, operators)
        if problems:
            raise InputError(problems, self._sources())
        return Inputs(operators, derivatives, deprecated)

    def _sources(self) -> dict[str, str]:
        files = (self.native_functions, self.tags, self.derivatives, self.deprecated)
        return {file.name: file.text for file in files if file is not None}

    def _derivative_problems(self) -> list[Problem]:
        """What is wrong with the derivatives of those operators that could be read."""
        problems: list[Problem] = []
        if self.derivatives is not None:
            readable, doubtful = declared_functions(self.native_functions, self.tags)
            functions = {function.full_name: function for function in readable}
            declared_derivatives(self.derivatives, functions, problems, doubtful=doubtful)
        return problems
