"""Headers for kernel authors: the declarations of at::native, and the structured classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tools.codegen.api import native, structured
from tools.codegen.api.signature import Binding
from tools.codegen.emit.common import Emitter, includes, type_headers
from tools.codegen.emit.headers import aggregate
from tools.codegen.model import NativeFunction, StructuredGroup
from tools.codegen.schema import Argument

META_BASE = "at::impl::MetaBase"


def native_headers(emitter: Emitter) -> None:
    """Emit ops/<root>_native.h and NativeFunctions.h."""
    roots = emitter.operators.by_root
    for root, functions in roots.items():
        values = partial(_native_header, emitter, root, functions)
        emitter.file(f"ops/{root}_native.h", "NativeFunction.h", functions, values)
    aggregate(emitter, "NativeFunctions.h", (f"{root}_native.h" for root in roots))


def _native_header(
    emitter: Emitter, root: str, functions: Sequence[NativeFunction]
) -> Mapping[str, str]:
    declarations: dict[str, None] = {}
    for function in functions:
        for text in _kernel_declarations(emitter, function):
            declarations[text] = None
    types = type_headers(functions)
    structured_root = any(function.structured for function in functions)
    return {
        "includes": "\n".join(
            filter(None, [includes([f"ATen/ops/{root}_meta.h"] if structured_root else []), types])
        ),
        "kernels": "".join(declarations),
    }


def _kernel_declarations(emitter: Emitter, function: NativeFunction) -> list[str]:
    plain = emitter.templates.section("NativeFunction.h", "kernel")
    impl = emitter.templates.section("NativeFunction.h", "structured")
    texts: list[str] = []
    for kernel in function.dispatch.values():
        if kernel.namespace != "at::native":
            continue
        if not kernel.structured:
            signature = native.signature(function, kernel.name)
            texts.append(plain.fill(declaration=signature.declaration(defaults=True)))
            continue
        group = emitter.operators.group_of[function.full_name]
        texts.append(
            impl.fill(
                kernel=kernel.name,
                meta=group.meta_name,
                parameters=_parameters(structured.impl_parameters(group)),
            )
        )
    return texts


def _parameters(bindings: tuple[Binding, ...]) -> str:
    return ", ".join(binding.declaration(defaults=False) for binding in bindings)


def meta_headers(emitter: Emitter) -> None:
    """Emit ops/<root>_meta.h and NativeMetaFunctions.h: the classes of structured operators."""
    roots: dict[str, list[StructuredGroup]] = {}
    for group in emitter.operators.groups:
        roots.setdefault(group.out.root_name, []).append(group)
    for root, groups in sorted(roots.items()):
        outs = [group.out for group in groups]
        values = partial(_meta_header, emitter, groups)
        emitter.file(f"ops/{root}_meta.h", "NativeMetaFunction.h", outs, values)
    aggregate(emitter, "NativeMetaFunctions.h", (f"{root}_meta.h" for root in sorted(roots)))


def _meta_header(emitter: Emitter, groups: Sequence[StructuredGroup]) -> Mapping[str, str]:
    iterators = any(group.out.structured_inherits for group in groups)
    return {
        "includes": includes(["ATen/TensorIterator.h"] if iterators else []),
        "structs": "".join(_meta_struct(emitter, group) for group in groups),
    }


def _meta_struct(emitter: Emitter, group: StructuredGroup) -> str:
    common = {
        "meta": group.meta_name,
        "parent": group.out.structured_inherits or META_BASE,
        "parameters": _parameters(structured.meta_parameters(group)),
    }
    precomputed = group.out.precomputed
    if precomputed is None:
        return emitter.templates.section("NativeMetaFunction.h", "struct").fill(**common)
    elements = precomputed.elements
    flags = [_flag(element) for element in elements]
    fields = [f"{structured.argument_type(e.type)} {e.name};" for e in elements]
    return emitter.templates.section("NativeMetaFunction.h", "precomputed").fill(
        **common,
        flags_with_defaults=", ".join(f"bool {flag} = false" for flag in flags),
        all_true=", ".join("true" for _ in flags),
        setters="".join(_setter(emitter, elements, index) for index in range(len(elements))),
        fields="\n".join(fields),
    )


def _flag(element: Argument) -> str:
    return element.name.upper()


def _setter(emitter: Emitter, elements: tuple[Argument, ...], index: int) -> str:
    element = elements[index]
    after = ["true" if i == index else _flag(other) for i, other in enumerate(elements)]
    assignments = [
        f"result.{other.name} = {'value' if other is element else other.name};"
        for other in elements
    ]
    return emitter.templates.section("NativeMetaFunction.h", "setter").fill(
        name=element.name,
        type=structured.argument_type(element.type),
        flag=_flag(element),
        flags_after=", ".join(after),
        assignments="\n".join(assignments),
    )
