"""All of the generator's operator files together: either what they mean, or every problem in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tools.autograd.load_derivatives import build_derivatives, declared_derivatives
from tools.autograd.model import Derivatives
from tools.codegen.errors import InputError, Problem
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, build_operators, declared_functions


@dataclass(frozen=True)
class Inputs:
    """What the files declare; None for a file that was not given."""

    operators: Operators
    derivatives: Derivatives | None


@dataclass(frozen=True)
class InputFiles:
    """The files, read but not yet understood."""

    native_functions: OperatorFile
    tags: OperatorFile
    derivatives: OperatorFile | None = None

    @staticmethod
    def read(native_functions: Path, tags: Path, derivatives: Path | None = None) -> InputFiles:
        """From disk; messages use the paths."""
        return InputFiles(
            OperatorFile.read(native_functions),
            OperatorFile.read(tags),
            None if derivatives is None else OperatorFile.read(derivatives),
        )

    @property
    def meaning(self) -> str:
        """Digest of what the entries of operators and derivatives say; empty when unreadable."""
        files = [file for file in (self.native_functions, self.derivatives) if file is not None]
        meanings = [file.meaning for file in files]
        return " ".join(meanings) if all(meanings) else ""

    def build(self) -> Inputs:
        """The meaning of the files; raises InputError with the problems of all of them."""
        try:
            operators = build_operators(self.native_functions, self.tags)
        except InputError as error:
            sources = dict(error.sources)
            if self.derivatives is not None:
                sources[self.derivatives.name] = self.derivatives.text
            problems = [*error.problems, *self._derivative_problems()]
            raise InputError(problems, sources) from None
        if self.derivatives is None:
            return Inputs(operators, None)
        return Inputs(operators, build_derivatives(self.derivatives, operators))

    def _derivative_problems(self) -> list[Problem]:
        """What is wrong with the derivatives of those operators that could be read."""
        problems: list[Problem] = []
        if self.derivatives is not None:
            readable, doubtful = declared_functions(self.native_functions, self.tags)
            functions = {function.full_name: function for function in readable}
            declared_derivatives(self.derivatives, functions, problems, doubtful=doubtful)
        return problems
