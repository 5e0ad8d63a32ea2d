"""The steps in generated files: bindings, dispatcher entry, autograd, registrations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tools.autograd.model import Derivatives
from tools.codegen.api import cpp
from tools.codegen.api.python import signature_text
from tools.codegen.model import NativeFunction
from tools.codegen.names import PYTHON_MODULES
from tools.drivers.explain.place import NOT_GENERATED, Place, Step, TextFile

_ATEN = "aten/src/ATen"
_AUTOGRAD = "torch/csrc/autograd/generated"
_ANNOTATED = "torch/testing/_internal/generated/annotated_fn_args.py"
_CAFFE2 = "caffe2/contrib/aten"
_LAZY = "torch/csrc/lazy/generated"
_STATIC_RUNTIME = "torch/csrc/jit/runtime/static"
_TENSOREXPR = "torch/csrc/jit/tensorexpr"
_SCOPES = {
    "python_torch_functions_*.cpp": "torch.{}",
    "python_variable_methods_*.cpp": "Tensor.{}",
    **{f"python_{name}_functions.cpp": f"torch._C._{name}.{{}}" for name in PYTHON_MODULES},
}
_TYPE_METHOD = (
    r"^[^\n/ ][^\n]* (?P<name>\w+::\w+)\([^\n]*\{{\n(?:  [^\n]*\n)*?  return at::_ops::{}::\w+\("
)
_LAZY_PARTS = {
    "LazyNativeFunctions*.cpp": r"[^\n]* (?P<at>\w+::\w+)\(",
    "LazyIr.h": r"class (?P<at>\w+) ",
    "LazyLowering*.cpp": r"Kernel (?P<at>\w+::Lower)\(",
}
"""In each family of the lazy device, what follows on the comment with the operator's schema."""


