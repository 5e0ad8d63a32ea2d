"""Reads nn.yaml and Declarations.cwrap: which kernels become functions of at::legacy::th, and how."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from tools.codegen.errors import InputError, Problem, suggest
from tools.cwrap.declarations import LOADER, Argument, Declaration, read_declarations
from tools.nnwrap.header import HeaderArgument, HeaderFunction
from tools.nnwrap.legacy_model import LegacyFunction, Parameter, Result

_SIGNATURE = re.compile(r"(\w+)\((.*)\)")
_PARAMETER = re.compile(r"(\w+\??)(?:\[(\d)\])?\s+(\w+)(?:=(.+))?")
_TYPES = ("Tensor", "LongTensor", "Tensor?", "Scalar", "IntArrayRef", "int64_t", "bool")
_INDICES = ("THIndexTensor*", "THCIndexTensor*")
_STATES = ("THNNState*", "THCState*")
_FIELDS = frozenset(("name", "cname", "buffers", "scalar_check"))
# Arguments of the kernels that have another name in ATen.
_RENAMED = {"weights": "weight", "negval": "negative_slope", "lambda": "lambd"}
# Heights and widths that ATen passes as a list.
_LISTS = {
    "k": "kernel_size",
    "d": "stride",
    "pad": "padding",
    "dilation": "dilation",
    "osize": "output_size",
    "isize": "input_size",
    "output": "output_size",
}
_SIDE = re.compile(r"(k|d|pad|dilation|osize|isize|output)(H|W|Height|Width)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def parse_nn_yaml(
    text: str, file: str, kernels: Mapping[str, HeaderFunction], header: str = "THNN.h"
) -> list[LegacyFunction]:
    """Return the functions that nn.yaml declares, forward and backward, for the kernels of a header.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    problems: list[Problem] = []
    found: list[LegacyFunction] = []
    try:
        entries = yaml.load(text, LOADER) or []
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        message = getattr(error, "problem", None) or "this is not YAML"
        raise InputError([Problem(file, line, column, message)], {file: text}) from None
    for entry in entries:
        try:
            found.extend(_functions(entry, kernels, header))
        except ValueError as error:
            line = _line_of(text, entry)
            problems.append(Problem(file, line, 1, str(error)))
    if problems:
        raise InputError(problems, {file: text})
    return found


def _line_of(text: str, entry: object) -> int:
    name = str(entry.get("name", "")) if isinstance(entry, dict) else ""
    place = text.find(name) if name else 0
    return text.count("\n", 0, max(place, 0)) + 1


def _functions(
    entry: object, kernels: Mapping[str, HeaderFunction], header: str
) -> list[LegacyFunction]:
    if not isinstance(entry, dict):
        raise ValueError(f"an entry is a mapping, not {entry!r}")
    for field in entry:
        if field not in _FIELDS:
            raise ValueError(f"unknown field {field!r}{suggest(str(field), _FIELDS)}")
    signature = _SIGNATURE.fullmatch(str(entry.get("name", "")))
    if signature is None:
        raise ValueError("`name` is a function with its arguments, such as f(Tensor self)")
    parameters = [_parameter(p) for p in signature[2].split(", ")]
    forward = _kernel(kernels, f"{entry.get('cname')}_updateOutput", header)
    backward = _kernel(kernels, f"{entry.get('cname')}_updateGradInput", header)
    checks = {str(k): str(v) for k, v in (entry.get("scalar_check") or {}).items()}
    outputs = _results(forward, checks)
    for buffer in entry.get("buffers", ()):
        if buffer not in [result.name for result in outputs]:
            raise ValueError(f"{forward.name} has no result {buffer!r}")
    return [
        _function(f"{signature[1]}_forward", forward, outputs, parameters),
        _backward(f"{signature[1]}_backward", backward, outputs, parameters, checks),
    ]


def _parameter(text: str) -> Parameter:
    match = _PARAMETER.fullmatch(text.strip())
    if match is None or match[1] not in _TYPES:
        raise ValueError(f"cannot read the argument {text!r}; types are {', '.join(_TYPES)}")
    return Parameter(match[1], match[3], match[4], int(match[2] or 0))


def _kernel(kernels: Mapping[str, HeaderFunction], name: str, header: str) -> HeaderFunction:
    if name not in kernels:
        raise ValueError(f"{header} declares no {name}{suggest(name, kernels)}")
    return kernels[name]


def _results(kernel: HeaderFunction, checks: Mapping[str, str]) -> list[Result]:
    return [
        Result(_snake(a.name), a.type in _INDICES, checks.get(_snake(a.name), "false"))
        for a in kernel.arguments
        if a.is_output
    ]


