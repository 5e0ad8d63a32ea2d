"""Function schemas: arguments, returns, alias annotations. `str(parse_schema(s)) == s`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from tools.codegen.lazy import lazy
from tools.codegen.names import OperatorName
from tools.codegen.types import ListType, Type


@dataclass(frozen=True)
class Annotation:
    """The aliases of an argument: `a`, `a!` (written), `a|b`, `a -> *` (any element of a list)."""

    before: tuple[str, ...]
    is_write: bool
    after: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = "|".join(self.before) + ("!" if self.is_write else "")
        return f"{text} -> {'|'.join(self.after)}" if self.after else text


def _annotated(type: Type, annotation: Annotation | None) -> str:
    if annotation is None:
        return str(type)
    return str(type).replace("Tensor", f"Tensor({annotation})", 1)


@dataclass(frozen=True)
class Argument:
    """One argument of a schema."""

    name: str
    type: Type
    default: str | None
    annotation: Annotation | None

    @property
    def is_write(self) -> bool:
        return self.annotation is not None and self.annotation.is_write

    def __str__(self) -> str:
        text = f"{_annotated(self.type, self.annotation)} {self.name}"
        return text if self.default is None else f"{text}={self.default}"


@dataclass(frozen=True)
class Return:
    """One result of a schema."""

    name: str | None
    type: Type
    annotation: Annotation | None

    @property
    def is_write(self) -> bool:
        return self.annotation is not None and self.annotation.is_write

    def __str__(self) -> str:
        text = _annotated(self.type, self.annotation)
        return text if self.name is None else f"{text} {self.name}"


@dataclass(frozen=True)
class TensorOptionsArguments:
    """The arguments dtype, layout, device and pin_memory, one TensorOptions in C++."""

    dtype: Argument
    layout: Argument
    device: Argument
    pin_memory: Argument

    def all(self) -> tuple[Argument, ...]:
        return (self.dtype, self.layout, self.device, self.pin_memory)


@dataclass(frozen=True)
class Arguments:
    """Arguments by role; the order of the fields is the order of the schema."""

    pre_self: tuple[Argument, ...]
    self_arg: Argument | None
    post_self: tuple[Argument, ...]
    pre_options: tuple[Argument, ...]
    options: TensorOptionsArguments | None
    post_options: tuple[Argument, ...]
    out: tuple[Argument, ...]

    @lazy
    def positional(self) -> tuple[Argument, ...]:
        self_args = () if self.self_arg is None else (self.self_arg,)
        return self.pre_self + self_args + self.post_self

    @lazy
    def kwarg_only(self) -> tuple[Argument, ...]:
        """Keyword-only arguments, without out arguments."""
        options = () if self.options is None else self.options.all()
        return self.pre_options + options + self.post_options

    @lazy
    def non_out(self) -> tuple[Argument, ...]:
        return self.positional + self.kwarg_only

    @lazy
    def all(self) -> tuple[Argument, ...]:
        return self.non_out + self.out

    @lazy
    def mutable(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.all if argument.is_write)

    def __str__(self) -> str:
        parts = [str(argument) for argument in self.positional]
        keywords = self.kwarg_only + self.out
        if keywords:
            parts.append("*")
            parts.extend(str(argument) for argument in keywords)
        return ", ".join(parts)


class SchemaKind(Enum):
    """The role of an operator among its variants."""

    functional = auto()
    inplace = auto()
    out = auto()
    mutable = auto()
    scratch = auto()


@dataclass(frozen=True)
class FunctionSchema:
    """A parsed schema: name, arguments and results."""

    name: OperatorName
    arguments: Arguments
    returns: tuple[Return, ...]

    @lazy
    def kind(self) -> SchemaKind:
        out = self.arguments.out
        if self.name.name.inplace:
            return SchemaKind.inplace
        if any(argument.name.startswith("_scratch_") for argument in out):
            return SchemaKind.scratch
        if out:
            return SchemaKind.out
        return SchemaKind.mutable if self.arguments.mutable else SchemaKind.functional

    @property
    def is_out(self) -> bool:
        return bool(self.arguments.out)

    @property
    def has_symint(self) -> bool:
        return any(str(argument.type.base()) == "SymInt" for argument in self.arguments.all)

    @lazy
    def is_view(self) -> bool:
        """Return whether a result aliases an argument that is not written."""
        return any(
            result.annotation is not None and not result.annotation.is_write
            for result in self.returns
        )

    @lazy
    def text(self) -> str:
        returns = ", ".join(map(str, self.returns))
        if len(self.returns) != 1:
            returns = f"({returns})"
        return f"{self.name}({self.arguments}) -> {returns}"

    def __str__(self) -> str:
        return self.text

    def signature(self, *, keep_return_names: bool = False) -> FunctionSchema:
        """Return the signature that the variants of one operator share.

        Out arguments, annotations and the in-place mark are removed; written arguments become
        results.
        """
        return self._make_signature(True) if keep_return_names else self._signature

    @lazy
    def _signature(self) -> FunctionSchema:
        return self._make_signature(False)

    def _make_signature(self, keep_return_names: bool) -> FunctionSchema:
        arguments = self.arguments
        written = [
            Return(f"{argument.name}_out" if keep_return_names else None, argument.type, None)
            for argument in (
                (() if arguments.self_arg is None else (arguments.self_arg,))
                + arguments.out
                + arguments.post_self
            )
            if argument.is_write
            and not any(argument.annotation == result.annotation for result in self.returns)
        ]
        kept = [
            Return(result.name if keep_return_names else None, result.type, None)
            for result in self.returns
        ]
        name = replace(self.name.name, inplace=False, functional_overload=False)
        return FunctionSchema(OperatorName(name, ""), without_out(arguments), (*kept, *written))


def _plain(argument: Argument) -> Argument:
    return argument if argument.annotation is None else replace(argument, annotation=None)


def without_out(arguments: Arguments) -> Arguments:
    """Return the arguments that functional, in-place and out variants share."""
    return Arguments(
        pre_self=tuple(map(_plain, arguments.pre_self)),
        self_arg=None if arguments.self_arg is None else _plain(arguments.self_arg),
        post_self=tuple(map(_plain, arguments.post_self)),
        pre_options=tuple(map(_plain, arguments.pre_options)),
        options=None,
        post_options=tuple(map(_plain, arguments.post_options)),
        out=(),
    )


def is_tensor_list(type: Type) -> bool:
    """Return whether the type is `Tensor[]`; `Tensor?[]` is not."""
    return isinstance(type, ListType) and str(type.elem) == "Tensor"
