"""Make the module of a trace: a program with classes for the modules that were traced, and their state."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch.jit._graph._lowering import TraceFacts
from torch.jit._torchscript._objects import RecursiveScriptModule, TopLevelTracedModule
from torch.jit._torchscript._program import Program
from torch.jit._torchscript._statements import Statements
from torch.jit._torchscript._tracing import TracingMode
from torch.jit._torchscript._types import ScriptType, type_of_value
from torch.jit._tracing_state import recording
from torch.nn.modules.module import Module


def record_module(
    module: Module, calls: Mapping[str, tuple[Callable[..., Any], tuple[Any, ...]]]
) -> TopLevelTracedModule:
    """Return a module whose methods are recorded calls.

    Args:
        module: The module whose parameters and buffers the calls may use; they are shared.
        calls: For each method, what to call and its example arguments.
    """
    constants: list[torch.Tensor] = []
    classes = _Classes()
    classes.add(module)
    attributes = {id(tensor): text for tensor, text in tensor_attributes(module)}
    facts: dict[str, TraceFacts] = {}
    version = 3
    for name, (function, inputs) in calls.items():
        statements = Statements(constants, attributes)
        call = record_call(function, inputs, statements)
        class_name = classes.name(module)
        classes.add_method(module, _method(name, call, inputs, statements.lines, class_name))
        facts[f"{class_name}.{name}"] = statements.facts
        version = max(version, statements.version)
    program = Program(classes.sources(), [c.detach() for c in constants], version, facts)
    made: dict[int, RecursiveScriptModule] = {}
    root = _instance(module, program, classes, made, TopLevelTracedModule)
    assert isinstance(root, TopLevelTracedModule)
    return root


class RecordedCall(NamedTuple):
    """A call whose operators are statements: its arguments, and the expression of its result."""

    parameters: list[str]
    returned: str
    kind: ScriptType
    result: Any


def record_call(
    function: Callable[..., Any], inputs: tuple[Any, ...], statements: Statements
) -> RecordedCall:
    """Run a function, and record its operators.

    Raises:
        RuntimeError: If the inputs or the result do not consist of tensors.
    """
    parameters = _parameter_names(function, len(inputs))
    for value, parameter in zip(inputs, parameters, strict=True):
        _remember_input(statements, value, parameter)
    with recording(statements), TracingMode(statements):
        result = function(*inputs)
    return RecordedCall(parameters, *_result(statements, result), result)


def _method(
    name: str, call: RecordedCall, inputs: tuple[Any, ...], lines: list[str], class_name: str
) -> str:
    """Return the method that computes the same as a recorded call."""
    declared = [f"self: {class_name}"] + [
        f"{parameter}: {type_of_value(value)}"
        for parameter, value in zip(call.parameters, inputs, strict=True)
    ]
    head = f"  def {name}({', '.join(declared)}) -> {call.kind}:\n"
    return head + "".join(f"    {line}\n" for line in [*lines, f"return {call.returned}"])


def _parameter_names(function: Callable[..., Any], count: int) -> list[str]:
    target = function.forward if isinstance(function, Module) else function
    try:
        known = [*inspect.signature(target).parameters.values()]
    except (TypeError, ValueError):
        known = []
    names = [p.name for p in known if p.kind is p.POSITIONAL_OR_KEYWORD][:count]
    reserved = {"self", "torch", "ops", "inf", "nan"}
    if len(names) < count or reserved & set(names) or any(re.match(r"v\d|_", n) for n in names):
        return [f"argument_{number + 1}" for number in range(count)]
    return names


def _remember_input(statements: Statements, value: Any, text: str) -> None:
    """Make the tensors of an input known.

    Raises:
        RuntimeError: If the input does not consist of tensors.
    """
    if isinstance(value, torch.Tensor):
        statements.remember(value, text)
    elif isinstance(value, (list, tuple)):
        for number, each in enumerate(value):
            _remember_input(statements, each, f"{text}[{number}]")
    elif isinstance(value, dict):
        for key, each in value.items():
            _remember_input(statements, each, f"{text}[{statements.expression(key, 'str')}]")
    else:
        raise RuntimeError(
            f"Type '{type(value).__name__}' cannot be traced. Only Tensors and (possibly nested) "
            "Lists, Dicts, and Tuples of Tensors can be traced"
        )


def _result(statements: Statements, value: Any) -> tuple[str, ScriptType]:
    """Return the expression and the type of a result.

    Raises:
        RuntimeError: If the result does not consist of tensors.
    """
    if isinstance(value, torch.Tensor):
        return statements.expression(value, "Tensor"), ScriptType("Tensor")
    if isinstance(value, (list, tuple)):
        parts = [_result(statements, each) for each in value]
        texts = [text for text, _ in parts]
        if isinstance(value, list):
            return f"[{', '.join(texts)}]", ScriptType("List", (parts[0][1],))
        text = f"({', '.join(texts)},)" if len(texts) == 1 else f"({', '.join(texts)})"
        return text, ScriptType("Tuple", tuple(kind for _, kind in parts))
    if isinstance(value, dict) and value:
        items = [
            (statements.expression(k, "str"), _result(statements, v)) for k, v in value.items()
        ]
        kinds = (type_of_value(next(iter(value))), items[0][1][1])
        return f"{{{', '.join(f'{k}: {v[0]}' for k, v in items)}}}", ScriptType("Dict", kinds)
    raise RuntimeError(
        "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced "
        f"functions, not {type(value).__name__}"
    )


# ---- modules ---------------------------------------------------------------------------------------
def tensor_attributes(module: Module, text: str = "self") -> list[tuple[torch.Tensor, str]]:
    """Return the tensors of a module and of those below it, with the expressions of each."""
    own = {**module._parameters, **module._buffers}
    found = [(t, _member(text, n)) for n, t in own.items() if isinstance(t, torch.Tensor)]
    for name, child in module._modules.items():
        if child is not None:
            found += tensor_attributes(child, _member(text, name))
    return found


def _member(owner: str, name: str) -> str:
    plain = name.isidentifier() and not keyword.iskeyword(name)
    return f"{owner}.{name}" if plain else f'getattr({owner}, "{name}")'


class _Classes:
    """The classes of a program: one for each kind of module with the same attributes."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._texts: dict[str, str] = {}
        self._methods: dict[str, str] = {}

    def name(self, module: Module) -> str:
        """Return the name of the class of a module."""
        return self._names[id(module)]

    def add(self, module: Module) -> None:
        """Add the class of a module, and those of the modules below it."""
        for child in module._modules.values():
            if child is not None and id(child) not in self._names:
                self.add(child)
        text = self._declarations(module)
        name, number = _class_name(type(module)), 0
        while self._texts.get(name, text) != text:
            path, _, last = _class_name(type(module)).rpartition(".")
            name = f"{path}.___torch_mangle_{number}.{last}"
            number += 1
        self._texts[name] = text
        self._names[id(module)] = name

    def add_method(self, module: Module, text: str) -> None:
        """Add a method to the class of a module, which other modules then cannot share."""
        name = self.name(module)
        self._methods[name] = self._methods.get(name, "") + text

    def _declarations(self, module: Module) -> str:
        parameters = [n for n, p in module._parameters.items() if p is not None]
        buffers = [n for n, b in module._buffers.items() if b is not None]
        kinds = dict.fromkeys((*parameters, *buffers), "Tensor")
        kinds |= {
            n: "NoneType"
            for n, p in {**module._parameters, **module._buffers, **module._modules}.items()
            if p is None
        }
        kinds |= {"training": "bool"}
        kinds |= {n: self.name(m) for n, m in module._modules.items() if m is not None}
        lines = [f"__parameters__ = {_texts(parameters)}", f"__buffers__ = {_texts(buffers)}"]
        for name, kind in kinds.items():
            plain = name.isidentifier() and not keyword.iskeyword(name)
            lines.append(f"{name} : {kind}" if plain else f'__annotations__["{name}"] = {kind}')
        return "".join(f"  {line}\n" for line in lines)

    def sources(self) -> dict[str, str]:
        """Return the text of each file."""
        files: dict[str, str] = {}
        for name, text in self._texts.items():
            path, _, last = name.rpartition(".")
            file = f"{path.replace('.', '/')}.py"
            body = text + self._methods.get(name, "")
            files[file] = files.get(file, "") + f"class {last}(Module):\n{body}"
        return files


def _texts(values: list[str]) -> str:
    return "[" + "".join(f'"{value}", ' for value in values) + "]"


def _class_name(kind: type) -> str:
    """Return the name that TorchScript gives a class."""
    module = "" if kind.__module__ == "__main__" else f"{kind.__module__}."
    return f"__torch__.{module}{re.sub(r'[^0-9A-Za-z_]', '_', kind.__name__)}"


def _instance(
    module: Module,
    program: Program,
    classes: _Classes,
    made: dict[int, RecursiveScriptModule],
    kind: type[RecursiveScriptModule] = RecursiveScriptModule,
) -> RecursiveScriptModule:
    """Return a module of the program with the state of a module, whose tensors it shares."""
    if id(module) not in made:
        instance = made[id(module)] = kind(program.script_class(classes.name(module)))
        instance._parameters.update(module._parameters)
        instance._buffers.update(module._buffers)
        instance._non_persistent_buffers_set.update(module._non_persistent_buffers_set)
        instance.training = module.training
        for name, child in module._modules.items():
            instance._modules[name] = (
                None if child is None else _instance(child, program, classes, made)
            )
    return made[id(module)]
