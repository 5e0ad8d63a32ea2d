"""Python bindings: parser signatures, the order of overloads, and the generated text."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from collected import files_of

from tools.codegen.api.python import out_signature_text, signature_text
from tools.codegen.deprecated import build_deprecated
from tools.codegen.emit.python import bound_functions, return_types
from tools.codegen.emit.python_binding import is_bound, make_binding
from tools.codegen.emit.python_overloads import deprecated_overloads, group_overloads
from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.codegen.read import OperatorFile, read_operators
from tools.drivers.context import templates

YAML = """
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  variants: function, method
  dispatch:
    CPU: add
- func: add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
  variants: function, method
  dispatch:
    CompositeExplicitAutograd: add
- func: add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: add_out
- func: eq.Scalar(Tensor self, Scalar other) -> Tensor
  variants: function, method
  dispatch:
    CPU: eq
- func: eq.Tensor(Tensor self, Tensor other) -> Tensor
  variants: function, method
  dispatch:
    CPU: eq
- func: zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
  dispatch:
    CompositeExplicitAutograd: zeros
- func: max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)
  variants: function, method
  dispatch:
    CPU: max
- func: relu_(Tensor(a!) self) -> Tensor(a!)
  variants: function, method
  dispatch:
    CPU: relu_
- func: named(Tensor self, Dimname dim) -> Tensor
  dispatch:
    CPU: named
"""


@pytest.fixture(scope="module")
def operators() -> Operators:
    return read_operators(YAML, "")


def test_parser_signatures(operators: Operators) -> None:
    by_name = operators.by_name
    assert (
        signature_text(by_name["add.Tensor"])
        == "add(Tensor input, Tensor other, *, Scalar alpha=1)"
    )
    assert (
        signature_text(by_name["add.Tensor"], method=True) == "add(Tensor other, *, Scalar alpha=1)"
    )
    assert (
        out_signature_text(by_name["add.out"])
        == "add(Tensor input, Tensor other, *, Scalar alpha=1, Tensor out=None)"
    )
    assert out_signature_text(by_name["add.Tensor"]) is None
    assert signature_text(by_name["zeros"]) == (
        "zeros(SymIntArrayRef size, *, ScalarType? dtype=None, Layout? layout=None, "
        "Device? device=None, bool? pin_memory=False, bool? requires_grad=False)"
    )


def names(operators: Operators, base: str) -> list[str]:
    functions = [f for f in operators.functions if f.root_name == base]
    return [str(o.function.func.name) for o in group_overloads(functions, method=False)]


def test_tensor_overloads_are_tried_before_scalar_ones(operators: Operators) -> None:
    assert names(operators, "eq") == ["eq.Tensor", "eq.Scalar"]


def test_plain_numbers_have_their_own_hidden_overload(operators: Operators) -> None:
    assert names(operators, "add") == ["add.Scalar", "add.Tensor"]
    functions = [f for f in operators.functions if f.root_name == "add"]
    hidden, shown = group_overloads(functions, method=False)
    assert hidden.hidden
    assert not shown.hidden
    assert shown.out is not None


DEPRECATED = """
- name: add(Tensor self, Scalar alpha, Tensor other) -> Tensor
  aten: add(self, other, alpha)
