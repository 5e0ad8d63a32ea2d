"""Which wrappers check that their tensors are on one device, as text; tests/cuda runs them."""

from __future__ import annotations

import pytest
from collected import files_of
from operator_files import TAGS

from tools.codegen.read import read_operators


def wrapper(*schemas: str, key: str = "CUDA", more: str = "") -> str:
    """Return what Register<key>_*.cpp has for operators."""
    text = "".join(
        f"- func: {s}\n{more}  dispatch:\n    {key}: own{i}\n" for i, s in enumerate(schemas)
    )
    files = files_of(read_operators(text, TAGS.read_text()), "register")
    found = [text for path, text in files.items() if f"/Register{key}_" in path]
    return "".join(found)


@pytest.mark.parametrize(
    ("arguments", "check"),
    [
        ("Tensor self, Tensor other", '("self", self)("other", other)'),
        ("Tensor self, Tensor? other=None", '("self", self)("other", other)'),
        ("Tensor[] tensors", '("tensors", tensors)'),
        ("Tensor self, Tensor other, *, Tensor? lr=None", '("self", self)("other", other)'),
    ],
)
def test_a_kernel_of_a_device_checks_its_tensors(arguments: str, check: str) -> None:
    text = wrapper(f"mix({arguments}) -> Tensor")
    assert f"{check};\n" in text
    assert text.index("at::DeviceCheck(") < text.index("const c10::OptionalDeviceGuard guard(")
    assert "#include <ATen/DeviceCheck.h>" in text


@pytest.mark.parametrize(
    ("schema", "key", "more"),
    [
        ("mix(Tensor self, Tensor other) -> Tensor", "CPU", ""),
        ("mix(Tensor self, Tensor other) -> Tensor", "CUDA", "  device_check: NoCheck\n"),
        ("mix(Tensor self, int n) -> Tensor", "CUDA", ""),
    ],
)
def test_others_do_not(schema: str, key: str, more: str) -> None:
    assert "at::DeviceCheck(" not in wrapper(schema, key=key, more=more)


def test_the_result_that_a_caller_gives_comes_first() -> None:
    text = wrapper(
        "mix(Tensor self, Tensor other) -> Tensor",
        "mix.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
    )
    assert '("out", out)("self", self)("other", other);\n' in text


def test_composed_kernels_write_new_tensors_without_counting() -> None:
    """Recorded calls run below the key that counts, and calls of structured kernels write no views."""
    guard = "const AutoDispatchBelowADInplaceOrView uncounted;"
    composed = "CompositeExplicitAutograd"
    assert guard in wrapper("mix(Tensor self, Tensor other) -> Tensor", key=composed)
    for schema, key in (
        ("mix(Tensor self, Tensor other) -> Tensor", "CPU"),
        ("mix_(Tensor(a!) self, Tensor other) -> Tensor(a!)", composed),
        ("part(Tensor(a) self) -> Tensor(a)", composed),
        ("count(Tensor self) -> int", composed),
    ):
        assert guard not in wrapper(schema, key=key)
