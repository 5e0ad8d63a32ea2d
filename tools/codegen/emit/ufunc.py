"""UfuncCPU_*.cpp and UfuncCPUKernel_*.cpp: impl and loops around an element-wise function.

The kernel author writes only `at::native::ufunc::<name>` in ATen/native/ufunc/<name>.h, a template
that is called with vectors if the loop has them for the dtype, else with single elements. List the
kernel file among those compiled once per CPU capability.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tools.codegen.api import structured
from tools.codegen.emit.common import Emitter, includes
from tools.codegen.model import StructuredGroup, UfuncLoop
from tools.codegen.schema import Argument

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
_SCALAR_LOOPS = ("ScalarOnly", "CPUScalar")
_VECTOR_LOOPS = ("Generic", "CPUVector")
_KERNEL = "UfuncCPUKernel.cpp"


def ufunc_kernels(emitter: Emitter) -> None:
    """Emit two files for each operator with `ufunc_inner_loop`."""
    for group in emitter.operators.groups:
        if group.out.ufunc_inner_loop:
            root = group.out.root_name
            impl = partial(_impl, group)
            emitter.file(f"UfuncCPU_{root}.cpp", "UfuncCPU.cpp", [group.out], impl)
            kernel = partial(_kernel, emitter, group)
            emitter.file(f"UfuncCPUKernel_{root}.cpp", _KERNEL, [group.out], kernel)


def _inputs(group: StructuredGroup) -> tuple[list[Argument], list[Argument]]:
    """Return the arguments that the loop iterates over, and those that stay constant in it."""
    inputs = group.functional.func.arguments.non_out
    tensors = [argument for argument in inputs if argument.type.is_tensor_like()]
    return tensors, [argument for argument in inputs if argument not in tensors]


def _common(group: StructuredGroup) -> dict[str, str]:
    scalars = [structured.argument_type(argument.type) for argument in _inputs(group)[1]]
    root = group.out.root_name
    return {
        "root": root,
        "stub": f"ufunc_{root}_stub",
        "types": ", ".join(["TensorIteratorBase&", *scalars]),
    }


def _impl(group: StructuredGroup) -> Mapping[str, str]:
    parameters = structured.impl_parameters(group)
    scalars = [argument.name for argument in _inputs(group)[1]]
    return {
        **_common(group),
        "kernel": group.out.dispatch["CPU"].name,
        "parameters": ", ".join(binding.declaration(defaults=False) for binding in parameters),
        "arguments": ", ".join(["device_type()", "*this", *scalars]),
    }


def _kernel(emitter: Emitter, group: StructuredGroup) -> Mapping[str, str]:
    bindings = [structured.binding(argument) for argument in _inputs(group)[1]]
    declared = [binding.declaration(defaults=False) for binding in bindings]
    loops = group.out.ufunc_inner_loop
    return {
        **_common(group),
        "includes": includes(sorted({f"ATen/native/ufunc/{loop.name}.h" for loop in loops})),
        "parameters": ", ".join(["TensorIteratorBase& iter", *declared]),
        "cases": "".join(
            _case(emitter, group, dtype, loop) for dtype, loop in sorted(_by_dtype(loops).items())
        ),
    }


def _by_dtype(loops: tuple[UfuncLoop, ...]) -> dict[str, UfuncLoop]:
    """Return the loop of each dtype; a loop with vectors takes precedence."""
    chosen: dict[str, UfuncLoop] = {}
    for keys in (_SCALAR_LOOPS, _VECTOR_LOOPS):
        for loop in (loop for loop in loops if loop.key in keys):
            for word in loop.dtypes:
                chosen.update(dict.fromkeys(_CLASSES.get(word, (word,)), loop))
    return chosen


def _case(emitter: Emitter, group: StructuredGroup, dtype: str, loop: UfuncLoop) -> str:
    tensors, scalars = _inputs(group)
    with_vectors = loop.key in _VECTOR_LOOPS and "Complex" not in dtype
    type = "vec::lane_type<scalar_t>" if with_vectors else "scalar_t"
    values = [a.name for a in tensors] + [f"{a.name}_" for a in scalars]
    section = emitter.templates.section(_KERNEL, "vectors" if with_vectors else "elements")
    return emitter.templates.section(_KERNEL, "case").fill(
        dtype=dtype,
        scalars="\n".join(
            f"const auto {a.name}_ = static_cast<{type}>({a.name}.to<scalar_t>());" for a in scalars
        ),
        loop=section.fill(
            name=loop.name,
            types=", ".join("scalar_t" for _ in tensors),
            vectors=", ".join(f"auto {a.name}" for a in tensors),
            elements=", ".join(f"scalar_t {a.name}" for a in tensors),
            values=", ".join(values),
        ),
    )
