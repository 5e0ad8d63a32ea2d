"""Reads derivatives.yaml into the derivatives of every operator, or reports every problem in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tools.autograd import forward
from tools.autograd.callable_names import FormulaCalls, HeaderNames
from tools.autograd.differentiation import MANUAL_AUTOGRAD, MANUAL_BACKEND
from tools.autograd.entry import DerivativeEntry, DerivativeEntryReader, Section
from tools.autograd.formula import input_types, output_types, read_formula
from tools.autograd.formula_names import names_of_backward, names_of_forward, unknown_names
from tools.autograd.gradients import GradientChecker
from tools.autograd.model import (
    DEFAULT_KEY,
    Derivative,
    Derivatives,
    Differentiability,
    ForwardDerivative,
    ForwardKind,
)
from tools.autograd.results import named_gradients
from tools.autograd.variants import (
    ByKey,
    adapt_to,
    add_copy_entries,
    foreach_entries,
    function_of,
    variants,
)
from tools.codegen.errors import InputError, Problem, suggest
from tools.codegen.model import Location, NativeFunction, Operators
from tools.codegen.read import OperatorFile
from tools.codegen.schema import SchemaKind
from tools.codegen.yaml_values import Text

_FORWARD_SUFFIX = "_forward"


def load_derivatives(
    text: str, operators: Operators, *, file: str = "derivatives.yaml"
) -> Derivatives:
    """Return the derivatives that the text declares.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    return build_derivatives(OperatorFile.parse(text, file), operators)


