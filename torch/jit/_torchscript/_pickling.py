"""Pickles of TorchScript: protocol 2, with the types of lists and dicts, as PyTorch's reader wants them."""

from __future__ import annotations

import enum
import pickle
import struct
from typing import Any

import torch
from torch._utils import get_tensor_metadata
from torch.jit._torchscript._types import ScriptType, type_of_node, type_of_value
from torch.serialization import location_tag
from torch.storage import LEGACY_STORAGES, UntypedStorage

_SPECIAL_LISTS = {
    "int": "build_intlist",
    "float": "build_doublelist",
    "bool": "build_boollist",
    "Tensor": "build_tensorlist",
}
_ENUMERATED = {"Optional", "Union", "Any", "Final"}


class ScriptPickler:
    """Writes one value, and collects the storages of its tensors.

    Python's own pickler cannot be used: it refuses names of classes that it cannot import.
    """

    def __init__(self) -> None:
        self._out = bytearray(pickle.PROTO + b"\x02")
        self._objects: dict[int, int] = {}
        self._keys: dict[int, int] = {}
        self.storages: list[UntypedStorage] = []

    def dump(self, value: Any, kind: ScriptType | None = None) -> bytes:
        """Return the pickle of a value of a type, by default that of the value.

        Raises:
            TypeError: If TorchScript has no type for the value.
        """
        self._value(value, kind or type_of_value(value))
        return bytes(self._out + pickle.STOP)

    # ---- opcodes
    def _text(self, value: str) -> None:
        data = value.encode()
        self._out += pickle.BINUNICODE + struct.pack("<I", len(data)) + data

    def _number(self, value: int) -> None:
        if 0 <= value < 256:
            self._out += pickle.BININT1 + struct.pack("<B", value)
        elif -(2**31) <= value < 2**31:
            self._out += pickle.BININT + struct.pack("<i", value)
        else:
            self._out += pickle.LONG1 + b"\x08" + struct.pack("<q", value)

    def _global(self, module: str, name: str) -> None:
        self._out += pickle.GLOBAL + f"{module}\n{name}\n".encode()

    def _tuple(self, values: tuple[Any, ...], kinds: tuple[ScriptType, ...]) -> None:
        self._out += pickle.MARK
        for value, kind in zip(values, kinds, strict=True):
            self._value(value, kind)
        self._out += pickle.TUPLE

    def _integers(self, values: Any) -> None:
        self._out += pickle.MARK
        for value in values:
            self._number(value)
        self._out += pickle.TUPLE

    # ---- values
    def _value(self, value: Any, kind: ScriptType) -> None:
        if kind.name in _ENUMERATED:
            optional = kind.name == "Optional" and value is not None
            kind = kind.parameters[0] if optional or kind.name == "Final" else type_of_value(value)
        if hasattr(value, "_script_class"):
            self._object(value)
        elif value is None or isinstance(value, bool):
            self._out += {None: pickle.NONE, True: pickle.NEWTRUE, False: pickle.NEWFALSE}[value]
        elif isinstance(value, torch.Tensor):
            self._tensor(value)
        elif isinstance(value, enum.Enum):
            self._call(*_split(kind.name), (value.value,))
        elif isinstance(value, torch.device):
            self._call("torch", "device", (str(value),))
        elif isinstance(value, complex):
            self._call("builtins", "complex", (value.real, value.imag))
        elif isinstance(value, (int, float)):
            self._scalar(value, kind)
        elif isinstance(value, str):
            self._text(value)
        elif isinstance(value, tuple):
            kinds = kind.parameters if kind.name == "Tuple" else tuple(map(type_of_value, value))
            self._tuple(value, kinds)
        elif isinstance(value, list):
            self._list(value, kind)
        elif isinstance(value, dict):
            self._dict(value, kind)
        else:
            raise TypeError(f"a TorchScript archive cannot hold a {type(value).__name__}")

    def _scalar(self, value: float, kind: ScriptType) -> None:
        if isinstance(value, float) or kind.name == "float":
            self._out += pickle.BINFLOAT + struct.pack(">d", value)
        else:
            self._number(int(value))

    def _call(self, module: str, name: str, arguments: tuple[Any, ...]) -> None:
        self._global(module, name)
        self._tuple(arguments, tuple(map(type_of_value, arguments)))
        self._out += pickle.REDUCE

    def _list(self, values: list[Any], kind: ScriptType) -> None:
        (element,) = kind.parameters
        special = _SPECIAL_LISTS.get(str(element))
        self._global("torch.jit._pickle", special or "restore_type_tag")
        self._out += (pickle.MARK if special else b"") + pickle.EMPTY_LIST + pickle.MARK
        for value in values:
            self._value(value, element)
        self._out += pickle.APPENDS
        self._end_of_tagged(None if special else kind)

    def _dict(self, values: dict[Any, Any], kind: ScriptType) -> None:
        key_kind, item_kind = kind.parameters
        self._global("torch.jit._pickle", "restore_type_tag")
        self._out += pickle.EMPTY_DICT + pickle.MARK
        for key, item in values.items():
            self._value(key, key_kind)
            self._value(item, item_kind)
        self._out += pickle.SETITEMS
        self._end_of_tagged(kind)

    def _end_of_tagged(self, kind: ScriptType | None) -> None:
        """End a container: with its type, or without one in the tuple that was begun."""
        if kind is None:
            self._out += pickle.TUPLE
        else:
            self._text(str(kind))
            self._out += pickle.TUPLE2
        self._out += pickle.REDUCE

    def _tensor(self, tensor: torch.Tensor) -> None:
        if tensor.layout != torch.strided or tensor.dtype not in LEGACY_STORAGES:
            raise TypeError(
                f"a TorchScript archive cannot hold a tensor of {tensor.layout} and {tensor.dtype}"
            )
        storage = tensor.detach().untyped_storage()
        key = self._keys.setdefault(storage._cdata, len(self.storages))
        if key == len(self.storages):
            self.storages.append(storage)
        self._global("torch._utils", "_rebuild_tensor_v2")
        self._out += pickle.MARK + pickle.MARK
        self._text("storage")
        self._global("torch", LEGACY_STORAGES[tensor.dtype].__name__)
        self._text(str(key))
        self._text(location_tag(storage))
        self._number(storage.nbytes() // tensor.dtype.itemsize)
        self._out += pickle.TUPLE + pickle.BINPERSID
        self._number(tensor.storage_offset())
        self._integers(tensor.shape)
        self._integers(tensor.stride())
        self._out += pickle.NEWTRUE if tensor.requires_grad else pickle.NEWFALSE
        self._global("collections", "OrderedDict")
        self._out += pickle.EMPTY_TUPLE + pickle.REDUCE
        if metadata := get_tensor_metadata(tensor):
            self._out += pickle.EMPTY_DICT + pickle.MARK
            for name in metadata:
                self._text(name)
                self._out += pickle.NEWTRUE
            self._out += pickle.SETITEMS
        self._out += pickle.TUPLE + pickle.REDUCE

    def _object(self, value: Any) -> None:
        """Write an object of a class of the program; the second time, a reference to the first."""
        known = self._objects.get(id(value))
        if known is not None:
            self._out += pickle.LONG_BINGET + struct.pack("<I", known)
            return
        script_class = value._script_class
        self._global(*_split(script_class.name))
        self._out += pickle.EMPTY_TUPLE + pickle.NEWOBJ
        if "__getstate__" in script_class.definitions:
            returned = type_of_node(script_class.definitions["__getstate__"].returns)
            self._value(script_class.method("__getstate__")(value), returned)
        else:
            self._attributes(value)
        self._objects[id(value)] = number = len(self._objects)
        self._out += pickle.BUILD + pickle.LONG_BINPUT + struct.pack("<I", number)

    def _attributes(self, value: Any) -> None:
        script_class = value._script_class
        self._out += pickle.EMPTY_DICT + pickle.MARK
        for name, kind in script_class.types.items():
            if name not in script_class.constants:
                self._text(name)
                self._value(getattr(value, name), kind)
        self._out += pickle.SETITEMS


def _split(name: str) -> tuple[str, str]:
    module, _, last = name.rpartition(".")
    return module, last
