"""Checks how the formulas of one operator read the gradients of its results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.autograd.results import differentiable_results, named_gradients, result_names
from tools.codegen.errors import Problem, suggest
from tools.codegen.schema import FunctionSchema
from tools.codegen.yaml_values import Text

_INDEX = re.compile(r"\bgrads\[(\d+)\]")


@dataclass
class GradientChecker:
    """Requires all formulas of one operator to read gradients in the same way."""

    func: FunctionSchema
    declared: Sequence[bool] | None
    file: str
    problems: list[Problem]
    ways: dict[str, Text] = field(default_factory=dict)

    def check(self, formula: Text, names: frozenset[str]) -> frozenset[str]:
        """Return the named gradients that the formula reads; `names` are its identifiers."""
        available = named_gradients(self.func, self.declared)
        arguments = {argument.name for argument in self.func.arguments.all}
        used = frozenset(names.intersection(available) - arguments)
        results = differentiable_results(self.func, self.declared, single=False)
        if "grad" in names:
            self._check_style("grad", formula)
            if self.declared is not None and len(results) > 1:
                self._report(
                    formula,
                    "grad",
                    f"`grad` is ambiguous: the operator has {len(results)} differentiable results",
                )
        if "grads" in names:
            self._check_style("grads", formula)
            self._check_indices(formula, len(results))
        if used:
            self._check_style("grad_<result>", formula)
        self._check_names(formula, names - arguments, available)
        return used

    def _check_style(self, way: str, formula: Text) -> None:
        self.ways.setdefault(way, formula)
        other = next((known for known in self.ways if known != way), None)
        if other is not None:
            message = f"the formulas of one operator may read `{other}` or `{way}`, not both"
            self._report(formula, way.partition("_")[0], message)

    def _check_indices(self, formula: Text, results: int) -> None:
        is_list = any(result.type.list_type() is not None for result in self.func.returns)
        for match in _INDEX.finditer(formula.text):
            if not is_list and int(match[1]) >= results:
                message = (
                    f"{self.func.name} has {results} differentiable results, counted from grads[0]"
                )
                length = len(match[0])
                self.problems.append(formula.problem(self.file, message, match.start(), length))

    def _check_names(
        self, formula: Text, names: frozenset[str] | set[str], available: Sequence[str]
    ) -> None:
        results: Mapping[str, str] = {f"grad_{name}": name for name in result_names(self.func)}
        for name in sorted(names):
            if name in results and name not in available:
                result = results[name]
                hint = suggest(name, available)
                self._report(formula, name, f'the result "{result}" is not differentiable{hint}')

    def _report(self, formula: Text, word: str, message: str) -> None:
        match = re.search(rf"\b{word}", formula.text)
        at = match.start() if match else 0
        self.problems.append(formula.problem(self.file, message, at, len(word)))
