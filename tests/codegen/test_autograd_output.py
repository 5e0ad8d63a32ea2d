"""The generated Nodes, autograd kernels and view kernels of each kind of operator."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from collected import Collected, files_of
from operator_files import ROOT

from tools.autograd.load_derivatives import load_derivatives
from tools.codegen.read import read_operators
from tools.drivers.inputs import InputFiles

OPERATORS = """
- func: scale(Tensor self, Tensor other, Scalar alpha=1) -> Tensor
  structured_delegate: scale.out
  variants: function, method
- func: scale_(Tensor(a!) self, Tensor other, Scalar alpha=1) -> Tensor(a!)
  structured_delegate: scale.out
  variants: method
- func: scale.out(Tensor self, Tensor other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: scale_out
- func: squash(Tensor self) -> Tensor
  dispatch:
    CPU: squash
    CUDA: squash
- func: squash_(Tensor(a!) self) -> Tensor(a!)
  dispatch:
    CPU: squash_
- func: top(Tensor self, int k, int dim=-1) -> (Tensor values, Tensor indices)
  dispatch:
    CPU: top
- func: pieces(Tensor(a -> *) self, int size) -> Tensor(a)[]
  dispatch:
    CompositeExplicitAutograd: pieces
- func: slab(Tensor(a) self, int[] size) -> Tensor(a)
  dispatch:
    CPU: slab
- func: join(Tensor[] tensors, int dim=0) -> Tensor
  dispatch:
    CPU: join
- func: pick(Tensor self, Tensor?[] indices, Tensor? weight=None) -> Tensor
  dispatch:
    CPU: pick
- func: mix(Tensor self, Tensor weight, Tensor index) -> Tensor
  dispatch:
    CPU: mix
- func: turn_(Tensor(a!) self) -> Tensor(a!)
  tags: inplace_view
  dispatch:
    CPU: turn_
- func: largest(Tensor self) -> Tensor
  dispatch:
    CPU: largest
- func: largest.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU: largest_out
- func: above(Tensor self) -> Tensor
  structured_delegate: above.out
- func: above.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU: above_out
- func: rough(Tensor self) -> Tensor
  dispatch:
    CPU: rough
- func: composed(Tensor self) -> Tensor
- func: fresh(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor
  dispatch:
    CPU: fresh
"""

DERIVATIVES = """
- name: scale(Tensor self, Tensor other, Scalar alpha=1) -> Tensor
  self: grad * other * alpha
  other: grad * self
- name: squash(Tensor self) -> Tensor
  dispatch:
    Default:
      self: grad * result
    AutogradCUDA:
      self: grad * result * self
- name: top(Tensor self, int k, int dim=-1) -> (Tensor values, Tensor indices)
  self: spread(grad, indices, self.sizes(), dim)
  output_differentiability: [True, False]
- name: pieces(Tensor(a -> *) self, int size) -> Tensor(a)[]
  self: glue(grads, size)
- name: slab(Tensor(a) self, int[] size) -> Tensor(a)
  self: grad.reshape(self.sizes())
- name: join(Tensor[] tensors, int dim=0) -> Tensor
  tensors: unjoin(grad, tensors, dim)
- name: pick(Tensor self, Tensor?[] indices, Tensor? weight=None) -> Tensor
  self: unpick(grad, indices, weight)
- name: mix(Tensor self, Tensor weight, Tensor index) -> Tensor
  self, weight: mix_backward(grad, self, weight, index, grad_input_mask)
  index: non_differentiable
- name: turn_(Tensor(a!) self) -> Tensor(a!)
  self: grad.t()
- name: largest(Tensor self) -> Tensor
  output_differentiability: [False]
- name: above(Tensor self) -> Tensor
  output_differentiability: [False]
"""


@pytest.fixture(scope="module")
def files(tags_text: str) -> Collected:
    return generated(OPERATORS, DERIVATIVES, tags_text)


def generated(operators: str, derivatives: str, tags: str) -> Collected:
    model = read_operators(operators, tags)
    return files_of(model, derivatives=load_derivatives(derivatives, model))


def family(files: Collected, name: str) -> str:
    """Return all files of one autograd family as one text."""
    texts = [text for path, text in files.items() if Path(path).name.startswith(name)]
    assert texts
    return "\n".join(texts)


def body(text: str, name: str) -> str:
    """Return the definition of the first function of that name."""
    match = re.search(rf"^[^\n/]*\b{re.escape(name)}\([^\n]*{{\n(.*?)^}}", text, re.M | re.S)
    assert match, f"no definition of {name}"
    return match[1]


@pytest.fixture(scope="module")
def kernels(files: Collected) -> str:
    return family(files, "VariableType_")


@pytest.fixture(scope="module")
def nodes(files: Collected) -> str:
    return family(files, "Functions_")


@pytest.fixture(scope="module")
def views(files: Collected) -> str:
    return family(files, "ADInplaceOrViewType_")


def test_kernel_first_handles_calls_without_gradient(kernels: str) -> None:
    lines = body(kernels, "scale").splitlines()
    assert lines[0] == "  if (!compute_requires_grad(self, other)) {"
    assert "redispatch(ks & c10::after_autograd_keyset, self, other, alpha)" in lines[1]


def test_functional_kernel_saves_the_inputs_of_each_edge(kernels: str) -> None:
    text = body(kernels, "scale")
    assert "make_node<ScaleBackward0>(self, other)" in text
    guard = (
        "if (grad_fn->should_compute_output({})) {{\n    grad_fn->{}_ = SavedVariable({}, false);"
    )
    assert guard.format(0, "other", "other") in text
    assert guard.format(1, "self", "self") in text
    assert "  grad_fn->alpha = alpha;\n" in text
    assert text.index("AutoDispatchBelowADInplaceOrView") < text.index(
        "set_history(result, grad_fn)"
    )


def test_inplace_kernel_saves_a_copy_and_rebases(kernels: str) -> None:
    text = body(kernels, "scale_")
    assert "check_inplace(self, true);" in text
    assert "grad_fn->self_ = SavedVariable(cloned(self), false);" in text
    assert "rebase_history(self, grad_fn);" in text
    assert text.rstrip().endswith("return self;")


def test_inplace_output_is_saved_after_its_history(kernels: str) -> None:
    text = body(kernels, "squash_")
    saved = text.index("grad_fn->result_ = SavedVariable(self, true, self.is_view());")
    assert text.index("rebase_history") < saved


def test_shape_change_of_a_view_keeps_the_history_of_its_base(kernels: str) -> None:
    assert "set_history(self, grad_fn);" in body(kernels, "turn_")


def test_out_kernel_raises_if_gradients_are_required(kernels: str) -> None:
    text = body(kernels, "scale_out")
    assert "compute_requires_grad(self, other, out)" in text
    assert 'throw_error_out_requires_grad("scale");' in text


def test_only_differentiable_results_get_a_history(kernels: str, nodes: str) -> None:
    text = body(kernels, "top")
    assert "auto& [values, indices] = results;" in text
    assert "set_history(values, grad_fn);" in text
    assert "set_history(indices" not in text
    assert "grad_fn->indices_ = SavedVariable(indices, true);" in text
    assert "const auto indices = indices_.unpack(this);" in nodes


def test_lists_have_as_many_edges_as_tensors(kernels: str, nodes: str) -> None:
    assert "grad_fn->tensors_size_ = tensors.size();" in body(kernels, "join")
    assert "make_saved_variable_list(tensors, false)" in body(kernels, "join")
    text = body(nodes, "JoinBackward0::apply")
    assert "const auto tensors_ix = generator.range(tensors_size_);" in text
    assert "copy_range(grad_inputs, tensors_ix, unjoin(grad, tensors, dim));" in text
    assert "release_list(tensors_);" in body(nodes, "JoinBackward0::release_variables")


def test_optional_tensors_and_lists_of_them_are_saved(kernels: str, nodes: str) -> None:
    text = body(kernels, "pick")
    assert "grad_fn->weight_ = SavedVariable(weight, false);" in text
    assert "grad_fn->indices_ = make_saved_variable_list(indices, false);" in text
    assert "const auto indices = unpack_opt_list(indices_);" in nodes


def test_formula_of_several_variables_gets_a_mask_of_needed_gradients(nodes: str) -> None:
    text = body(nodes, "MixBackward0::apply")
    mask = "grad_input_mask{task_should_compute_output(0), task_should_compute_output(1)};"
    assert mask in text
    assert "grad_inputs[1] = std::get<1>(gradients);" in text


def test_undifferentiated_tensor_needs_the_guard(kernels: str) -> None:
    """`index` may require a gradient, but the operators that the kernel calls must not record it."""
    guard = "at::AutoDispatchBelowADInplaceOrView guard;"
    plain = body(kernels, "mix").partition("auto grad_fn")[0]
    assert guard in plain
    assert guard not in body(kernels, "scale").partition("auto grad_fn")[0]


def test_gradient_without_a_formula_raises(kernels: str) -> None:
    """`pick` reads `weight`, which has no formula."""
    text = body(kernels, "pick")
    assert text.startswith('  check_no_requires_grad(indices, "indices", "pick");')
    assert 'check_no_requires_grad(weight, "weight", "pick");' in text
    assert "check_no_requires_grad" not in body(kernels, "mix")


def test_node_without_gradients_computes_nothing(nodes: str) -> None:
    text = body(nodes, "ScaleBackward0::apply")
    assert text.index("any_variable_defined(grads)") < text.index("unpack()")


def test_constant_operators_have_no_kernel(kernels: str) -> None:
    for name in ("above", "above_out", "largest_out", "composed", "fresh"):
        assert f"_ops::{name}::" not in kernels


def test_calls_inside_a_constant_operator_are_not_recorded(kernels: str) -> None:
    lines = body(kernels, "largest").splitlines()
    assert lines[0] == "  at::AutoDispatchBelowADInplaceOrView guard;"
    assert lines[1].startswith("  return at::_ops::largest::redispatch(")


def test_operator_without_derivative_raises_in_backward(kernels: str) -> None:
    text = body(kernels, "rough")
    assert "make_node<NotImplemented>(self)" in text
    assert 'grad_fn->operator_name = "aten::rough";' in text


def test_formulas_of_one_key_have_their_own_node(kernels: str) -> None:
    assert "make_node<SquashBackward0>" in body(kernels, "squash")
    own = body(kernels, "squash_AutogradCUDA")
    assert "make_node<SquashBackwardAutogradCUDA0>" in own
    assert "{&at::_ops::squash::entry, c10::DispatchKey::AutogradCUDA, " in kernels


def test_views_are_tracked_below_autograd(views: str) -> None:
    text = body(views, "slab")
    assert "redispatch(ks & c10::after_ADInplaceOrView_keyset, self, size)" in text
    assert "as_view(" in text and "current_creation_meta())" in text


def test_views_from_a_multi_output_call_cannot_be_written(views: str) -> None:
    assert "CreationMeta::MULTI_OUTPUT_NODE" in body(views, "pieces")


def test_written_arguments_increment_their_version(views: str) -> None:
    assert "increment_version(self);" in body(views, "squash_")
    assert "increment_version(out);" in body(views, "scale_out")
    assert "_ops::scale::" not in views


def test_python_exposes_saved_values(files: Collected) -> None:
    text = family(files, "python_functions_")
    assert '{"_saved_self", get_saved<&ScaleBackward0::self_>' in text
    assert '{"_raw_saved_self", get_raw_saved<&ScaleBackward0::self_>' in text
    assert '{"_saved_alpha", get_saved<&ScaleBackward0::alpha>' in text
    assert "_raw_saved_alpha" not in text


def test_scalar_overload_has_the_node_name_of_the_tensor_overload(tags_text: str) -> None:
    operators = """
- func: mul.Tensor(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU: mul
- func: mul.Scalar(Tensor self, Scalar other) -> Tensor
  dispatch:
    CPU: mul
"""
    derivatives = """
- name: mul.Tensor(Tensor self, Tensor other) -> Tensor
  self: grad * other
  other: grad * self
- name: mul.Scalar(Tensor self, Scalar other) -> Tensor
  self: grad * other
"""
    files = generated(operators, derivatives, tags_text)
    assert 'return "MulBackward0";' in body(family(files, "Functions_"), "MulBackward1::name")
    classes = family(files, "python_functions_")
    kind = "N5torch8autograd9generated12MulBackward1E"
    assert f'{{"{kind}", "MulBackward0", MulBackward1_saved}},' in classes


def test_factories_forward_requires_grad(files: Collected) -> None:
    text = body(family(files, "variable_factories.h"), "fresh")
    assert "at::fresh(size, options.requires_grad(std::nullopt)), options.requires_grad()" in text


def test_every_call_is_traced_with_its_results(files: Collected) -> None:
    text = body(family(files, "TraceType_"), "scale")
    assert "record.inputs(self, other, alpha);" in text
    assert "record.outputs(result);" in text


def test_removed_entry_leaves_no_trace(tags_text: str) -> None:
    entry = DERIVATIVES[DERIVATIVES.index("- name: mix") : DERIVATIVES.index("- name: largest")]
    files = generated(OPERATORS, DERIVATIVES.replace(entry, ""), tags_text)
    assert not [path for path, text in files.items() if "MixBackward0" in text]


def test_changed_formula_changes_only_the_source_of_its_node(tags_text: str) -> None:
    before = generated(OPERATORS, DERIVATIVES, tags_text)
    changed = DERIVATIVES.replace("glue(grads, size)", "glue(grads, size, 0)")
    after = generated(OPERATORS, changed, tags_text)
    names = {Path(path).name for path in after if after[path] != before[path]}
    assert len(names) == 1 and names.pop().startswith("Functions_")


# ---------------------------------------------------------------- compilation


def compile_headers(files: Collected, folder: Path, headers: list[str]) -> None:
    """Compile generated headers together with the project's headers, as user code would."""
    compiler = os.environ.get("CXX") or shutil.which("c++")
    if not compiler:
        pytest.skip("no C++ compiler: set CXX")
    for path, text in files.items():
        if path.endswith((".h", ".inc")):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
    unit = folder / "unit.cpp"
    unit.write_text("".join(f"#include <{header}>\n" for header in headers))
    places = [folder, folder / "aten/src", ROOT, ROOT / "aten/src"]
    include = [f"-I{place}" for place in places]
    command = [compiler, "-std=c++20", "-fsyntax-only", *include, str(unit)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


HEADERS = [
    f"torch/csrc/autograd/generated/{name}"
    for name in ("Functions.h", "VariableType.h", "variable_factories.h")
]


def test_headers_compile(tmp_path: Path, native_text: str, tags_text: str) -> None:
    derivatives = (ROOT / "tools/autograd/derivatives.yaml").read_text()
    compile_headers(generated(native_text, derivatives, tags_text), tmp_path, HEADERS)


@pytest.mark.peer
@pytest.mark.slow
def test_every_derivative_of_pytorch_is_generated(peer_packaged: Path, tmp_path: Path) -> None:
    packaged = peer_packaged.parents[1]
    inputs = InputFiles.read(
        peer_packaged / "native_functions.yaml",
        peer_packaged / "tags.yaml",
        packaged / "autograd/derivatives.yaml",
    ).build()
    assert inputs.derivatives is not None
    files = files_of(inputs.operators, derivatives=inputs.derivatives)
    nodes = family(files, "Functions_")
    for entry in inputs.derivatives.nodes:
        assert f"struct {entry.node} :" in nodes
        assert f"variable_list {entry.node}::apply(" in nodes
    assert not [path for path, text in files.items() if "${" in text]
    compile_headers(files, tmp_path, [HEADERS[0], HEADERS[2]])