- name: add(Tensor self, Scalar alpha, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  aten: add_out(out, self, other, alpha)
- name: add(Scalar other, Tensor self) -> Tensor
  aten: add(self, other, 2)
"""


def test_deprecated_signatures_are_tried_last_and_marked(operators: Operators) -> None:
    deprecated = build_deprecated(OperatorFile.parse(DEPRECATED, "deprecated.yaml"), operators)
    assert [d.function.full_name for d in deprecated] == ["add.Tensor", "add.out", "add.Scalar"]
    assert deprecated[0].text() == "add(Tensor input, Scalar alpha, Tensor other)|deprecated"
    functions = [f for f in operators.functions if f.root_name == "add"]
    one, other = deprecated_overloads(deprecated, functions, method=False)
    assert one.out is operators.by_name["add.out"] and one.deprecated
    assert other.values == {"self": "self", "other": "other", "alpha": "2"}
    text = make_binding(
        templates("tools/autograd/templates"),
        "add",
        functions,
        method=False,
        flags="",
        return_types={},
        deprecated=deprecated,
    ).text
    assert text.count("r.warn_deprecated();") == 2
    assert "const at::Scalar alpha_ = 2;" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "ad(self, other, alpha)",
            ':3:9: no operator has a C++ function "ad" (did you mean',
        ),
        (
            "add(self, other, alpa)",
            ':3:26: "alpa" is neither a parameter nor a number (did you mean',
        ),
        ("add(self, other)", ":3:19: the call leaves out alpha"),
        ("add(other, alpha, self)", ':3:9: no overload of "add" takes these arguments'),
        ("add self other", ":3:9: expected a call: operator(argument, argument)"),
    ],
)
def test_deprecated_mistakes_are_reported_at_their_position(
    operators: Operators, call: str, message: str
) -> None:
    text = DEPRECATED.replace("add(self, other, alpha)", call, 1)
    with pytest.raises(InputError, match=re.escape(message)):
        build_deprecated(OperatorFile.parse(text, "deprecated.yaml"), operators)


def test_operators_with_unsupported_types_have_no_binding(operators: Operators) -> None:
    named = [operators.by_name["named"]]
    assert not is_bound(named)
    assert "THPVariable_named" not in "".join(files_of(operators, "python").values())


def test_generated_text(operators: Operators) -> None:
    files = files_of(operators, "python")
    text = "".join(files.values())
    assert "at::_ops::add_out::call(self_, other_, alpha_, out_);" in text
    assert "return Py_NewRef(self);" in text
    assert "wrap(max_return_type, std::move(result))" in text
    assert '{"relu_", THPVariable_relu_, METH_NOARGS,\n     "relu_() -> Tensor"},' in text
    assert all("/work" not in content for content in files.values())


def test_the_bytes_do_not_depend_on_the_order_of_entries(operators: Operators) -> None:
    turned = replace(operators, functions=tuple(reversed(operators.functions)))
    assert files_of(turned, "python") == files_of(operators, "python")


_PEER_TYPES = """
import json, torch
types = [t for t in vars(torch.return_types).values() if hasattr(t, "n_fields")]
print(json.dumps({t.__name__: list(t.__match_args__) for t in types}))
"""
_NOT_IN_PYTORCHS_PYTHON = {
    "_scaled_dot_product_fused_attention_overrideable",
    "fake_quantize_per_channel_affine_cachemask",
    "fake_quantize_per_tensor_affine_cachemask",
}


@pytest.mark.peer
def test_named_tuples_agree_with_pytorch(peer_packaged: Path) -> None:
    operators = read_operators(
        (peer_packaged / "native_functions.yaml").read_text(),
        (peer_packaged / "tags.yaml").read_text(),
    )
    actual = {
        name: fields
        for (_, *fields), name in return_types(bound_functions(operators.functions)).items()
    }
    found = subprocess.run(
        [os.environ["TORCH_PEER"], "-I", "-c", _PEER_TYPES],
        capture_output=True,
        text=True,
        check=True,
    )
    expected: dict[str, list[str]] = json.loads(found.stdout)
    assert {n: f for n, f in actual.items() if n not in _NOT_IN_PYTORCHS_PYTHON} == expected


def test_quotes_in_default_strings_are_escaped_for_cpp() -> None:
    yaml = """- func: quoted(Tensor self, str a="\\"'\\\\", str b='"\\'\\\\') -> Tensor\n"""
    text = "".join(files_of(read_operators(yaml, ""), "python").values())
    assert 'r.string(1, "\\"\'\\\\")' in text
    assert 'r.string(2, "\\"\'\\\\")' in text
