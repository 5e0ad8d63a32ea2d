"""How a Node stores a value between forward and backward: its field and the statements on it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from tools.autograd.lowering import lowered_formula, lowered_type
from tools.autograd.model import Differentiability, SavedAttribute

_TENSORS = frozenset(["at::Tensor", "::std::optional<at::Tensor>"])
_TENSOR_LISTS = frozenset(["at::TensorList", "::std::vector<at::Tensor>", "at::ITensorListRef"])
_OPTIONAL_TENSOR_LISTS = frozenset(["c10::List<::std::optional<at::Tensor>>"])


_CLONE = re.compile(r"(\w+)\.clone\(\)")
"""The expression that saves an argument which the call overwrites."""


class Holder(Enum):
    """The kind of a field."""

    tensor = auto()
    tensor_list = auto()
    optional_tensor_list = auto()
    plain = auto()


@dataclass(frozen=True)
class Field:
    """One saved value as a member of its Node."""

    attribute: SavedAttribute
    is_output: bool

    @property
    def holder(self) -> Holder:
        type = lowered_type(self.attribute.type)
        if type in _TENSORS:
            return Holder.tensor
        if type in _TENSOR_LISTS:
            return Holder.tensor_list
        return Holder.optional_tensor_list if type in _OPTIONAL_TENSOR_LISTS else Holder.plain

    @property
    def holds_variables(self) -> bool:
        return self.holder is not Holder.plain

    @property
    def member(self) -> str:
        """The member's name: the name in formulas, except that variables are unpacked into it."""
        return f"{self.attribute.name}_" if self.holds_variables else self.attribute.name

    @property
    def declaration(self) -> str:
        match self.holder:
            case Holder.tensor:
                return f"SavedVariable {self.member};"
            case Holder.plain:
                return f"{owned_type(self.attribute.type)} {self.member}{{}};"
            case _:
                return f"std::vector<SavedVariable> {self.member};"

    @property
    def release(self) -> str:
        """The statement that releases the variables."""
        if self.holder is Holder.tensor:
            return f"{self.member}.reset_data();"
        return f"release_list({self.member});"

    @property
    def unpack(self) -> str:
        """The statement that defines the variables for formulas; outputs need their Node."""
        name = self.attribute.name
        if self.holder is Holder.tensor:
            return f"const auto {name} = {self.member}.unpack({'this' if self.is_output else ''});"
        list_kind = "list" if self.holder is Holder.tensor_list else "opt_list"
        arguments = f"{self.member}, getptr()" if self.is_output else self.member
        return f"const auto {name} = unpack_{list_kind}({arguments});"

    def save(self, *, inplace: bool = False) -> str:
        """Return the statement of the forward call; set `inplace` for outputs it overwrites."""
        expression = lowered_formula(self.attribute.expression)
        if self.holder is Holder.plain:
            return f"grad_fn->{self.member} = {owned(self.attribute.type, expression)};"
        output = "true" if self.is_output else "false"
        copied = _CLONE.fullmatch(expression)
        if copied:
            expression = f"cloned({copied[1]})"
        if self.holder is not Holder.tensor:
            return f"grad_fn->{self.member} = make_saved_variable_list({expression}, {output});"
        view = f", {expression}.is_view()" if inplace else ""
        return f"grad_fn->{self.member} = SavedVariable({expression}, {output}{view});"


def fields(entry: Differentiability) -> tuple[Field, ...]:
    """Return all fields of an entry's Node: first inputs, then outputs."""
    inputs = [Field(attribute, False) for attribute in entry.saved_inputs]
    return (*inputs, *(Field(attribute, True) for attribute in entry.saved_outputs))


_OWNED = {
    "at::IntArrayRef": "at::DimVector",
    "at::OptionalIntArrayRef": "::std::optional<std::vector<int64_t>>",
    "::std::optional<at::IntArrayRef>": "::std::optional<std::vector<int64_t>>",
    "c10::string_view": "std::string",
    "::std::optional<c10::string_view>": "::std::optional<std::string>",
    "at::DimnameList": "std::vector<at::Dimname>",
    "::std::optional<at::DimnameList>": "::std::optional<std::vector<at::Dimname>>",
}


def is_borrowed(type: str) -> bool:
    """Return whether a value of this type refers to memory that the caller owns."""
    plain = lowered_type(type)
    return plain in _OWNED or "at::ArrayRef<" in plain


def owned_type(type: str) -> str:
    """Return the type that holds such a value after the call."""
    plain = lowered_type(type)
    return _OWNED.get(plain) or plain.replace("at::ArrayRef<", "std::vector<")


def owned(type: str, expression: str) -> str:
    """Return the expression, copied if it is borrowed."""
    return f"owned({expression})" if is_borrowed(type) else expression