@dataclass(frozen=True)
class Generated:
    """The generated files of one build directory."""

    root: Path
    build_dir: Path

    def files(self, pattern: str) -> list[TextFile]:
        """Return the files that match a pattern below the build directory."""
        found = sorted(self.build_dir.glob(pattern))
        return [TextFile.read(path, self.root) for path in found]

    def bindings(self, function: NativeFunction) -> Iterator[Step]:
        """Find the Python binding that calls this overload, and the signature that it parses."""
        call = rf"at::_ops::{function.unambiguous}::call\("
        any_file = False
        for pattern, scope in _SCOPES.items():
            for file in self.files(f"{_AUTOGRAD}/{pattern}"):
                any_file = True
                match = re.search(call, file.text)
                if match is not None:
                    name = scope.format(str(function.func.name.name))
                    yield Step(
                        f"Python, {name}", tuple(_binding(file, match)), _parsed_signature(function)
                    )
        if not any_file:
            yield Step("Python binding", (), NOT_GENERATED)

    def cpp_functions(self, function: NativeFunction) -> Step:
        """Find the C++ function and the method."""
        call = rf"at::_ops::{function.unambiguous}::call\("
        places: list[Place] = []
        for pattern in (f"ops/{function.root_name}.h", "core/TensorMethods_*.cpp"):
            for file in self.files(f"{_ATEN}/{pattern}"):
                places.extend(file.find(call, f"{function.unambiguous}::call"))
        declared = cpp.signature(function).declaration(defaults=True)
        return self._step("C++", places, declared)

    def dispatcher(self, function: NativeFunction) -> Step:
        """Find the operator's entry and the code that looks up a kernel in it."""
        name = function.unambiguous
        places: list[Place] = []
        for file in self.files(f"{_ATEN}/Operators_*.cpp"):
            places.extend(file.find(rf"(?P<at>\b{name}::entry)\{{", f"{name}::entry"))
            places.extend(file.find(rf"(?P<at>\b{name}::call)\(", f"{name}::call"))
        return self._step(
            "dispatcher, calls the kernel of the tensors' highest dispatch key", places
        )

    def tracing(self, function: NativeFunction) -> Step:
        """Find the kernel that records the call while torch.jit.trace runs."""
        return self._step("Tracer, only while tracing", self._kernels("TraceType", function))

    def autograd(self, function: NativeFunction, derivatives: Derivatives | None) -> Iterator[Step]:
        """Find the kernel that records the call for backward, and the Node that runs there."""
        entries = {} if derivatives is None else derivatives.of(function)
        if not entries:
            yield self._without_derivatives(function)
            return
        if not any(entry.node for entry in entries.values()):
            yield Step("autograd", (), "derivatives.yaml declares no differentiable result")
            return
        yield self._step(
            "autograd, when an argument requires a gradient",
            self._kernels("VariableType", function),
        )
        for node in sorted({entry.node for entry in entries.values() if entry.node}):
            places: list[Place] = []
            for file in self.files(f"{_AUTOGRAD}/Functions*.h"):
                places.extend(file.find(rf"^struct TORCH_API (?P<at>{node})\b", node))
            for file in self.files(f"{_AUTOGRAD}/Functions_*.cpp"):
                places.extend(file.find(rf"(?P<at>\b{node}::apply)\(", f"{node}::apply"))
            yield self._step("backward Node", places)

    def _without_derivatives(self, function: NativeFunction) -> Step:
        """Say why the operator has no Node."""
        if function.composite_implicit:
            return Step("autograd", (), "no kernel: its body calls operators that have derivatives")
        places = self._kernels("VariableType", function)
        if function.func.is_out:
            return Step("autograd, refuses out= arguments that require a gradient", tuple(places))
        remark = "no entry in derivatives.yaml" + (", so backward raises" if places else "")
        return Step("autograd", tuple(places), remark)

    def inplace_or_view(self, function: NativeFunction) -> Step | None:
        """Find the kernel that increments versions, or marks the result as a view."""
        places = self._kernels("ADInplaceOrViewType", function)
        title = "ADInplaceOrView, increments versions and records views"
        return Step(title, tuple(places)) if places else None

    def functionalization(self, function: NativeFunction) -> Step | None:
        """Find the row that tells what replaces a mutation or a view."""
        name = f"{function.namespace}::{function.full_name}"
        row = (
            rf"(?P<at>\"{re.escape(name)}(?: (?P<other>[\w:.]+)|\", &make_view_meta<(?P<view>\w+)))"
        )
        for file in self.files(f"{_ATEN}/RegisterFunctionalization_*.cpp"):
            if (match := re.search(row, file.text)) is not None:
                place = file.place(match.start("at"), name)
                remark = f"calls {match['other']}" if match["other"] else "a class replays the view"
                replays = self._replays(match["view"]) if match["view"] else ()
                return Step("Functionalize, inside functionalize()", (place, *replays), remark)
        return None

    def _replays(self, view: str) -> Iterator[Place]:
        """Yield where a class of views calls the operator, or the one that copies."""
        for file in self.files(f"{_ATEN}/ViewMetaClasses.cpp"):
            yield from file.find(rf"(?P<at>{view}::forward)\(", view)

    def view_copies(self, function: NativeFunction) -> list[Place]:
        """Find the generated kernel of an operator that copies a view."""
        file_name = f"{_ATEN}/CompositeViewCopyKernels.cpp"
        kernels = sorted({kernel.name for kernel in function.dispatch.values()})
        return [
            place
            for file in self.files(file_name)
            for name in kernels
            for place in file.find(rf"^[^\n;=(]*\b(?P<at>{name})\([^;]*?\{{$", name)
        ]

    def registrations(self, function: NativeFunction) -> Mapping[str, list[Place]]:
        """Return, by dispatch key, the wrapper around the kernel and the row that registers it."""
        row = re.compile(
            rf"\{{&at::_ops::{function.unambiguous}::entry, c10::DispatchKey::(\w+), .*?&(\w+)\)"
        )
        found: dict[str, list[Place]] = {}
        for file in self._registration_files:
            for match in row.finditer(file.text):
                places = list(file.find(rf"(?P<at>\b{match[2]})\([^;]*\{{$", match[2]))
                places.append(
                    file.place(
                        match.start(),
                        f"{function.unambiguous}::entry",
                        "(the row that registers it)",
                    )
                )
                found[match[1]] = places
        return found

    def completed(self, function: NativeFunction) -> list[Place]:
        """Find the generated kernel of a variant that autogen added."""
        kernels = {kernel.name for kernel in function.dispatch.values()}
        return [
            place
            for file in self.files(f"{_ATEN}/CompletedKernels_*.cpp")
            for name in sorted(kernels)
            for place in file.find(rf"^[^\n;=(]*\b(?P<at>{name})\([^;]*?\{{$", name)
        ]

    def unboxed(self, function: NativeFunction) -> Step:
        """Find the function that takes its arguments from a stack, if the build has it."""
        places = [
            place
            for file in self.files(f"{_ATEN}/UnboxingFunctions_*.cpp")
            for place in file.find(rf"^void (?P<at>{function.unambiguous})\(", function.unambiguous)
        ]
        return Step("at::unboxing, with arguments on a stack", tuple(places))

    def type_methods(self, function: NativeFunction) -> Step:
        """Find the methods of the type that tensor.type() returns, if the build has types."""
        operator = function.unambiguous
        found: dict[str, Place] = {}
        for pattern in ("*TypeDefault_*.cpp", "*Type_*.cpp"):
            for file in self.files(f"{_ATEN}/{pattern}"):
                for match in re.finditer(_TYPE_METHOD.format(operator), file.text, re.MULTILINE):
                    found[match["name"]] = file.place(match.start("name"), match["name"])
        return Step("method of tensor.type()", tuple(found[name] for name in sorted(found)))

    def caffe2(self, function: NativeFunction) -> Step:
        """Find the implementation and the rows of Caffe2's operator ATen, or why it has none."""
        name = function.unambiguous
        row = rf'^ *\{{(?P<at>"[^"]+"), .*&{name}\}},$'
        places = [
            place
            for file in self.files(f"{_CAFFE2}/aten_op_*.cpp")
            for place in (
                *file.find(rf"^std::vector<at::Tensor> (?P<at>{name})\(", name),
                *file.find(row, name, "(a row of its table)"),
            )
        ]
        skipped = [
            place
            for file in self.files(f"{_CAFFE2}/aten_op_skipped.txt")
            for place in file.find(rf"^Skipping {re.escape(function.full_name)} ", "Skipping")
        ]
        return Step("Caffe2's operator ATen", tuple(places or skipped))

    def external(self, function: NativeFunction) -> Step:
        """Find the function over raw memory, if the build has tensor expressions."""
        schema = re.escape(f"// {function.namespace}::{function.func}\n")
        places = [
            file.place(match.start("at"), match["at"])
            for file in self.files(f"{_TENSOREXPR}/external_functions_codegen_*.cpp")
            for match in re.finditer(
                rf'^{schema}extern "C" void (?P<at>\w+)\(', file.text, re.MULTILINE
            )
        ]
        return Step("external function of tensor expressions", tuple(places))

    def static_runtime(self, function: NativeFunction) -> Step:
        """Find the kernel that computes into planned memory, if the build has such kernels."""
        schema = re.escape(f"// {function.namespace}::{function.func}\n")
        places = [
            file.place(match.start("at"), match["at"])
            for file in self.files(f"{_STATIC_RUNTIME}/generated_ops_*.cpp")
            for match in re.finditer(rf"^{schema}void (?P<at>\w+)\(", file.text, re.MULTILINE)
        ]
        return Step("static runtime, into planned memory", tuple(places))

    def lazy(self, function: NativeFunction) -> Step:
        """Find the kernel that records the operator, its node and what the node calls later."""
        schema = re.escape(f"// {function.namespace}::{function.func}\n")
        places = [
            file.place(match.start("at"), match["at"])
            for pattern, found in _LAZY_PARTS.items()
            for file in self.files(f"{_LAZY}/{pattern}")
            for match in re.finditer(rf"^{schema}{found}", file.text, re.MULTILINE)
        ]
        return Step("Lazy, records a node; mark_step() runs it", tuple(places))

    def annotated(self, function: NativeFunction) -> Step:
        """Find the arguments with which the tests of torch.overrides call the bindings."""
        name = re.escape(str(function.func.name.name))
        places = [
            place
            for file in self.files(_ANNOTATED)
            for place in file.find(rf"^    (?P<at>torch\.[\w.]+\.{name}): ", f".{name}: ")
        ]
        return Step("arguments in the tests of torch.overrides", tuple(places))

    @cached_property
    def _registration_files(self) -> list[TextFile]:
        files = self.files(f"{_ATEN}/Register*_*.cpp")
        return [file for file in files if "/RegisterSchema_" not in file.name]

    def ufuncs(self) -> list[TextFile]:
        """Return the generated impls and loops around formulas."""
        return self.files(f"{_ATEN}/Ufunc*")

    def _kernels(self, family: str, function: NativeFunction) -> list[Place]:
        """Find the definition of the operator's kernel in an autograd family."""
        name = function.unambiguous
        return [
            place
            for file in self.files(f"{_AUTOGRAD}/{family}_*.cpp")
            for place in file.find(rf"(?P<at>\b{name})\(c10::DispatchKeySet", name)
        ]

    def _step(self, title: str, places: list[Place], remark: str = "") -> Step:
        made = any(self.build_dir.glob(f"{_ATEN}/Operators_*.cpp"))
        return Step(title, tuple(places), remark if places or made else NOT_GENERATED)


def _parsed_signature(function: NativeFunction) -> str:
    return "" if function.func.is_out else signature_text(function)


def _binding(file: TextFile, call: re.Match[str]) -> Iterator[Place]:
    """Return the C function that contains the call, and the call itself."""
    name = re.compile(r"^PyObject\* (THPVariable_\w+)\(", re.MULTILINE)
    starts = list(name.finditer(file.text, 0, call.start()))
    if starts:
        yield file.place(starts[-1].start(), starts[-1][1])
    yield file.place(call.start(), call[0].removesuffix("("))
