"""The functions of at::legacy::th: what a caller passes, and the call of the C function."""

from __future__ import annotations

from dataclasses import dataclass, field

_CPP_TYPES = {
    "Tensor": "const Tensor&",
    "LongTensor": "const Tensor&",
    "Tensor?": "const Tensor&",
    "Scalar": "const Scalar&",
    "IntArrayRef": "IntArrayRef",
    "int64_t": "int64_t",
    "bool": "bool",
}


@dataclass(frozen=True)
class Parameter:
    """An argument of a function: its type in nn.yaml, its name, and its default value."""

    type: str
    name: str
    default: str | None = None
    length: int = 0
    """The number of elements of an IntArrayRef; 0 for other types."""

    @property
    def declaration(self) -> str:
        """The argument in C++, without its default value."""
        return f"{_CPP_TYPES[self.type]} {self.name}"

    @property
    def default_text(self) -> str:
        """The default value in C++, with its equals sign; empty if there is none."""
        if self.default is None:
            return ""
        named = {"Mean": "at::Reduction::Mean", "Sum": "at::Reduction::Sum"}
        return f"={named.get(self.default, self.default)}"


@dataclass(frozen=True)
class Result:
    """A tensor that the C function resizes and fills."""

    name: str
    is_index: bool = False
    """Whether it has 64-bit integers, whatever the type of the inputs."""
    scalar_check: str = "false"
    """A C++ condition: whether the result loses its dimensions."""


@dataclass(frozen=True)
class LegacyFunction:
    """One function of at::legacy::th, and its variant that takes the results as arguments."""

    name: str
    results: tuple[Result, ...]
    parameters: tuple[Parameter, ...]
    cname: str
    """The C function with `{type}` in place of the element type."""
    call: tuple[str, ...]
    """The arguments of the call, as C++ expressions."""
    checks: tuple[str, ...] = ()
    """Statements before the call."""
    types: frozenset[str] = field(default=frozenset(("Float", "Double")))

    @property
    def out_name(self) -> str:
        return f"{self.name}_out"

    @property
    def dispatched(self) -> str:
        """The tensor whose type chooses the dispatcher."""
        return next(p.name for p in self.parameters if p.type == "Tensor")

    @property
    def out_return(self) -> str:
        return _tuple("Tensor&", len(self.results))

    @property
    def value_return(self) -> str:
        return _tuple("Tensor", len(self.results))

    def arguments(self, *, out: bool, defaults: bool = False) -> str:
        """Return the list of arguments of a declaration."""
        results = [f"Tensor& {result.name}" for result in self.results] if out else []
        texts = [p.declaration + (p.default_text if defaults else "") for p in self.parameters]
        return ", ".join(results + texts)

    @property
    def names(self) -> str:
        """The arguments of a call of the out variant."""
        return ", ".join([*(r.name for r in self.results), *(p.name for p in self.parameters)])


def _tuple(kind: str, count: int) -> str:
    return kind if count == 1 else f"std::tuple<{', '.join([kind] * count)}>"
