"""`explain operator add.Tensor`: the path of a call from Python to its kernels, step by step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.base.errors import usage_error
from tools.codegen.errors import suggest
from tools.codegen.keys import ALIAS_KEYS
from tools.codegen.model import NativeFunction
from tools.codegen.names import root_name
from tools.codegen.read import OperatorFile
from tools.drivers.explain.cpp_sources import CppSources
from tools.drivers.explain.generated import Generated
from tools.drivers.explain.kernels import Kernels
from tools.drivers.explain.place import Place, Step, TextFile, render
from tools.drivers.inputs import InputFiles, Inputs

_NATIVE = "aten/src/ATen/native"
_NATIVE_FUNCTIONS = f"{_NATIVE}/native_functions.yaml"
_TAGS = f"{_NATIVE}/tags.yaml"
_DERIVATIVES = "tools/autograd/derivatives.yaml"
_HAND_WRITTEN = "torch/csrc"
_DECOMPOSITIONS = "torch/_decomp"
_FUNCTIONALIZE = "aten/src/ATen/FunctionalizeFallbackKernel.cpp"
_UPGRADERS = f"{_NATIVE}/upgraders.yaml"
_SAMPLES = "tests/runtime/samples"


def operator(root: Path, build_dir: Path, words: Sequence[str]) -> str:
    """Return the output of `python setup.py explain operator NAME.OVERLOAD`.

    Raises:
        BuildError: If no such operator exists.
        InputError: If the operator files have mistakes.
    """
    if not words:
        raise usage_error("explain operator needs the name of an operator, such as add.Tensor")
    files = InputFiles(
        OperatorFile.read(root / _NATIVE_FUNCTIONS, _NATIVE_FUNCTIONS),
        OperatorFile.read(root / _TAGS, _TAGS),
        OperatorFile.read(root / _DERIVATIVES, _DERIVATIVES),
    )
    inputs = files.build()
    answers = []
    for function in [_find_operator(inputs, word) for word in words]:
        steps = _steps(root, build_dir, inputs, function)
        shown = [step for step in steps if step.places or step.remark]
        answers.append(render(str(function.func), shown))
    return "\n\n".join(answers)


def _find_operator(inputs: Inputs, word: str) -> NativeFunction:
    """Find an operator by name; for a name with several overloads, raise an error listing them."""
    functions = inputs.operators.by_name
    name = re.sub(r"^(?:aten::|(?:torch\.)?Tensor\.|torch\.)", "", word)
    base, _, overload = name.partition(".")
    if name in functions:
        return functions[name]
    same = [f for f in functions.values() if f.root_name == root_name(base)]
    exact = [f for f in same if f.full_name.partition(".")[0] == base]
    if len(exact) == 1 and not overload:
        return exact[0]
    if exact or same:
        rows = [(f.full_name, f"({str(f.func).partition('(')[2]}") for f in exact or same]
        width = max(len(full_name) for full_name, _ in rows)
        listed = "\n".join(f"{full_name:<{width}}  {rest}" for full_name, rest in rows)
        raise usage_error(f"no operator {name!r}; choose one of:", cause=listed)
    known = {part for f in functions.values() for part in (f.full_name, f.root_name)}
    raise usage_error(f"no operator {name!r}{suggest(name, known)}")


def _steps(root: Path, build_dir: Path, inputs: Inputs, function: NativeFunction) -> Iterator[Step]:
    generated = Generated(root, build_dir)
    yield from generated.bindings(function)
    yield generated.cpp_functions(function)
    yield generated.unboxed(function)
    yield generated.type_methods(function)
    yield generated.caffe2(function)
    yield generated.external(function)
    yield generated.static_runtime(function)
    yield generated.dispatcher(function)
    yield generated.tracing(function)
    yield from generated.autograd(function, inputs.derivatives)
    if (view := generated.inplace_or_view(function)) is not None:
        yield view
    yield generated.functionalization(function) or _functionalized(root, function)
    yield generated.lazy(function)
    yield from _manual_kernels(root, function)
    yield from _kernels(root, generated, inputs, function)
    yield Step("declared", tuple(_declared(root, inputs, function)))
    yield _decomposition(root, function)
    yield _old_versions(root, function)
    yield _samples(root, function)
    yield generated.annotated(function)


def _manual_kernels(root: Path, function: NativeFunction) -> Iterator[Step]:
    """Find kernels that are registered in hand-written rows, such as copy_'s for Autograd."""
    row = re.compile(rf"at::_ops::{function.unambiguous}::entry, c10::DispatchKey::(\w+), &(\w+)")
    for path in sorted((root / _HAND_WRITTEN).rglob("*.cpp")):
        file = TextFile.read(path, root)
        for match in row.finditer(file.text):
            definitions = CppSources([file]).definitions(match[2])
            places = [definition.place for definition in definitions]
            places.append(
                file.place(
                    match.start(), f"{function.unambiguous}::entry", "(the row that registers it)"
                )
            )
            yield Step(f"{match[1]} kernel, registered by hand", tuple(places))


