"""From the text of derivatives.yaml to the derivatives of every operator, or to every problem."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from tools.autograd import forward
from tools.autograd.entry import DerivativeEntry, DerivativeEntryReader, Section
from tools.autograd.formula import input_types, output_types, read_formula
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
    adapted,
    foreach_entries,
    keys_function,
    variants,
    with_copies,
)
from tools.codegen.errors import InputError, Problem
from tools.codegen.model import Location, Operators
from tools.codegen.schema import SchemaKind
from tools.codegen.source import read_text
from tools.codegen.yaml_reader import Text, read_entries

_FORWARD_SUFFIX = "_forward"


def load_derivatives_file(path: Path, operators: Operators, *, name: str = "") -> Derivatives:
    """Read the file from disk; messages use `name`, or else the path."""
    file = name or str(path)
    problems: list[Problem] = []
    text = read_text(path, file, problems)
    if problems:
        raise InputError(problems, {file: text})
    return load_derivatives(text, operators, file=file)


def load_derivatives(
    text: str, operators: Operators, *, file: str = "derivatives.yaml"
) -> Derivatives:
    """Parse the text; raises InputError with all problems."""
    problems: list[Problem] = []
    entries = read_derivative_entries(text, operators, file, problems)
    builder = _Builder(file, problems)
    own: dict[str, ByKey] = {
        str(entry.function.func.name): builder.differentiabilities(entry) for entry in entries
    }
    if problems:
        raise InputError(problems, {file: text})
    own = with_copies(own, operators)
    own |= foreach_entries(own, operators)
    adopted = dict(variants(own, operators))
    in_place = {
        name: {key: adapted(entry, entry.function) for key, entry in keys.items()}
        for name, keys in own.items()
        if keys_function(keys).func.kind is SchemaKind.inplace
    }
    return Derivatives(own | in_place, adopted)


def read_derivative_entries(
    text: str, operators: Operators, file: str, problems: list[Problem]
) -> list[DerivativeEntry]:
    """The entries of the file, each checked against its operator, no operator twice."""
    reader = DerivativeEntryReader(file, operators.by_name, problems)
    found: dict[str, DerivativeEntry] = {}
    for item in read_entries(text, file, problems):
        entry = reader.read(item)
        if entry is None:
            continue
        name = str(entry.function.func.name)
        if name in found:
            message = f'"{name}" already has derivatives at line {found[name].name.line}'
            problems.append(entry.name.problem(file, message, 0, len(name)))
        else:
            found[name] = entry
    return list(found.values())


@dataclass
class _Builder:
    """From checked entries to Differentiability, numbering the Nodes on the way."""

    file: str
    problems: list[Problem]
    numbers: Counter[str] = field(default_factory=Counter)

    def differentiabilities(self, entry: DerivativeEntry) -> ByKey:
        """One Differentiability for each autograd key of the entry."""
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
        derivatives: list[Derivative] = []
        for variables, text in section.backward.items():
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

    def _node(self, entry: DerivativeEntry, section: Section) -> str:
        """`AddBackward0`, `SqueezeBackwardAutogradNestedTensor1`: numbered in the file's order."""
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
            message = "auto_linear needs a backward formula, which says what the tangents are"
        elif text.text == ForwardKind.auto_element_wise.value:
            if len(variables) == 1:
                (backward,) = section.backward.values()
                return forward.element_wise(function, outputs, variables[0], backward.text)
            message = f"auto_element_wise needs one backward formula, not {len(variables)}"
        else:
            return forward.given(text.text, outputs, function, ForwardKind.given)
        self.problems.append(text.problem(self.file, message))
        return None
