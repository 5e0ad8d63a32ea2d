"""The model: one NativeFunction per operator of native_functions.yaml, with its invariants.

Emitters learn about operators from these values only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from tools.codegen.keys import COMPOSITE_EXPLICIT, COMPOSITE_IMPLICIT, COMPOSITE_NON_FUNCTIONAL
from tools.codegen.lazy import lazy
from tools.codegen.names import OperatorName
from tools.codegen.schema import Argument, FunctionSchema, SchemaKind


@dataclass(frozen=True)
class Location:
    """The line of the YAML file that declares something."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Kernel:
    """The C++ function (or structured impl) that one dispatch key calls."""

    name: str
    structured: bool
    namespace: str = "at::native"


@dataclass(frozen=True)
class Precompute:
    """The values that a structured operator's meta computes for its impl.

    `replace` maps an argument to those that replace it; `add` follows the inputs.
    """

    replace: Mapping[str, tuple[Argument, ...]]
    add: tuple[Argument, ...]

    @property
    def elements(self) -> tuple[Argument, ...]:
        replaced = [argument for group in self.replace.values() for argument in group]
        return (*replaced, *self.add)


@dataclass(frozen=True)
class UfuncLoop:
    """One line of `ufunc_inner_loop`: the scalar function and its dtypes."""

    key: str
    name: str
    dtypes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class NativeFunction:
    """One operator overload, declared or completed (tag `generated`).

    Compared by identity: a model has one object per operator.
    """

    namespace: str
    func: FunctionSchema
    location: Location
    variants: frozenset[str]
    dispatch: Mapping[str, Kernel]
    structured: bool = False
    structured_delegate: OperatorName | None = None
    structured_inherits: str | None = None
    precomputed: Precompute | None = None
    ufunc_inner_loop: tuple[UfuncLoop, ...] = ()
    autogen: tuple[OperatorName, ...] = ()
    python_module: str | None = None
    category_override: str | None = None
    device_guard: bool = True
    device_check: bool = True
    manual_cpp_binding: bool = False
    manual_kernel_registration: bool = False
    use_const_ref_for_mutable_tensors: bool = False
    cpp_no_default_args: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    completed_from: OperatorName | None = None
    """The operator that the kernel of a generated variant calls."""
    fingerprint: str = field(default="", compare=False, repr=False)
    """Digest of the entry's content; empty for a generated variant."""

    @lazy
    def root_name(self) -> str:
        """Return the name of the operator's headers: `add` for `add_.Tensor`."""
        return self.func.name.name.base

    @lazy
    def full_name(self) -> str:
        """Return the name with its overload, as in files: `add_.Tensor`."""
        return str(self.func.name)

    @lazy
    def unambiguous(self) -> str:
        return self.func.name.unambiguous()

    @property
    def in_structured_group(self) -> bool:
        return self.structured or self.structured_delegate is not None

    @property
    def is_generated(self) -> bool:
        return "generated" in self.tags

    @property
    def composite_implicit(self) -> bool:
        return COMPOSITE_IMPLICIT in self.dispatch

    @property
    def composite_explicit(self) -> bool:
        return COMPOSITE_EXPLICIT in self.dispatch

    @property
    def composite_non_functional(self) -> bool:
        return COMPOSITE_NON_FUNCTIONAL in self.dispatch

    @property
    def is_view(self) -> bool:
        """Whether the result shares storage with an argument and nothing is written."""
        return self.func.is_view and "inplace_view" not in self.tags

    @property
    def selects_backend(self) -> bool:
        """Whether a device argument, instead of tensors, selects the backend."""
        name = str(self.func.name.name)
        like = name.endswith("_like") or name.startswith("new_")
        return self.func.arguments.options is not None and not like


@dataclass(frozen=True)
class StructuredGroup:
    """The variants that share one meta and one impl."""

    functional: NativeFunction
    out: NativeFunction
    inplace: NativeFunction | None = None
    mutable: NativeFunction | None = None

    @lazy
    def members(self) -> tuple[NativeFunction, ...]:
        optional = (self.functional, self.inplace, self.mutable, self.out)
        return tuple(function for function in optional if function is not None)

    @property
    def meta_name(self) -> str:
        """The name of the struct that holds `meta`."""
        return "structured_" + self.functional.unambiguous


@dataclass(frozen=True, eq=False)
class Operators:
    """The whole model: every operator, in the order of the file, and their groups."""

    functions: tuple[NativeFunction, ...]
    groups: tuple[StructuredGroup, ...]
    tags: tuple[str, ...]
    inputs: tuple[str, ...] = field(default=())

    @lazy
    def by_root(self) -> Mapping[str, tuple[NativeFunction, ...]]:
        """Functions that share headers, by root name, sorted."""
        roots: dict[str, list[NativeFunction]] = {}
        for function in self.functions:
            roots.setdefault(function.root_name, []).append(function)
        return {root: tuple(roots[root]) for root in sorted(roots)}

    @lazy
    def group_of(self) -> Mapping[str, StructuredGroup]:
        """Return the structured group of each member, by full name."""
        return {f.full_name: group for group in self.groups for f in group.members}

    @lazy
    def by_name(self) -> Mapping[str, NativeFunction]:
        return {function.full_name: function for function in self.functions}

    @lazy
    def ingredient(self) -> Mapping[NativeFunction, str]:
        """Return, for each operator, a text that changes if any entry of its root name does.

        Structured groups and completed variants stay within a root name, so this covers everything
        the model knows about an operator, except its line number.
        """
        ingredients: dict[NativeFunction, str] = {}
        for functions in self.by_root.values():
            texts = [f"{function.full_name} {function.fingerprint}" for function in functions]
            digest = blake2b("\n".join(texts).encode(), digest_size=12).hexdigest()
            for function in functions:
                ingredients[function] = f"{function.full_name} {digest}"
        return ingredients

    def kernel(self, function: NativeFunction, key: str) -> Kernel | None:
        """Return the kernel that `key` calls for this function; a delegate uses its out variant."""
        own = function.dispatch.get(key)
        if own is not None:
            return own
        group = self.group_of.get(function.full_name)
        if group is None:
            return None
        kernel = group.out.dispatch.get(key)
        return kernel if kernel is not None and kernel.structured else None


def is_functional(function: NativeFunction) -> bool:
    """Return whether the operator writes none of its arguments."""
    return function.func.kind is SchemaKind.functional
