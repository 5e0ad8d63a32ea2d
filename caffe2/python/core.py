"""Operators and nets as protocol buffers, and the operators of their gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from caffe2.python import C, caffe2_pb2
from caffe2.python.gradients import add_gradient_operators

OperatorDef: TypeAlias = Any  # messages of caffe2.proto, which have no static types
NetDef: TypeAlias = Any
Names: TypeAlias = "str | BlobReference | Sequence[str | BlobReference]"


class BlobReference:
    """The name of a blob, and the net in which it appeared."""

    def __init__(self, name: str, net: Net | None = None) -> None:
        self._name = name
        self._net = net

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f'BlobReference("{self._name}")'

    def __hash__(self) -> int:
        return hash(self._name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (str, BlobReference)) and str(other) == self._name

    def __add__(self, suffix: str) -> BlobReference:
        return BlobReference(self._name + suffix, self._net)

    @property
    def net(self) -> Net | None:
        """The net in which the blob appeared."""
        return self._net

    def __getattr__(self, type: str) -> Callable[..., Any]:
        """Return the method of the net with this blob as its first input."""
        if type.startswith("_") or self._net is None:
            raise AttributeError(type)
        method = getattr(self._net, type)

        def call(inputs: Names | None = None, *args: Any, **arguments: Any) -> Any:
            return method([self, *as_names(inputs)], *args, **arguments)

        return call


def as_names(names: Names | None) -> list[str]:
    """Return one name or several as a list of texts."""
    if names is None:
        return []
    if isinstance(names, (str, BlobReference)):
        return [str(names)]
    return [str(name) for name in names]


def IsOperator(op_type: str) -> bool:
    """Return whether there is an operator of that type."""
    return op_type in C.registered_operators()


def _argument(name: str, value: Any) -> Any:
    """Return a message Argument; a bool is the integer 0 or 1."""
    argument = caffe2_pb2.Argument(name=name)
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        argument.f = value
    elif isinstance(value, int):
        argument.i = int(value)
    elif isinstance(value, (str, bytes)):
        argument.s = _as_bytes(value)
    elif isinstance(value, caffe2_pb2.NetDef):
        argument.n.CopyFrom(value)
    elif isinstance(value, Iterable):
        _set_list(argument, name, list(value))
    else:
        raise ValueError(f"the argument {name!r} cannot be {value!r}")
    return argument


def _set_list(argument: Any, name: str, values: list[Any]) -> None:
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    if all(isinstance(value, int) for value in values):
        argument.ints.extend(map(int, values))
    elif all(isinstance(value, (int, float)) for value in values):
        argument.floats.extend(values)
    elif all(isinstance(value, (str, bytes)) for value in values):
        argument.strings.extend(map(_as_bytes, values))
    else:
        raise ValueError(f"the argument {name!r} cannot be a list of {values!r}")


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def DeviceOption(device_type: int, device_id: int = 0) -> Any:
    """Return a message DeviceOption: the type is `caffe2_pb2.PROTO_CPU` or `caffe2_pb2.PROTO_CUDA`."""
    return caffe2_pb2.DeviceOption(device_type=device_type, device_id=device_id)


def CreateOperator(
    operator_type: str,
    inputs: Names | None,
    outputs: Names | None,
    name: str = "",
    control_input: Names | None = None,
    device_option: Any = None,
    arg: Sequence[Any] | None = None,
    engine: str | None = None,
    **arguments: Any,
) -> OperatorDef:
    """Return a message OperatorDef; further keywords, except those that are None, are arguments."""
    operator = caffe2_pb2.OperatorDef(type=operator_type, name=name)
    operator.input.extend(as_names(inputs))
    operator.output.extend(as_names(outputs))
    operator.control_input.extend(as_names(control_input))
    if device_option is not None:
        operator.device_option.CopyFrom(device_option)
    if engine is not None:
        operator.engine = engine
    operator.arg.extend(arg or ())
    operator.arg.extend(
        _argument(key, value) for key, value in sorted(arguments.items()) if value is not None
    )
    return operator


class Net:
    """A list of operators. `net.Conv([x, w, b], "y", kernel=5)` adds one, for any operator type."""

    _names: ClassVar[set[str]] = set()

    def __init__(self, name_or_proto: str | NetDef) -> None:
        """Make an empty net of that name, or one with the operators of a NetDef.

        A name that another net has got gets a number.
        """
        self._net = caffe2_pb2.NetDef()
        if isinstance(name_or_proto, str):
            self._net.name = name_or_proto
        else:
            self._net.CopyFrom(name_or_proto)
        base, number = self._net.name, 0
        while self._net.name in Net._names:
            number += 1
            self._net.name = f"{base}_{number}"
        Net._names.add(self._net.name)
        self._made = 0

    def Name(self) -> str:
        """Return the name of the net."""
        return str(self._net.name)

    def Proto(self) -> NetDef:
        """Return the message NetDef; changes of it change the net."""
        return self._net

    def RunAllOnGPU(self, gpu_id: int = 0) -> None:
        """Let the operators run on a CUDA device, except those with a device option of their own."""
        self._net.device_option.CopyFrom(DeviceOption(caffe2_pb2.PROTO_CUDA, gpu_id))

    def __repr__(self) -> str:
        return f'Net("{self.Name()}", {len(self._net.op)} operators)'

    def Clone(self, name: str) -> Net:
        """Return a copy with another name."""
        copy = caffe2_pb2.NetDef()
        copy.CopyFrom(self._net)
        copy.name = name
        return Net(copy)

    def NextName(self, prefix: str | None = None) -> str:
        """Return a name that no blob of the net has."""
        while True:
            name = f"{prefix or self.Name()}/blob_{self._made}"
            self._made += 1
            if not self.UsesBlob(name):
                return name

    NextBlob = NextName

    def UsesBlob(self, blob: str | BlobReference) -> bool:
        """Return whether the net reads or writes the blob."""
        name = str(blob)
        return name in self._net.external_input or any(
            name in op.input or name in op.output for op in self._net.op
        )

    def BlobIsDefined(self, blob: str | BlobReference) -> bool:
        """Return whether the blob is an external input or an output of an operator."""
        name = str(blob)
        return name in self._net.external_input or any(name in op.output for op in self._net.op)

    def AddExternalInput(self, *names: str | BlobReference) -> Any:
        """Declare blobs that must exist before the net is created; return their references."""
        for name in map(str, names):
            if name in self._net.external_input:
                raise ValueError(f"the net {self.Name()} has the external input {name!r} already")
            self._net.external_input.append(name)
        return _references(self, list(map(str, names)))

    def AddExternalOutput(self, *names: str | BlobReference) -> None:
        """Declare results. They must be defined already."""
        for name in map(str, names):
            if not self.BlobIsDefined(name):
                raise ValueError(f"the net {self.Name()} has no blob {name!r}")
            self._net.external_output.append(name)

    def AddGradientOperators(
        self,
        ys: Sequence[str | BlobReference] | Mapping[str | BlobReference, str | BlobReference],
        skip: int = 0,
    ) -> dict[str, BlobReference]:
        """Add the operators of the gradients; return the gradient of each blob, by its name.

        `ys` are the blobs to differentiate, whose own gradients are ones; a mapping names other
        gradients for them. The first `skip` operators are left out.
        """
        given = {str(y): str(g) for y, g in ys.items()} if isinstance(ys, Mapping) else None
        gradients = add_gradient_operators(
            self._net, given if given is not None else list(map(str, ys)), skip
        )
        return {name: BlobReference(gradient, self) for name, gradient in gradients.items()}

    def __getattr__(self, op_type: str) -> Callable[..., Any]:
        """Return a function that adds an operator of that type and returns its outputs.

        The function takes inputs, outputs (names, how many, or None for one) and arguments.
        """
        if op_type.startswith("_"):
            raise AttributeError(op_type)
        if not IsOperator(op_type):
            raise AttributeError(f'there is no operator "{op_type}"{C.suggestion(op_type)}')

        def add(
            inputs: Names | None = None, outputs: Names | int | None = None, **arguments: Any
        ) -> Any:
            count = 1 if outputs is None else outputs
            names = (
                [self.NextName() for _ in range(count)]
                if isinstance(count, int)
                else as_names(count)
            )
            operator = CreateOperator(op_type, inputs, names, **arguments)
            C.check_operator(operator.SerializeToString())
            self._net.op.add().CopyFrom(operator)
            return _references(self, names)

        return add


def _references(net: Net, names: list[str]) -> Any:
    """Return the reference of one blob, or a tuple of them."""
    found = tuple(BlobReference(name, net) for name in names)
    return found[0] if len(found) == 1 else found
