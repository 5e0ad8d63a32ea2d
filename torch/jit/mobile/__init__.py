"""Mobile archives: a module's state and a program for each of its methods, in one FlatBuffer.

The files are those of PyTorch's lite interpreter (`_save_for_lite_interpreter(...,
_use_flatbuffer=True)`). They need a build with USE_FLATBUFFERS=ON.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

import torch
from torch.jit.mobile import _archive
from torch.jit.mobile._interpreter import Method
from torch.jit.mobile._recording import record
from torch.jit.mobile._values import MobileObject, Values, damaged, item
from torch.jit.mobile._writing import Writer, mobile_object
from torch.storage import UntypedStorage

__all__ = ["LiteScriptModule"]

File = str | os.PathLike[str] | IO[bytes]


class LiteScriptModule:
    """A module of a mobile archive: its state, and methods that an interpreter runs.

    `LiteScriptModule.of` makes one from a torch.nn.Module; `_load_for_lite_interpreter` reads one.

    Example:
        >>> module = torch.jit.mobile.LiteScriptModule.of(nn.ReLU(), (torch.ones(2),))
        ... # doctest: +SKIP
        >>> torch._C._save_mobile_module(module, "relu.ptl")  # doctest: +SKIP
        >>> loaded = torch.jit.mobile._load_for_lite_interpreter("relu.ptl")  # doctest: +SKIP
        >>> loaded(torch.tensor([-1.0, 2.0]))  # doctest: +SKIP
        tensor([0., 2.])
    """

    def __init__(self, archive: _archive.Archive, buffer: Any, place: Any = None) -> None:
        self._archive = archive
        self._values = values = Values(archive, buffer, place or (lambda storage: storage))
        try:
            state = values[archive.state]
            functions = [_function(archive, number) for number in archive.methods]
        except RecursionError:
            raise damaged("its values are nested too deeply") from None
        if not isinstance(state, MobileObject):
            raise damaged("its state is not an object")
        self._state = state
        methods = (Method.of(parts, values, archive.operator_version) for parts in functions)
        self._methods = {method.name: method for method in methods}

    @staticmethod
    def of(
        module: torch.nn.Module,
        example_inputs: Sequence[torch.Tensor] | None = None,
        extra_files: Mapping[str, str | bytes] | None = None,
    ) -> LiteScriptModule:
        """Return the mobile form of a module.

        Args:
            module: Its parameters, buffers, modules below it, and attributes that are numbers,
                texts, or lists, tuples and dicts of these become the state; other attributes do
                not.
            example_inputs: Tensors to call `forward` with. The operators that this call makes
                become the method `forward`. Without them, the module only has state.
            extra_files: Further files for the archive, by name.

        Raises:
            TypeError: If the module has a tensor that archives cannot hold, or if an input or a
                result of `forward` is not made of tensors.

        Example:
            >>> mobile = torch.jit.mobile.LiteScriptModule.of(nn.ReLU(), (torch.ones(2),))
            ... # doctest: +SKIP
            >>> mobile(torch.tensor([-1.0, 2.0]))  # doctest: +SKIP
            tensor([0., 2.])
        """
        writer = Writer()
        state = mobile_object(module)
        number = writer.add(state)
        if example_inputs is not None:
            record(writer, state, module, example_inputs)
        files = [(name, _bytes(content)) for name, content in (extra_files or {}).items()]
        data = bytearray(_archive.serialize(writer.archive(number, files)))
        return LiteScriptModule(_archive.parse(data), data)

    def __call__(self, *inputs: Any) -> Any:
        """Run the method `forward`."""
        return self.run_method("forward", *inputs)

    def forward(self, *inputs: Any) -> Any:
        """Run the method `forward`."""
        return self.run_method("forward", *inputs)

    def find_method(self, method_name: str) -> bool:
        """Return whether the module has a method of this name."""
        return method_name in self._methods

    def run_method(self, method_name: str, *inputs: Any) -> Any:
        """Run a method.

        Raises:
            RuntimeError: If there is no such method.
        """
        if method_name not in self._methods:
            raise RuntimeError(f"Method '{method_name}' is not defined.")
        return self._methods[method_name].run(self._state, inputs)

    def state_dict(self) -> OrderedDict[str, torch.Tensor]:
        """Return the tensors of the module and of those below it, by dotted name."""
        return self._state.state_dict()

    def _serialized(self, extra_files: Mapping[str, bytes]) -> bytes:
        """Return the module as an archive, with the current values of its tensors."""
        files = [*{**self.extra_files, **extra_files}.items()]
        storages = self._values.storages()
        return _archive.serialize(replace(self._archive, extra_files=files, storages=storages))

    @property
    def attributes(self) -> MobileObject:
        """The module's state, whose attributes have the names that they had in Python."""
        return self._state

    @property
    def extra_files(self) -> dict[str, bytes]:
        """The further files of the archive, by name."""
        return dict(self._archive.extra_files)


def _function(archive: _archive.Archive, number: int) -> tuple[Any, ...]:
    """Return the parts of a function."""
    raw = item(archive.values, number, "method")
    if not isinstance(raw, tuple) or raw[0] != "Function":
        raise damaged(f"value {number} is not a method")
    return raw[1:]


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _load_for_lite_interpreter(f: File, map_location: Any = None) -> LiteScriptModule:
    """Read a module of a mobile archive.

    Args:
        f: A path, whose file is mapped into memory so that nothing is copied, or an open file.
        map_location: The device to move the tensors to.

    Raises:
        ValueError: If there is no such file.
        RuntimeError: If the file is not a mobile archive, or a damaged one.
        NotImplementedError: If a method needs an operator that this build lacks.
    """
    place: Callable[[UntypedStorage], UntypedStorage] | None = None
    if map_location is not None:
        device = torch.device(map_location)

        def place(storage: UntypedStorage) -> UntypedStorage:
            return storage if device.type == "cpu" else storage.to(device=device)

    buffer = _archive.read_buffer(f)
    return LiteScriptModule(_archive.parse(buffer), buffer, place)


def _get_model_bytecode_version(f_input: File) -> int:
    """Return the version of the instructions of an archive."""
    return _archive.parse(_archive.read_buffer(f_input)).bytecode_version


def _export_operator_list(module: LiteScriptModule) -> set[str]:
    """Return the names of the operators that the methods of a module call."""
    return {name for method in module._methods.values() for name in method.operator_names}