def build_derivatives(
    file: OperatorFile,
    operators: Operators,
    headers: HeaderNames | None = None,
    ignored: list[str] | None = None,
) -> Derivatives:
    """Return the derivatives that the file declares.

    With `headers`, backward formulas may call only operators and functions named in the headers.
    Entries of operators that do not exist are mistakes, unless `ignored` collects the names.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    problems: list[Problem] = []
    calls = None if headers is None else FormulaCalls.of(operators, headers)
    own = declared_derivatives(file, operators.by_name, problems, calls=calls, ignored=ignored)
    if problems:
        raise InputError(problems, {file.name: file.text})
    own = add_copy_entries(own, operators)
    foreach = foreach_entries(own, operators)
    adopted = dict(variants(own | foreach, operators))
    in_place = {
        name: {key: adapt_to(entry, entry.function) for key, entry in keys.items()}
        for name, keys in own.items()
        if function_of(keys).func.kind is SchemaKind.inplace
    }
    return Derivatives(own | in_place, foreach, adopted)


def declared_derivatives(
    file: OperatorFile,
    functions: Mapping[str, NativeFunction],
    problems: list[Problem],
    *,
    doubtful: frozenset[str] | None = frozenset(),
    calls: FormulaCalls | None = None,
    ignored: list[str] | None = None,
) -> dict[str, ByKey]:
    """Return the entries by operator name; `doubtful`, `ignored` are as in DerivativeEntryReader."""
    problems.extend(file.problems)
    reader = DerivativeEntryReader(file.name, problems, functions, doubtful, ignored)
    builder = _Builder(file.name, problems, calls)
    first: dict[str, DerivativeEntry] = {}
    declared: dict[str, ByKey] = {}
    for item in file.entries:
        entry = reader.read(item)
        if entry is None:
            continue
        name = entry.function.full_name
        if name in first:
            message = f'"{name}" already has derivatives at line {first[name].name.line}'
            problems.append(entry.name.problem(file.name, message, 0, len(name)))
        else:
            first[name] = entry
            declared[name] = builder.differentiabilities(entry)
            base = str(entry.function.func.name.name)
            has_node = any(each.node is not None for each in declared[name].values())
            if has_node and base in MANUAL_AUTOGRAD | MANUAL_BACKEND:
                message = f"derivative ignored for {base}: its kernels are written by hand"
                problems.append(entry.name.problem(file.name, message, 0, len(name)))
    return declared


@dataclass
class _Builder:
    """Converts checked entries to Differentiability, and numbers the Nodes."""

    file: str
    problems: list[Problem]
    calls: FormulaCalls | None = None
    numbers: Counter[str] = field(default_factory=Counter)

    def differentiabilities(self, entry: DerivativeEntry) -> ByKey:
        """Return one Differentiability for each autograd key of the entry."""
        return {section.key: self._section(entry, section) for section in entry.sections}

    def _section(self, entry: DerivativeEntry, section: Section) -> Differentiability:
        function, declared = entry.function, entry.output_differentiability
        derivatives = self._derivatives(entry, section)
        return Differentiability(
            function=function,
            node=self._node(entry, section) if derivatives else None,
            dispatch_key=section.key,
            derivatives=derivatives,
            forward_derivatives=self._forward(entry, section),
            output_differentiability=declared,
            output_condition=entry.output_condition,
            non_differentiable=section.non_differentiable,
            available_gradients=named_gradients(function.func, declared),
        )

    def _derivatives(self, entry: DerivativeEntry, section: Section) -> tuple[Derivative, ...]:
        func = entry.function.func
        inputs, outputs = input_types(func), output_types(func)
        checker = GradientChecker(func, entry.output_differentiability, self.file, self.problems)
        known = names_of_backward(func)
        derivatives: list[Derivative] = []
        for variables, text in section.backward.items():
            self._check_names(text, known)
            self._check_calls(text)
            formula = read_formula(text.text, inputs, outputs)
            derivatives.append(
                Derivative(
                    variables,
                    formula.text,
                    text.text,
                    formula.inputs,
                    formula.outputs,
                    checker.check(text, formula.names),
                    Location(self.file, text.line),
                )
            )
        return tuple(derivatives)

    def _check_names(self, formula: Text, known: frozenset[str]) -> None:
        for name, at in unknown_names(formula.text, known):
            message = f'unknown name "{name}"{suggest(name, known)}'
            self.problems.append(formula.problem(self.file, message, at, len(name)))

    def _check_calls(self, formula: Text) -> None:
        if self.calls is None:
            return
        for name, at in self.calls.unknown(formula.text):
            message = f'unknown function "{name}"{suggest(name, self.calls.suggestions())}'
            self.problems.append(formula.problem(self.file, message, at, len(name)))

    def _node(self, entry: DerivativeEntry, section: Section) -> str:
        """Name the Node, as `AddBackward0` or `SqueezeBackwardAutogradNestedTensor1`.

        Numbers follow the order of the file.
        """
        base = replace(entry.function.func.name.name, inplace=False)
        words = str(base).removesuffix(_FORWARD_SUFFIX).split("_")
        key = "" if section.key == DEFAULT_KEY else section.key
        name = f"{''.join(word.title() for word in words)}Backward{key}"
        number = self.numbers[name]
        self.numbers[name] += 1
        return f"{name}{number}"

    def _forward(self, entry: DerivativeEntry, section: Section) -> tuple[ForwardDerivative, ...]:
        found: list[ForwardDerivative] = []
        for outputs, text in section.forward.items():
            made = self._forward_formula(entry, section, outputs, text)
            if made is not None:
                found.append(made)
        return tuple(found)

    def _forward_formula(
        self, entry: DerivativeEntry, section: Section, outputs: tuple[str, ...], text: Text
    ) -> ForwardDerivative | None:
        function = entry.function
        variables = [name for names in section.backward for name in names]
        if text.text == ForwardKind.auto_linear.value:
            if variables:
                return forward.linear(function, outputs, variables)
            message = "auto_linear needs a backward formula, which determines the tangents"
        elif text.text == ForwardKind.auto_element_wise.value:
            if len(variables) == 1:
                (backward,) = section.backward.values()
                return forward.element_wise(function, outputs, variables[0], backward.text)
            message = f"auto_element_wise needs one backward formula, not {len(variables)}"
        else:
            self._check_names(text, names_of_forward(function.func))
            return forward.given(text.text, outputs, function, ForwardKind.given)
        if section.complete:
            self.problems.append(text.problem(self.file, message))
        return None
