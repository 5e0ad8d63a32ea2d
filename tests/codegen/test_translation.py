"""Signatures: the C++ form of a schema."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tools.codegen.api import cpp, dispatcher, native, structured
from tools.codegen.model import Operators
from tools.codegen.read import read_operators
from tools.drivers.facts import facts

_NOT_IN_THE_WHEEL = {"MPS", "SparseMPS", "MTIA", "XPU"}
"""Backends that Linux wheels of PyTorch lack, so that its headers lack their kernels."""


def test_declarations_of_known_operators(model: Operators) -> None:
    records = facts(model)
    assert records["add.Tensor"]["cpp"] == (
        "at::Tensor add(const at::Tensor & self, const at::Tensor & other, "
        "const at::Scalar & alpha=1)"
    )
    assert records["add.out"]["cpp"] == (
        "at::Tensor & add_out(at::Tensor & out, const at::Tensor & self, "
        "const at::Tensor & other, const at::Scalar & alpha=1)"
    )
    assert records["add.out"]["cpp_faithful"] == (
        "at::Tensor & add_outf(const at::Tensor & self, const at::Tensor & other, "
        "const at::Scalar & alpha, at::Tensor & out)"
    )
    assert records["zeros"]["cpp"] == (
        "at::Tensor zeros(at::IntArrayRef size, at::TensorOptions options={})"
    )
    assert records["as_strided_"]["cpp_method"] == (
        "const at::Tensor & as_strided_(at::IntArrayRef size, at::IntArrayRef stride, "
        "::std::optional<int64_t> storage_offset=::std::nullopt)"
    )
    assert records["abs"]["cpp_faithful"] is None


def test_structured_delegate_uses_the_kernel_of_out(model: Operators) -> None:
    for name, expected in (("mul.Tensor", "mul_out"), ("add.Tensor", "ufunc_add_CPU")):
        kernel = model.kernel(model.by_name[name], "CPU")
        assert kernel is not None and kernel.structured and kernel.name == expected


def test_generated_variants_are_tagged_and_composite(model: Operators) -> None:
    out = model.by_name["zeros_like.out"]
    assert out.is_generated and out.composite_explicit and not out.composite_implicit
    assert str(out.func) == (
        "zeros_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out)"
        " -> Tensor(a!)"
    )


@pytest.mark.peer
def test_declarations_agree_with_headers_of_pytorch(
    peer_packaged: Path, peer_headers: Path
) -> None:
    operators = read_operators(
        (peer_packaged / "native_functions.yaml").read_text(),
        (peer_packaged / "tags.yaml").read_text(),
    )
    counts: Counter[str] = Counter()
    differences: list[str] = []
    for root, functions in operators.by_root.items():
        entries = (peer_headers / f"{root}_ops.h").read_text()
        public = (peer_headers / f"{root}.h").read_text()
        kernels = (peer_headers / f"{root}_native.h").read_text()
        structs = set(re.findall(r"struct TORCH_API (\w+) \{", entries))
        assert structs == {function.unambiguous for function in functions}
        for function in functions:
            dispatched = dispatcher.signature(function, symint=True)
            assert f"using schema = {dispatched.function_type};" in entries
            counts["dispatcher"] += 1
            # PyTorch keeps c10::SymInt in results; our headers always have int64_t.
            returns = dispatched.returns
            is_public = "function" in function.variants and not function.manual_cpp_binding
            for signature in cpp.signatures(function) if is_public else []:
                text = replace(signature, returns=returns).declaration(defaults=True)
                counts["cpp"] += 1
                if f"inline {text} {{" not in public:
                    differences.append(text)
            for key, kernel in function.dispatch.items():
                if kernel.structured:
                    continue
                symint = "symint" in kernel.name
                signature = native.signature(function, kernel.name, symint=symint)
                text = replace(signature, returns=returns).declaration(defaults=True)
                counts["native"] += 1
                if key in _NOT_IN_THE_WHEEL and f" {kernel.name}(" not in kernels:
                    counts["not in the wheel"] += 1
                elif f"{text};" not in kernels:
                    differences.append(text)
    assert differences == []
    assert counts["dispatcher"] == 3101
    assert counts["cpp"] == 4050
    assert counts["native"] == 4740 and counts["not in the wheel"] == 257


@pytest.mark.peer
def test_structured_classes_agree_with_headers_of_pytorch(
    peer_packaged: Path, peer_headers: Path
) -> None:
    operators = read_operators(
        (peer_packaged / "native_functions.yaml").read_text(),
        (peer_packaged / "tags.yaml").read_text(),
    )
    assert len(operators.groups) == 275
    for group in operators.groups:
        declared, kernels = (
            (peer_headers / f"{group.out.root_name}_{family}.h")
            .read_text()
            .replace("at::ArrayRef<int64_t>", "at::IntArrayRef")  # two spellings of one type
            for family in ("meta", "native")
        )
        base = group.out.structured_inherits or "at::impl::MetaBase"
        assert f"struct TORCH_API {group.meta_name} : public {base} {{" in declared
        meta = ", ".join(b.declaration(defaults=False) for b in structured.meta_parameters(group))
        assert f" meta({meta});" in declared
        impl = ", ".join(b.declaration(defaults=False) for b in structured.impl_parameters(group))
        assert f"void impl({impl});" in kernels
