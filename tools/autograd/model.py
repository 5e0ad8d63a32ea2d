"""The derivatives of operators: one Differentiability for each operator and autograd key.

Emitters read these values; only load_derivatives.py knows derivatives.yaml and its language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from hashlib import blake2b

from tools.autograd.results import differentiable_results, reads_single
from tools.codegen.lazy import lazy
from tools.codegen.model import Location, NativeFunction
from tools.codegen.schema import Argument

DEFAULT_KEY = "Default"
"""The key of formulas for every autograd key that has none of its own."""

FOREACH = "_foreach_"
"""The prefix of operators that apply another operator to each element of a list."""

_NO_KEYS: Mapping[str, Differentiability] = {}


@dataclass(frozen=True)
class SavedAttribute:
    """A value that the forward call saves in a field of the Node."""

    name: str
    """The name in formulas: `self`, `other_scalar_type`, `self_sym_sizes`, `result1`."""
    type: str
    """The C++ type of the expression, with SymInt: `at::Tensor`, `c10::SymIntArrayRef`."""
    expression: str
    """The expression to save, evaluated before the kernel for inputs and after it for outputs."""
    condition: str | None = None
    """From `wrap_opt_if`: save the value only if this holds. It reads `grad_input_mask[i]`."""


def _union(attributes: Iterable[SavedAttribute]) -> tuple[SavedAttribute, ...]:
    """Merge attributes by name; a condition remains only if all formulas have it."""
    union: dict[str, SavedAttribute] = {}
    for attribute in attributes:
        known = union.setdefault(attribute.name, attribute)
        if known.condition != attribute.condition:
            union[attribute.name] = replace(known, condition=None)
    return tuple(union.values())


@dataclass(frozen=True)
class Derivative:
    """One backward formula: the gradient of one variable, or of several as a tuple."""

    variables: tuple[str, ...]
    formula: str
    """C++ that reads saved attributes and gradients: `grad`, `grads[i]` or named ones.

    Formulas of several variables also read `grad_input_mask`. In a foreach operator the formula
    gives element `i` of a list.
    """
    source: str
    """The formula as written in derivatives.yaml."""
    saved_inputs: tuple[SavedAttribute, ...]
    saved_outputs: tuple[SavedAttribute, ...]
    named_gradients: frozenset[str]
    """The named gradients that the formula reads."""
    location: Location


class ForwardKind(Enum):
    """The origin of a forward formula."""

    given = "given"
    auto_linear = "auto_linear"
    auto_element_wise = "auto_element_wise"


@dataclass(frozen=True)
class ForwardDerivative:
    """One Jacobian-vector product: the tangent of one result, or of several as a tuple."""

    outputs: tuple[str, ...]
    formula: str
    """C++ that reads `<input>_t`, the tangent, and `<input>_p`, the primal value."""
    kind: ForwardKind
    tangents: tuple[str, ...]
    """The inputs whose tangents the formula reads."""
    primals: tuple[str, ...]
    """The inputs whose values the formula reads."""
    needs_original_self: bool = False
    """In place only: the formula reads `self` before the call, as `original_self_p` and `_t`."""


@dataclass(frozen=True)
class Differentiability:
    """The derivatives of one operator under one autograd key."""

    function: NativeFunction
    """The operator itself; for a variant, not the one named in derivatives.yaml."""
    node: str | None
    """The class of the backward Node, such as `AddBackward0`; None if no input has a derivative."""
    dispatch_key: str
    """`Default`, or the autograd key that these formulas are for."""
    derivatives: tuple[Derivative, ...]
    forward_derivatives: tuple[ForwardDerivative, ...]
    output_differentiability: tuple[bool, ...] | None
    """For each result, whether it has a gradient; None if all floating-point tensors have one."""
    output_condition: str | None
    """C++ that decides at run time whether the result is differentiable."""
    non_differentiable: frozenset[str]
    """Arguments that are declared to have no gradient."""
    available_gradients: tuple[str, ...]
    """`grad_<result>` for each differentiable result with a name, in order."""

    @property
    def is_foreach(self) -> bool:
        """Whether lists are differentiated by element: formulas are for element `i`."""
        return self.function.root_name.startswith(FOREACH)

    @lazy
    def differentiable_outputs(self) -> tuple[int, ...]:
        """Return the indices of results that have a gradient.

        If formulas read `grad`, that is only the first such result.
        """
        return differentiable_results(
            self.function.func,
            self.output_differentiability,
            single=any(reads_single(d.formula) for d in self.derivatives),
        )

    @property
    def content(self) -> tuple[object, ...]:
        """Everything except line numbers."""
        return (
            self.node,
            self.dispatch_key,
            [(d.variables, d.source) for d in self.derivatives],
            [(f.outputs, f.formula) for f in self.forward_derivatives],
            self.output_differentiability,
            self.output_condition,
            sorted(self.non_differentiable),
        )

    @lazy
    def saved_inputs(self) -> tuple[SavedAttribute, ...]:
        """Return the values that formulas save of the inputs, each once, in order of first use."""
        return _union(a for d in self.derivatives for a in d.saved_inputs)

    @lazy
    def saved_outputs(self) -> tuple[SavedAttribute, ...]:
        return _union(a for d in self.derivatives for a in d.saved_outputs)

    @lazy
    def used_gradients(self) -> frozenset[str]:
        return frozenset(name for d in self.derivatives for name in d.named_gradients)

    @lazy
    def arguments(self) -> tuple[Argument, ...]:
        """Return the arguments that have a formula, in the schema's order: the Node's outputs."""
        variables = {name for d in self.derivatives for name in d.variables}
        return tuple(a for a in self.function.func.arguments.all if a.name in variables)


@dataclass(frozen=True)
class Derivatives:
    """Every operator that has derivatives, by full name and then by autograd key."""

    entries: Mapping[str, Mapping[str, Differentiability]]
    """Operators with an entry in derivatives.yaml, and the `_copy` variants of views among them."""
    foreach: Mapping[str, Mapping[str, Differentiability]]
    """Foreach operators that follow the entry of the operator they apply, with their own Node."""
    variants: Mapping[str, Mapping[str, Differentiability]]
    """In-place, functional and mutable operators that share another's formulas and Node."""

    def of(self, function: NativeFunction) -> Mapping[str, Differentiability]:
        """Return derivatives by autograd key; out variants and undeclared operators have none."""
        name = function.full_name
        for known in (self.entries, self.foreach, self.variants):
            if name in known:
                return known[name]
        return _NO_KEYS

    def digest(self, function: NativeFunction) -> str:
        """Hash the content of of(), without line numbers; empty if there are no derivatives.

        Properties that follow from the schema, such as types of saved values, are not included.
        """
        keys = self.of(function)
        if not keys:
            return ""
        says = [entry.content for entry in keys.values()]
        return blake2b(repr(says).encode(), digest_size=12).hexdigest()

    def restricted(self, trained: Callable[[NativeFunction], bool]) -> Derivatives:
        """Return the derivatives of some operators, and those that other operators share with them.

        Declarations that an operator has no gradient stay.
        """
        variants = _trained(self.variants, trained)
        shared = {entry.node for keys in variants.values() for entry in keys.values()}

        def kept(function: NativeFunction) -> bool:
            nodes = {entry.node for entry in self.of(function).values()}
            return trained(function) or not nodes.isdisjoint(shared)

        return Derivatives(_trained(self.entries, kept), _trained(self.foreach, kept), variants)

    @lazy
    def nodes(self) -> tuple[Differentiability, ...]:
        """One entry for each Node class, in the order of derivatives.yaml."""
        own = (*self.entries.values(), *self.foreach.values())
        return tuple(entry for keys in own for entry in keys.values() if entry.node)


def _trained(
    known: Mapping[str, Mapping[str, Differentiability]],
    trained: Callable[[NativeFunction], bool],
) -> dict[str, Mapping[str, Differentiability]]:
    return {
        name: keys
        for name, keys in known.items()
        if any(entry.node is None or trained(entry.function) for entry in keys.values())
    }
