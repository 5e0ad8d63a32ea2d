"""Finds the lines that define a kernel of the model, in aten/src/ATen/native or generated loops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.codegen.api import native
from tools.codegen.model import Kernel, NativeFunction, Operators, UfuncLoop
from tools.drivers.explain.cpp_sources import CppSources, Definition
from tools.drivers.explain.place import NOT_GENERATED, Place, Step

_STUB = re.compile(r"\b(\w+_stub)\(")
_NAMESPACES = re.compile(r"(?:::)?\b(?:at|c10|std)::")


@dataclass(frozen=True)
class Kernels:
    """The kernels of one model and the source files to find them in."""

    operators: Operators
    sources: CppSources

    def steps(self, function: NativeFunction, key: str) -> Iterator[Step]:
        """Return the steps for one dispatch key, from the kernel down to the vectorised loops."""
        kernel = self.operators.kernel(function, key)
        if kernel is None:
            return
        title, missing = (
            f"{key} kernel",
            f"no definition of {kernel.namespace}::{kernel.name} was found",
        )
        loops: tuple[UfuncLoop, ...] = ()
        if not kernel.structured:
            found = self._function(function, kernel)
        else:
            yield self._meta(function)
            title = f"{key} kernel, computes the output that meta declared"
            found = self._impl(kernel)
            out = self.operators.group_of[function.full_name].out
            if kernel.name == f"ufunc_{out.func.name.name}_{key}":
                title, missing, loops = f"{title}, generated", NOT_GENERATED, out.ufunc_inner_loop
                found = self._generated_impl(f"Ufunc{key}_{out.root_name}")
        remark = "" if found else missing
        yield Step(title, tuple(definition.place for definition in found), remark)
        for stub in sorted({name for d in found for name in _STUB.findall(d.body)}):
            yield from self._stub(stub)
        if loops:
            yield self._formulas(function.root_name, loops)

    def _generated_impl(self, file: str) -> list[Definition]:
        """Find the impl that calls generated loops."""
        return [d for d in self.sources.definitions("impl") if f"/{file}." in d.place.path]

    def _formulas(self, root_name: str, loops: tuple[UfuncLoop, ...]) -> Step:
        """Find what all generated loops of an operator call."""
        places = [
            definition.place
            for name in sorted({loop.name for loop in loops})
            for definition in self.sources.definitions(name)
            if definition.place.path.endswith(f"/ufunc/{root_name}.h")
        ]
        return Step("formula, which loops on vectors, numbers and CUDA threads call", tuple(places))

    def _meta(self, function: NativeFunction) -> Step:
        """Find the part that checks arguments and declares outputs; all backends share it."""
        group = self.operators.group_of[function.full_name]
        name = group.functional.func.name
        words = (str(name.name), name.overload) if name.overload else (str(name.name),)
        macro = "META_FUNC2" if name.overload else "META_FUNC"
        found = self.sources.marked(rf"TORCH_(?:PRECOMPUTE_)?{macro}", *words)
        title = "meta, checks the arguments and declares the output"
        remark = "" if found else f"no definition of TORCH_{macro}({', '.join(words)}) was found"
        return Step(title, tuple(definition.place for definition in found), remark)

    def _impl(self, kernel: Kernel) -> list[Definition]:
        return self.sources.marked("TORCH_IMPL_FUNC", kernel.name)

    def _function(self, function: NativeFunction, kernel: Kernel) -> list[Definition]:
        """Find the overload that takes this operator's arguments."""
        found = self.sources.definitions(kernel.name)
        declared = native.signature(function, kernel.name)
        types = [_plain(binding.type) for binding in declared.bindings]
        exact = [d for d in found if [_plain(t) for t in _types(d.parameters)] == types]
        return exact or found

    def _stub(self, stub: str) -> Iterator[Step]:
        """Find a stub, the table of one function per CPU capability, and its registrations."""
        defined = tuple(place for place, _ in self.sources.uses("DEFINE_DISPATCH", stub))
        yield Step(f"{stub}, one function for each CPU capability", defined)
        registered: list[Place] = []
        for place, rest in self.sources.uses(r"(?:ALSO_)?REGISTER_\w*DISPATCH", stub):
            registered.append(place)
            if name := re.match(r"&?(\w+)", rest):
                found = [definition.place for definition in self.sources.definitions(name[1])]
                registered.extend([at for at in found if at.path == place.path] or found)
        if registered:
            yield Step(f"{stub}, registered implementations", tuple(registered))


def _types(parameters: str) -> list[str]:
    """Return the types of a parameter list, without names and defaults."""
    types: list[str] = []
    depth = start = 0
    for at, char in enumerate(parameters + ","):
        depth += (char in "<({") - (char in ">)}")
        if char == "," and depth == 0:
            declared = parameters[start:at].partition("=")[0].strip()
            start = at + 1
            if declared:
                types.append(re.sub(r"(?<=[\s&*>])\w+$", "", declared) or declared)
    return types


def _plain(type: str) -> str:
    """Normalise a type: drop namespaces, const and spaces."""
    return re.sub(r"\bconst\b|\s|&", "", _NAMESPACES.sub("", type))
