"""The plug-ins that wrap the functions of a header as the methods of a Python type."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import indent

from tools.codegen.errors import suggest
from tools.codegen.templates import Template, Templates
from tools.cwrap.declarations import Argument, Declaration
from tools.cwrap.libraries import Library
from tools.cwrap.plugins import Plugin

_TEMPLATES = Templates(
    lambda name: (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")
)
_TENSORS = {
    "THFloatTensor*": ("FloatTensor", "at::kFloat"),
    "THDoubleTensor*": ("DoubleTensor", "at::kDouble"),
    "THLongTensor*": ("LongTensor", "at::kLong"),
    "THCudaTensor*": ("cuda.FloatTensor", "at::kFloat"),
    "THCudaDoubleTensor*": ("cuda.DoubleTensor", "at::kDouble"),
    "THCudaLongTensor*": ("cuda.LongTensor", "at::kLong"),
}
_NUMBERS = {
    "int64_t": ("int", "integer"),
    "double": ("float", "real"),
    "float": ("float", "real"),
    "bool": ("bool", "boolean"),
}


class UnpackArguments(Plugin):
    """Takes each argument from the tuple that Python passes, and checks its type."""

    def process_argument(
        self, code: str, argument: Argument, index: int, declaration: Declaration
    ) -> str:
        if argument.type == "void*":
            return f"arguments.state({index})"
        if argument.type in _TENSORS:
            return f"arguments.tensor({index}, {_TENSORS[argument.type][1]})"
        if argument.type in _NUMBERS:
            return f"arguments.{_NUMBERS[argument.type][1]}({index})"
        hint = suggest(argument.type, (*_TENSORS, *_NUMBERS))
        raise ValueError(
            f"{declaration.name}: no conversion for an argument of type {argument.type!r}{hint}"
        )


class NullableArguments(Plugin):
    """Passes NULL for None where the C function allows that."""

    def process_argument(
        self, code: str, argument: Argument, index: int, declaration: Declaration
    ) -> str:
        return f"arguments.is_none({index}) ? nullptr : {code}" if argument.nullable else code


class ReleaseGil(Plugin):
    """Lets other Python threads run during the call."""

    def process_call(self, code: str, declaration: Declaration) -> str:
        return "{\n  const torch::nn::KernelScope scope;\n" + indent(code, "  ") + "\n}"


class AutoGPU(Plugin):
    """Makes the device of the tensors the current one during the call, and requires that it is one device."""

    def process_call(self, code: str, declaration: Declaration) -> str:
        tensors = ", ".join(a.name for a in declaration.arguments if a.type in _TENSORS)
        return f"const c10::DeviceGuard device(torch::nn::device_of({{{tensors}}}));\n{code}"


class NNExtension(Plugin):
    """Makes the wrappers static methods of a type `torch._C._NAME`."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def process_wrapper(self, code: str, declaration: Declaration) -> str:
        return _section("wrapper").fill(
            name=declaration.name,
            signature=f"{declaration.name}({', '.join(map(_shown, declaration.arguments))})",
            count=str(len(declaration.arguments)),
            device=self.library.device,
            body=code,
        )

    def process_all(self, code: str, declarations: Sequence[Declaration]) -> str:
        methods = "\n".join(
            f'{{"{d.name}", {d.name}, METH_VARARGS | METH_STATIC, nullptr}},' for d in declarations
        )
        return _section("module").fill(name=self.library.name, wrappers=code, methods=methods)


def module_plugins(library: Library) -> list[Plugin]:
    """Return the plug-ins for a module of a library's kernels."""
    guards: list[Plugin] = [] if library.on_cpu else [AutoGPU()]
    return [UnpackArguments(), NullableArguments(), *guards, ReleaseGil(), NNExtension(library)]


def _shown(argument: Argument) -> str:
    shown = {**_TENSORS, **_NUMBERS}.get(argument.type, ("int",))[0]
    return f"{shown}{' or None' if argument.nullable else ''} {argument.name}"


def _section(name: str) -> Template:
    return _TEMPLATES.section("nn_tail.cpp", name)
