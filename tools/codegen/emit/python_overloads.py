"""The overloads that share a Python name, in the order in which the parser tries them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tools.codegen.api.python import PythonParameter, PythonSignature, signature
from tools.codegen.deprecated import DeprecatedSignature
from tools.codegen.model import NativeFunction
from tools.codegen.schema import Argument

# Operators that accept a Python number where the schema has a Tensor.
NUMBERS_AS_TENSORS = frozenset(
    (
        *("add", "sub", "mul", "div", "true_divide", "floor_divide", "multiply", "divide"),
        *("subtract", "xlogy", "copy"),
    )
)


@dataclass(frozen=True)
class Overload:
    """A functional overload with the out= variant that shares its Python signature."""

    base: NativeFunction | None
    out: NativeFunction | None
    signature: PythonSignature
    hidden: bool
    values: Mapping[str, str] | None = None
    """In a deprecated signature: the value of each argument of the operators."""

    @property
    def deprecated(self) -> bool:
        return self.values is not None

    def value(self, argument: Argument) -> str:
        """Return the parameter that sets the argument, or the constant that replaces it."""
        return argument.name if self.values is None else self.values[argument.name]

    @property
    def function(self) -> NativeFunction:
        function = self.base or self.out
        assert function is not None
        return function

    def parameters(self) -> tuple[PythonParameter, ...]:
        return self.signature.parameters()

    @property
    def out_index(self) -> int:
        """The slot of out=."""
        return self.parameters().index(self.signature.out)


def group_overloads(functions: Iterable[NativeFunction], *, method: bool) -> list[Overload]:
    """Return the overloads of one name, most specific first, each with its out= variant."""
    ordered = sorted(functions, key=lambda f: str(f.func))
    outs = (
        {} if method else {signature(f).text(with_out=False): f for f in ordered if f.func.is_out}
    )
    overloads = []
    names = {str(f.func.name) for f in ordered}
    for f in ordered:
        if f.func.is_out:
            continue
        plain = signature(f, method=method)
        out = outs.pop(plain.text(with_out=False), None)
        shown = (
            plain
            if out is None
            else PythonSignature(
                plain.name, plain.positional, plain.keywords, out.func.arguments.out, plain.options
            )
        )
        name = str(f.func.name)
        hidden = (
            f.root_name in NUMBERS_AS_TENSORS
            and name.endswith(".Scalar")
            and name.replace(".Scalar", ".Tensor") in names
        )
        overloads.append(Overload(f, out, shown, hidden))
    overloads.extend(Overload(None, f, signature(f), False) for f in outs.values())
    return _sorted_by_specificity(overloads)


def deprecated_overloads(
    deprecated: Iterable[DeprecatedSignature], functions: Iterable[NativeFunction], *, method: bool
) -> list[Overload]:
    """Return the deprecated signatures of these operators, each with its out= variant."""
    names = {f.full_name for f in functions}
    known = [d for d in deprecated if d.function.full_name in names]
    outs = {d.signature().text(with_out=False): d for d in known if d.schema.is_out}
    overloads = []
    for d in known:
        if d.schema.is_out:
            continue
        shown = d.signature(method=method)
        out = None if method else outs.get(shown.text(with_out=False))
        if out is None:
            overloads.append(Overload(d.function, None, shown, False, d.values))
        else:
            values = {**out.values, **d.values}
            overloads.append(Overload(d.function, out.function, out.signature(), False, values))
    return overloads


def _could_take(one: str, other: str) -> bool:
    """Return whether `one` could accept an object that is meant for a parameter of type `other`."""
    if other in ("Tensor", "Tensor?"):
        optional = "?" if other.endswith("?") else ""
        return one == f"Scalar{optional}" or (one in ("SymInt", "int") and not optional)
    if one == "int[]":
        return other in ("int", "int?")
    return (one == "Tensor[]" and "[]" in other) or (one == "SymInt[]" and other == "int[]")


def _must_follow(one: Overload, other: Overload) -> bool:
    """Return whether `one` must be tried after `other`, as it would accept calls meant for it."""
    mine = [str(p.type) for p in one.signature.parameters(with_out=False)]
    theirs = [str(p.type) for p in other.signature.parameters(with_out=False)]
    if len(mine) != len(theirs) or mine == theirs:
        return False
    return all(a == b or _could_take(a, b) for a, b in zip(mine, theirs, strict=True))


def _sorted_by_specificity(overloads: list[Overload]) -> list[Overload]:
    """Sort overloads: first those for plain numbers, then in the order of PyTorch's parser."""
    shown = sorted((o for o in overloads if not o.hidden), key=lambda o: o.signature.text())
    waits_for = {
        i: {j for j, other in enumerate(shown) if _must_follow(one, other)}
        for i, one in enumerate(shown)
    }
    order = [i for i in waits_for if not waits_for[i]]
    for done in order:
        for i, waited in waits_for.items():
            if done in waited:
                waited.remove(done)
                if not waited:
                    order.append(i)
    return [o for o in overloads if o.hidden] + [shown[i] for i in order]
