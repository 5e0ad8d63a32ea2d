"""Decides which operators need an autograd kernel, and of what kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from tools.autograd.kernel_results import written_results
from tools.autograd.model import DEFAULT_KEY, Derivatives, Differentiability
from tools.autograd.results import is_differentiable
from tools.codegen.model import NativeFunction, Operators
from tools.codegen.schema import Argument, Return, SchemaKind

MANUAL_AUTOGRAD = frozenset(
    ["copy_", "detach", "detach_", "resize_", "resize_as_", "_fw_primal", "_make_dual"]
)
"""Operators whose Autograd and ADInplaceOrView kernels are written by hand, in
VariableTypeManual.cpp. detach_ has no ADInplaceOrView kernel: it changes no value.
"""

MANUAL_BACKEND = frozenset(
    [
        "_backward",
        "_version",
        "data",
        "is_leaf",
        "options",
        "output_nr",
        "requires_grad_",
        "retain_grad",
        "retains_grad",
        "set_data",
    ]
)
"""Operators on a tensor's own autograd state, which have no kernel for any key."""

_WITHOUT_VALUES = frozenset(
    """
    argmax argmin bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or
    bitwise_right_shift bitwise_xor bucketize empty_like full_like int_repr isin isinf isneginf
    isposinf logical_and logical_not logical_or logical_xor new_empty new_empty_strided new_full
    new_ones new_zeros nonzero_static ones_like rand_like randint_like randn_like record_stream
    searchsorted signbit zeros_like
    """.split()  # noqa: SIM905
)
"""Operators without an entry whose results depend on no differentiable input value: booleans,
integers, or a new tensor of an input's shape.
"""


class KernelKind(Enum):
    """The behaviour of an autograd kernel when an input requires a gradient."""

    node = auto()
    """Creates the Node of the operator's derivatives."""
    not_implemented = auto()
    """Creates a Node that raises in backward."""
    out = auto()
    """Raises: out= arguments cannot have a history."""
    constant = auto()
    """Only prevents the operators that the kernel calls from being recorded."""


@dataclass(frozen=True)
class GradientKernel:
    """One autograd kernel."""

    function: NativeFunction
    kind: KernelKind
    key: str
    """The dispatch key it is registered for."""
    inputs: tuple[Argument, ...]
    """The differentiable arguments, in the order of the Node's edges."""
    outputs: tuple[bool, ...]
    """For each result, whether it has a history."""
    entry: Differentiability | None

    @property
    def uncovered(self) -> tuple[Argument, ...]:
        """Tensors that have no formula and are not declared to be non-differentiable."""
        if self.entry is None:
            return ()
        covered = self.inputs
        return tuple(
            argument
            for argument in self.function.func.arguments.all
            if argument.type.is_tensor_like()
            and argument not in covered
            and argument.name not in self.entry.non_differentiable
        )

    @property
    def name(self) -> str:
        """The C++ function."""
        suffix = "" if self.key == "Autograd" else f"_{self.key}"
        return self.function.unambiguous + suffix


def gradient_kernels(operators: Operators, derivatives: Derivatives) -> list[GradientKernel]:
    """Return every autograd kernel, in the order of the operators."""
    constant = _WITHOUT_VALUES | constant_roots(derivatives)
    kernels: list[GradientKernel] = []
    for function in operators.functions:
        kernels.extend(_kernels(function, derivatives, constant))
    return kernels


def constant_roots(derivatives: Derivatives) -> frozenset[str]:
    """Return root names of operators that derivatives.yaml declares without differentiable results.

    In-place comparisons are excluded: they have a gradient, zero, because they overwrite
    floating-point numbers, so their entries do not apply to the other variants.
    """
    constant: set[str] = set()
    differentiable: set[str] = set()
    for keys in derivatives.entries.values():
        for entry in keys.values():
            if entry.function.func.kind is not SchemaKind.inplace:
                has_gradient = entry.node is not None and any(result_histories(entry))
                (differentiable if has_gradient else constant).add(entry.function.root_name)
    return frozenset(constant - differentiable)


def constant_entry(derivatives: Derivatives, function: NativeFunction) -> bool:
    """Return whether the operator's own entry declares that no result is differentiable."""
    entry = derivatives.of(function).get(DEFAULT_KEY)
    return entry is not None and not any(result_histories(entry))


def result_histories(entry: Differentiability) -> tuple[bool, ...]:
    """Return, for each result, whether it gets a gradient."""
    returns = entry.function.func.returns
    if not returns:
        return tensor_results(entry.function)
    return tuple(index in entry.differentiable_outputs for index in range(len(returns)))


def tensor_results(function: NativeFunction) -> tuple[bool, ...]:
    """Return, for each result, whether it is a tensor or a list of tensors."""
    results: Sequence[Argument | Return] = function.func.returns or written_results(function)
    return tuple(is_differentiable(result.type) for result in results)


def _kernels(
    function: NativeFunction, derivatives: Derivatives, constant: frozenset[str]
) -> Iterator[GradientKernel]:
    name = str(function.func.name.name)
    if name in MANUAL_AUTOGRAD or name in MANUAL_BACKEND:
        return
    entries = derivatives.of(function)
    differentiated = False
    for key, entry in entries.items():
        histories = result_histories(entry)
        if entry.node is not None and any(histories):
            differentiated = differentiated or key == DEFAULT_KEY
            registered = "Autograd" if key == DEFAULT_KEY else key
            kind = KernelKind.node
            yield GradientKernel(function, kind, registered, entry.arguments, histories, entry)
    if differentiated or function.composite_implicit or function.manual_kernel_registration:
        return
    constant_results = function.root_name in constant or not any(tensor_results(function))
    if DEFAULT_KEY in entries or constant_results:
        yield from _constant(function)
    else:
        yield from _without_entry(function)


def _constant(function: NativeFunction) -> Iterator[GradientKernel]:
    """Yield the kernel of an operator whose results have no gradient, if it needs one.

    A structured kernel calls no other operator, and operators that write or make a view have the
    guard in their ADInplaceOrView kernel.
    """
    functional = function.func.kind is SchemaKind.functional and not function.is_view
    given = any(argument.type.is_tensor_like() for argument in function.func.arguments.all)
    calls_others = any(not kernel.structured for kernel in function.dispatch.values())
    if functional and given and calls_others:
        yield GradientKernel(function, KernelKind.constant, "Autograd", (), (), None)


def _without_entry(function: NativeFunction) -> Iterator[GradientKernel]:
    """Yield the kernel of an operator without a derivative: it raises, at once or in backward."""
    arguments = function.func.arguments
    histories = tensor_results(function)
    given = any(argument.type.is_tensor_like() for argument in arguments.non_out)
    if not given:
        return
    inputs = tuple(argument for argument in arguments.all if argument.type.is_tensor_like())
    out = function.func.kind in (SchemaKind.out, SchemaKind.scratch)
    kind = KernelKind.out if out else KernelKind.not_implemented
    yield GradientKernel(function, kind, "Autograd", inputs, histories, None)