def _kernels(
    root: Path, generated: Generated, inputs: Inputs, function: NativeFunction
) -> Iterator[Step]:
    """Return the registration and the kernel of each dispatch key; backends come first."""
    patterns = ("*.cpp", "*.h", "*.cu")
    paths = [path for pattern in patterns for path in sorted((root / _NATIVE).rglob(pattern))]
    files = [*(TextFile.read(path, root) for path in paths), *generated.ufuncs()]
    kernels = Kernels(inputs.operators, CppSources(files))
    registered = generated.registrations(function)
    group = inputs.operators.group_of.get(function.full_name)
    keys = {*registered, *function.dispatch, *(group.out.dispatch if group else ())}
    seen: set[Step] = set()
    for key in sorted(keys, key=lambda key: (key in ALIAS_KEYS, key == "Meta", key)):
        if key in registered:
            yield Step(f"{key} registration", tuple(registered[key]))
        if function.is_generated:
            yield Step(f"{key} kernel, generated for autogen", tuple(generated.completed(function)))
            continue
        if places := generated.view_copies(function):
            yield Step(f"{key} kernel, generated from the view", tuple(places))
            continue
        steps = [step for step in kernels.steps(function, key) if step not in seen]
        seen.update(steps)
        yield from steps


def _declared(root: Path, inputs: Inputs, function: NativeFunction) -> Iterator[Place]:
    """Return the YAML entries that declare the operator."""
    yield Place(_NATIVE_FUNCTIONS, function.location.line, str(function.func.name.name.base))
    entries = {} if inputs.derivatives is None else inputs.derivatives.of(function)
    file = TextFile.read(root / _DERIVATIVES, root)
    for entry in entries.values():
        for derivative in sorted(entry.derivatives, key=lambda each: each.location.line):
            line = derivative.location.line
            word = derivative.source.split()[0]
            names = ", ".join(derivative.variables)
            if word in file.line(line):
                yield Place(file.name, line, derivative.source, f"(gradient of {names})")


def _decomposition(root: Path, function: NativeFunction) -> Step:
    """Return the program of simpler operators that computes the same."""
    name = f"{function.func.name.name}.{function.func.name.overload or 'default'}"
    pattern = rf"aten\.(?P<at>{re.escape(name)})\b"
    places = [
        place
        for path in sorted((root / _DECOMPOSITIONS).glob("*.py"))
        for place in TextFile.read(path, root).find(pattern, name)
    ]
    return Step("decomposition", tuple(places))


def _functionalized(root: Path, function: NativeFunction) -> Step:
    """Return the kernel that serves all operators that neither write nor return views."""
    title = "Functionalize, inside functionalize()"
    if function.composite_implicit:
        return Step(title)  # the operators that it calls are replaced
    file = TextFile.read(root / _FUNCTIONALIZE, root)
    places = file.find(r"^void (?P<at>functionalize)\(", "functionalize")
    return Step(title, tuple(places), "calls the operator on the values of the wrappers")


def _old_versions(root: Path, function: NativeFunction) -> Step:
    """Return the programs that stand for the operator in archives of old versions."""
    name = re.escape(function.full_name)
    places = TextFile.read(root / _UPGRADERS, root).find(
        rf"^- func: (?P<at>{name})\(", function.full_name
    )
    return Step("in archives of old versions", tuple(places))


def _samples(root: Path, function: NativeFunction) -> Step:
    """Return the tests' sample inputs for the operator."""
    name = str(function.func.name.name)
    pattern = rf"\(\s*(?P<at>\"(?:{function.root_name}_?|{name})(?:\.\w+)?\")"
    found: list[Place] = []
    for path in sorted((root / _SAMPLES).glob("*.py")):
        found.extend(TextFile.read(path, root).find(pattern, function.root_name))
    return Step("samples", tuple(found), "" if found else f"none in {_SAMPLES}")
