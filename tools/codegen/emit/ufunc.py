"""UfuncCPU_*.cpp, UfuncCPUKernel_*.cpp and UfuncCUDA_*.cu: impl and loops around a formula.

The kernel author writes only the formula, a function template `at::native::ufunc::<name>` in
ATen/native/ufunc/<root name>.h, and names it in the operator's `ufunc_inner_loop`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tools.codegen.api import structured
from tools.codegen.emit.common import Emitter, includes
from tools.codegen.model import StructuredGroup, UfuncLoop
from tools.codegen.schema import Argument
from tools.codegen.selection import DTYPES

_FLOATING = ("Double", "Float")
_INTEGRAL = ("Byte", "Char", "Int", "Long", "Short")
_COMPLEX = ("ComplexDouble", "ComplexFloat")
_CLASSES: Mapping[str, tuple[str, ...]] = {
    "All": (*_INTEGRAL, *_FLOATING),
    "AllAndComplex": (*_INTEGRAL, *_FLOATING, *_COMPLEX),
    "Floating": _FLOATING,
    "FloatingAndComplex": (*_FLOATING, *_COMPLEX),
    "Integral": _INTEGRAL,
    "Complex": _COMPLEX,
}
_REDUCED = ("BFloat16", "Half")
"""Dtypes computed in a wider type, to which a number in host memory need not be rounded."""
_FUNCTORS = {"CUDAFunctorOnOther": 0, "CUDAFunctorOnSelf": 1}
"""For the functors of one tensor and a number: the position of the number among two tensors."""
_CPU, _KERNEL, _CUDA = "UfuncCPU.cpp", "UfuncCPUKernel.cpp", "UfuncCUDA.cu"


def ufunc_kernels(emitter: Emitter) -> None:
    """Emit three files for each operator with `ufunc_inner_loop`.

    A selective build has those whose operator is built or whose stub other kernels call.
    """
    for group in emitter.operators.groups:
        if not group.out.ufunc_inner_loop:
            continue
        ufunc = Ufunc(emitter, group)
        if ufunc.impl_is_built or ufunc.stub_is_called:
            for file, template, values in (
                (f"UfuncCPU_{ufunc.root}.cpp", _CPU, ufunc.cpu),
                (f"UfuncCPUKernel_{ufunc.root}.cpp", _KERNEL, ufunc.cpu_kernel),
                (f"UfuncCUDA_{ufunc.root}.cu", _CUDA, ufunc.cuda),
            ):
                facts = (str(ufunc.impl_is_built), *sorted(ufunc.dtypes))
                emitter.file(file, template, group.members, values, *facts)


@dataclass(frozen=True)
class Ufunc:
    """One operator whose loops are generated."""

    emitter: Emitter
    group: StructuredGroup

    @property
    def root(self) -> str:
        return self.group.out.root_name

    @property
    def stub(self) -> str:
        """The dispatch stub, which kernels of other operators may call, too."""
        return f"{self.root}_stub"

    @property
    def loops(self) -> tuple[UfuncLoop, ...]:
        return self.group.out.ufunc_inner_loop

    @property
    def tensors(self) -> list[Argument]:
        """The arguments that the loops iterate over."""
        inputs = self.group.functional.func.arguments.non_out
        return [argument for argument in inputs if argument.type.is_tensor_like()]

    @property
    def numbers(self) -> list[Argument]:
        """The arguments that stay constant in the loops."""
        inputs = self.group.functional.func.arguments.non_out
        return [argument for argument in inputs if not argument.type.is_tensor_like()]

    @property
    def impl_is_built(self) -> bool:
        return bool(self.emitter.built(self.group.members))

    @property
    def stub_is_called(self) -> bool:
        selection = self.emitter.selection
        return selection is not None and self.stub in (selection.called or ())

    @property
    def dtypes(self) -> frozenset[str]:
        """The dtypes that the build has."""
        selection = self.emitter.selection
        return DTYPES if selection is None else selection.built_dtypes

    def cpu(self) -> Mapping[str, str]:
        declared = [f"ATen/ops/{self.root}_native.h"] if self.impl_is_built else []
        return {
            **self._common(*declared, "c10/core/Scalar.h"),
            "impl": self._impl("CPU", _CPU, ["device_type()", "*this"]),
        }

    def cpu_kernel(self) -> Mapping[str, str]:
        chosen = {dtype: loop for dtype, loop in _cpu_loops(self.loops) if dtype in self.dtypes}
        return {
            **self._common(self._formula_header),
            "parameters": self._stub_parameters,
            "formulas": self._formulas(_KERNEL, chosen.values()),
            "cases": "".join(self._cpu_case(dtype, chosen[dtype]) for dtype in sorted(chosen)),
        }

    def cuda(self) -> Mapping[str, str]:
        chosen = {dtype: loop for dtype, loop in _cuda_loops(self.loops) if dtype in self.dtypes}
        names = sorted({loop.name for loop in chosen.values() if loop.key != "CUDAFunctor"})
        functors = [self._cuda_functors(name) for name in names]
        declared = [f"ATen/ops/{self.root}_native.h"] if self.impl_is_built else []
        return {
            **self._common(self._formula_header, *declared),
            "parameters": self._stub_parameters,
            "functors": "".join(functors),
            "cases": "".join(self._cuda_case(dtype, chosen[dtype]) for dtype in sorted(chosen)),
            "impl": self._impl("CUDA", _CUDA, ["*this"]),
        }

    @property
    def _formula_header(self) -> str:
        return f"ATen/native/ufunc/{self.root}.h"

    @property
    def _stub_parameters(self) -> str:
        declared = [structured.binding(a).declaration(defaults=False) for a in self.numbers]
        return ", ".join(["TensorIteratorBase& iter", *declared])

    def _common(self, *headers: str) -> dict[str, str]:
        types = [structured.argument_type(argument.type) for argument in self.numbers]
        return {
            "root": self.root,
            "stub": self.stub,
            "types": ", ".join(["TensorIteratorBase&", *types]),
            "headers": includes(headers),
            "shown": self.stub if self.numbers else f"{self.root}_cpu",  # as in PyTorch's errors
        }

    def _impl(self, key: str, template: str, arguments: list[str]) -> str:
        if not self.impl_is_built:
            return ""
        parameters = structured.impl_parameters(self.group)
        return self.emitter.templates.section(template, "impl").fill(
            root=self.root,
            stub=self.stub,
            kernel=self.group.out.dispatch[key].name,
            parameters=", ".join(binding.declaration(defaults=False) for binding in parameters),
            arguments=", ".join([*arguments, *(argument.name for argument in self.numbers)]),
        )

    def _formulas(self, template: str, loops: Iterable[UfuncLoop]) -> str:
        section = self.emitter.templates.section(template, "formula")
        inputs = str(len(self.tensors) + len(self.numbers))
        names = sorted({loop.name for loop in loops})
        return "".join(section.fill(name=name, inputs=inputs) for name in names)

    # ---- CPU

    def _cpu_case(self, dtype: str, loop: UfuncLoop) -> str:
        with_vectors = loop.key in ("Generic", "CPUVector") and not dtype.startswith("Complex")
        tensors, formula = len(self.tensors), f"{loop.name}_formula"
        values = ", ".join(["iter", f"{formula}()", *(f"{a.name}_" for a in self.numbers)])
        factors: list[Argument] = []
        if with_vectors:
            factors = [argument for argument in self.numbers if _is_factor(argument)]
            call = f"ufunc::vector_loop<scalar_t, {tensors}>({values});"
            converted = "ufunc::lane_number<scalar_t>"
        else:
            inputs = tensors + len(self.numbers)
            compute = f"ufunc::compute_type<scalar_t, {formula}, {inputs}>"
            compute = "scalar_t" if loop.key == "CPUScalar" else compute
            call = f"ufunc::element_loop<scalar_t, {compute}, {tensors}>({values});"
            converted = f"ufunc::number<{compute}>"
        for factor in reversed(factors):
            section = self.emitter.templates.section(_KERNEL, "factor")
            call = section.fill(name=factor.name, loop=call).rstrip("\n")
        others = [argument for argument in self.numbers if argument not in factors]
        return self.emitter.templates.section(_KERNEL, "case").fill(
            dtype=dtype,
            numbers="\n".join(f"const auto {a.name}_ = {converted}({a.name});" for a in others),
            loop=call,
        )

    # ---- CUDA

    def _cuda_functors(self, name: str) -> str:
        """Return the functors of a formula: of the tensors, and of a tensor and a number."""
        functors = [self._cuda_functor("CUDAFunctor", name)]
        if len(self.tensors) == 2:
            functors += [
                self._cuda_functor(key, name, self.tensors[number])
                for key, number in _FUNCTORS.items()
            ]
        loop = UfuncLoop("Generic", name, ())
        return self._formulas(_CUDA, [loop]) + "".join(functors)

    def _cuda_functor(self, key: str, name: str, number: Argument | None = None) -> str:
        fields = [argument for argument in (number, *self.numbers) if argument is not None]
        elements = [argument for argument in self.tensors if argument is not number]
        values = {a.name: f"convert_element<opmath_t>({a.name})" for a in elements}
        values.update({a.name: f"{a.name}_" for a in fields})
        inputs = (*self.tensors, *self.numbers)
        return self.emitter.templates.section(_CUDA, "functor").fill(
            functor=f"{key}_{name}",
            name=name,
            fields="\n".join(f"opmath_t {argument.name}_;" for argument in fields),
            elements=", ".join(f"scalar_t {argument.name}" for argument in elements),
            values=", ".join(values[argument.name] for argument in inputs),
        )

    def _cuda_case(self, dtype: str, loop: UfuncLoop) -> str:
        templates = self.emitter.templates
        written = loop.key == "CUDAFunctor"  # by the author of the formula
        numbers = [f"{argument.name}_" for argument in self.numbers]
        compute = "scalar_t" if written else f"{loop.name}_compute_type<scalar_t>"
        body = ""
        if not written and dtype in _REDUCED and len(self.tensors) == 2:
            for key, number in _FUNCTORS.items():
                body += templates.section(_CUDA, "host_operand").fill(
                    name=self.tensors[number].name,
                    operand=str(1 + number),
                    functor=f"{key}_{loop.name}",
                    values=", ".join([f"*{self.tensors[number].name}_", *numbers]),
                )
        functor = f"ufunc::{loop.name}" if written else f"CUDAFunctor_{loop.name}"
        body += templates.section(_CUDA, "loop").fill(functor=functor, values=", ".join(numbers))
        declared = [f"using opmath_t = {compute};"] if numbers or body.startswith("if") else []
        declared += [
            f"const auto {a.name}_ = ufunc::number<opmath_t>({a.name});" for a in self.numbers
        ]
        return templates.section(_CUDA, "case").fill(
            dtype=dtype, numbers="\n".join(declared), loop=body.rstrip("\n")
        )


def _is_factor(number: Argument) -> bool:
    """Return whether the formula multiplies by the number, and usually by 1: alpha."""
    return number.default == "1"


def _cpu_loops(loops: tuple[UfuncLoop, ...]) -> Iterator[tuple[str, UfuncLoop]]:
    """Yield the loops by dtype; a later one takes precedence. Those on vectors follow the others."""
    for key in ("ScalarOnly", "Generic", "CPUScalar"):
        yield from _by_dtype(loops, key)
    for key in ("Generic", "CPUVector"):
        for dtype, loop in _by_dtype(loops, key):
            if not dtype.startswith("Complex"):
                yield dtype, loop


def _cuda_loops(loops: tuple[UfuncLoop, ...]) -> Iterator[tuple[str, UfuncLoop]]:
    for key in ("ScalarOnly", "Generic", "CUDAFunctor"):
        yield from _by_dtype(loops, key)


def _by_dtype(loops: tuple[UfuncLoop, ...], key: str) -> Iterator[tuple[str, UfuncLoop]]:
    for loop in loops:
        if loop.key == key:
            for word in loop.dtypes:
                yield from ((dtype, loop) for dtype in _CLASSES.get(word, (word,)))