def _backward(
    name: str,
    kernel: HeaderFunction,
    outputs: Sequence[Result],
    parameters: Sequence[Parameter],
    checks: Mapping[str, str],
) -> LegacyFunction:
    """Return the gradient: of the forward function's arguments and results, those that it needs."""
    needed = {_aten_name(a)[0] for a in kernel.arguments}
    chosen = [Parameter("Tensor", "grad_output")]
    given = [p for p in parameters if p.type != "IntArrayRef" and p.name in needed]
    chosen += [Parameter(p.type, p.name) for p in given]
    lists = dict.fromkeys(n for a in kernel.arguments if (n := _aten_name(a)[0]) in _LISTS.values())
    chosen += [Parameter("IntArrayRef", name, length=2) for name in lists]
    chosen += [
        Parameter("LongTensor" if result.is_index else "Tensor", result.name)
        for result in outputs
        if result.name in needed
    ]
    return _function(name, kernel, _results(kernel, checks), chosen)


def _function(
    name: str,
    kernel: HeaderFunction,
    results: Sequence[Result],
    parameters: Sequence[Parameter],
) -> LegacyFunction:
    by_name = {p.name: p for p in parameters}
    call: list[str] = []
    for argument in kernel.arguments:
        aten, index = _aten_name(argument)
        if argument.type in _STATES:
            call.append("nullptr")
        elif argument.name == "inplace":
            call.append("false")
        elif argument.is_output:
            call.append(f"{aten}.unsafeGetTensorImpl()")
        elif aten in by_name:
            call.append(_expression(by_name[aten], index))
        else:
            raise ValueError(
                f"{kernel.name} takes {argument.name!r}, which is not in the signature"
            )
    checks = tuple(
        f'TORCH_CHECK({p.name}.size() == {p.length}, "{name}: {p.name} has {p.length} elements");'
        for p in parameters
        if p.length
    )
    cname = "THNN_{type}" + kernel.name
    return LegacyFunction(name, tuple(results), tuple(parameters), cname, tuple(call), checks)


def _expression(parameter: Parameter, index: int) -> str:
    """Return what to pass to the kernel for an argument."""
    name = parameter.name
    match parameter.type:
        case "Tensor" | "LongTensor":
            return f"{name}.unsafeGetTensorImpl()"
        case "Tensor?":
            return f"{name}.defined() ? {name}.unsafeGetTensorImpl() : nullptr"
        case "Scalar":
            return f"{name}.toDouble()"
        case "IntArrayRef":
            return f"{name}[{index}]"
    return name


def _aten_name(argument: HeaderArgument) -> tuple[str, int]:
    """Return the name in ATen of a kernel's argument, and its place in a list of height and width."""
    if argument.type == "int64_t" and (match := _SIDE.fullmatch(argument.name)):
        return _LISTS[match[1]], "HW".index(match[2][0])
    if argument.name == "input":
        return "self", 0
    return _RENAMED.get(argument.name, _snake(argument.name)), 0


def _snake(name: str) -> str:
    return _CAMEL.sub("_", name).lower()


def parse_cwrap(text: str, file: str) -> list[LegacyFunction]:
    """Return the functions that Declarations.cwrap declares.

    Raises:
        InputError: If there are mistakes; the error lists all of them.
    """
    functions: list[LegacyFunction] = []
    problems: list[Problem] = []
    for declaration in read_declarations(text, file):
        try:
            functions.append(_th_function(declaration))
        except ValueError as error:
            problems.append(Problem(file, declaration.line, 1, str(error), 2))
    if problems:
        raise InputError(problems, {file: text})
    return functions


def _th_function(declaration: Declaration) -> LegacyFunction:
    arguments = declaration.arguments
    checks = tuple(
        f"{a.name} = maybe_wrap_dim({a.name}, {a.wrap_dim}.dim());" for a in arguments if a.wrap_dim
    )
    return LegacyFunction(
        declaration.name,
        tuple(Result(a.name) for a in arguments if a.output),
        tuple(_th_parameter(a) for a in arguments if not a.output),
        "TH{type}Tensor_" + declaration.cname,
        tuple(_expression(_th_parameter(a), 0) for a in arguments),
        checks,
        frozenset(declaration.types),
    )


def _th_parameter(argument: Argument) -> Parameter:
    kinds: Mapping[str, Any] = {"THTensor*": "Tensor", "accreal": "Scalar", "int64_t": "int64_t"}
    if argument.type not in kinds:
        raise ValueError(f"unknown type {argument.type!r}{suggest(argument.type, kinds)}")
    return Parameter(kinds[argument.type], argument.name, argument.default)
