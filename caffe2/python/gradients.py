"""Add the operators that compute gradients to a NetDef.

Operators are visited backwards. Each gets the gradients of its outputs, and a maker of its type gives
the operators that compute those of its inputs. Gradients of a blob that several operators read are
summed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from caffe2.python import C, caffe2_pb2

_Value = tuple[str, int]
"""A blob, and how many operators had written it; an operator may overwrite its input."""


def get_gradient_defs(operator: Any, g_output: Sequence[str]) -> tuple[list[Any], list[str]]:
    """Return the operators of the gradient, and the names of the inputs' gradients ("" for none)."""
    serialized, g_input = C.get_gradient_defs(operator.SerializeToString(), list(g_output))
    return [caffe2_pb2.OperatorDef.FromString(each) for each in serialized], g_input


class _Backward:
    """One pass over the operators of a net."""

    def __init__(self, net: Any, skip: int) -> None:
        self.net = net
        self.operators = list(net.op)[skip:]
        self.versions: dict[str, int] = {}
        self.reads: list[list[_Value]] = []
        self.writes: list[list[_Value]] = []
        for operator in self.operators:
            self.reads.append([self.now(name) for name in operator.input])
            for name in operator.output:
                self.versions[name] = self.versions.get(name, 0) + 1
            self.writes.append([self.now(name) for name in operator.output])
        self.parts: dict[_Value, list[str]] = {}
        """The gradients of a value, one by each operator that read it."""
        self.sums: dict[_Value, str] = {}
        self.taken = {name for op in net.op for name in (*op.input, *op.output)}

    def now(self, name: str) -> _Value:
        """Return the current value of a blob."""
        return name, self.versions.get(name, 0)

    def unused(self, name: str) -> str:
        """Return the name, or one with a number if it is taken."""
        candidate, number = name, 0
        while candidate in self.taken:
            number += 1
            candidate = f"{name}_{number}"
        self.taken.add(candidate)
        return candidate

    def gradient(self, value: _Value) -> str:
        """Return the gradient of a value, the sum of its parts; "" if there is none."""
        parts = self.parts.get(value, [])
        if value not in self.sums and len(parts) > 1:
            total = self.unused(f"{value[0]}_grad_sum")
            self.net.op.add(type="Sum", input=parts, output=[total], is_gradient_op=True)
            self.place_like_writer(self.net.op[-1], value[0])
            self.sums[value] = total
        return self.sums.get(value, parts[0] if parts else "")

    def place_like_writer(self, operator: Any, blob: str) -> None:
        """Let an operator run on the device of the one that writes the blob."""
        for writer in self.operators:
            if blob in writer.output and writer.HasField("device_option"):
                operator.device_option.CopyFrom(writer.device_option)

    def step(self, index: int) -> None:
        """Add the gradient of one operator, if a gradient reaches its outputs."""
        operator = self.operators[index]
        given = [self.gradient(value) for value in self.writes[index]]
        if not any(given):
            return
        added, g_input = get_gradient_defs(operator, given)
        renamed: dict[str, str] = {}  # what these operators write, by the name that the maker chose
        read = dict(zip(operator.input, self.reads[index], strict=True))
        read.update(zip(operator.output, self.writes[index], strict=True))
        for gradient in added:
            for name in gradient.input:
                if name in read and read[name] != self.now(name):
                    raise RuntimeError(
                        f"the gradient of operator {index} ({operator.type}) needs the blob "
                        f"{name!r} as it was then, but a later operator overwrites it"
                    )
            copy = self.net.op.add()
            copy.CopyFrom(gradient)
            copy.input[:] = [renamed.get(name, name) for name in gradient.input]
            for name in filter(None, gradient.output):
                renamed.setdefault(name, self.unused(name))
            copy.output[:] = [renamed.get(name, name) for name in gradient.output]
        for value, name in zip(self.reads[index], g_input, strict=True):
            if name:
                self.parts.setdefault(value, []).append(renamed.get(name, name))


def add_gradient_operators(
    net: Any, ys: Sequence[str] | Mapping[str, str], skip: int = 0
) -> dict[str, str]:
    """Add the gradient operators of `ys` to a NetDef; return the names of the gradients by blob.

    Raises:
        ValueError: If the net has no such blob.
        RuntimeError: If an operator on the way has no gradient, or a value that its gradient needs
            is overwritten.
    """
    backward = _Backward(net, skip)
    known = {value for values in (*backward.reads, *backward.writes) for value in values}
    for y in ys:
        if backward.now(y) not in known:
            raise ValueError(f"the net {net.name} has no blob {y!r} to differentiate")
        if isinstance(ys, Mapping):
            seed = ys[y]
        else:
            seed = backward.unused(f"{y}_autogen_grad")
            one = caffe2_pb2.Argument(name="value", f=1.0)
            net.op.add(type="ConstantFill", input=[y], output=[seed], arg=[one])
            net.op[-1].is_gradient_op = True
            backward.place_like_writer(net.op[-1], y)
        backward.parts.setdefault(backward.now(y), []).append(seed)
    for index in reversed(range(len(backward.operators))):
        backward.step(index)
    found: dict[str, str] = {}
    for value in sorted(backward.parts):  # the first value of each blob: that of an external input
        if value[0] not in found:
            found[value[0]] = backward.gradient(value)
    return found
