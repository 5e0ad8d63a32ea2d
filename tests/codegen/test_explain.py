"""`explain operator`: every printed position exists and contains the expected word."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from operator_files import DERIVATIVES, NATIVE, ROOT, TAGS

from tools.base.errors import BuildError
from tools.codegen.functional import copies_of_views
from tools.codegen.model import Operators
from tools.drivers import lazy_tensor
from tools.drivers.cli import main
from tools.drivers.explain import operator
from tools.drivers.explain.cpp_sources import CppSources
from tools.drivers.explain.kernels import Kernels
from tools.drivers.explain.place import TextFile

_PLACE = re.compile(r"^      (?P<path>\S+):(?P<line>\d+) +(?P<word>\S+)")

# Texts that must appear in the explanation of each operator.
PATHS = {
    "add.Tensor": [
        "Python, torch.add",
        "THPVariable_add",
        "at::_ops::add_Tensor::call",
        "VariableType_",
        "AddBackward0::apply",
        "wrapper_CPU_add_Tensor",
        "meta, checks",
        *("UfuncCPU_add.cpp", "UfuncCPUKernel_add.cpp", "add_kernel", "UfuncCUDA_add.cu"),
        *("formula, which loops on vectors", "native/ufunc/add.h", "add_flags"),
        "derivatives.yaml",
        "tests/runtime/samples/",
        "annotated_fn_args.py",
        *("Functionalize, inside functionalize(): calls the operator", "FunctionalizeFallbackKern"),
        *("Lazy, records a node", "LazyNativeFunctions::add", "AddTensor::Lower"),
    ],
    "div.Tensor": ["in archives of old versions", "native/upgraders.yaml"],
    "add_.Tensor": [
        *("Python, Tensor.add_", "ADInplaceOrViewType_", "AddBackward0", "ufunc/add.h"),
        *("Functionalize, inside functionalize(): calls aten::add.Tensor", "RegisterFunctionaliz"),
    ],
    "add.out": ["at::_ops::add_out::call", "wrapper_CPU_add_out", "ADInplaceOrViewType_"],
    "transpose.int": [
        "ADInplaceOrViewType_",
        "TransposeBackward0",
        "native/PermuteOps.cpp",
        "_decomp/rearrangements.py",
    ],
    "eq.Scalar": ["AT_COMPARISON(eq)", "eq_kernel", "declares no differentiable result"],
    "copy_": ["copy_recorded", "Autograd kernel, registered by hand", "copy_counted"],
    "__and__.Tensor": ["samples/pointwise.py", "AT_BITWISE(bitwise_and,"],
    "matmul": ["CompositeImplicitAutograd kernel", "its body calls operators that have"],
    "rand.generator": ["CompositeExplicitAutograd kernel"],
    "max.dim": ["TORCH_PRECOMPUTE_META_FUNC2", "MaxBackward0::apply"],
    "zeros_like.out": ["kernel, generated for autogen", "CompletedKernels_"],
    "select_copy.int": ["kernel, generated from the view", "CompositeViewCopyKernels.cpp"],
    "unbind_copy.int_out": ["kernel, generated from the view"],
    "select.int": ["a class replays the view", "ViewMetaClasses.cpp", "select_int_ViewMeta"],
    "_softmax": ["SoftmaxBackward0", "softmax"],
    "nll_loss": ["torch._C._nn.nll_loss"],
}


@pytest.fixture(scope="module")
def build_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generate all families of our operators."""
    out = tmp_path_factory.mktemp("build")
    inputs = ["--native-functions", str(NATIVE), "--tags", str(TAGS)]
    inputs += ["--derivatives", str(DERIVATIVES)]
    assert main(["generate", *inputs, "--out", str(out)]) == 0
    nodes = out / "torch/csrc/lazy/generated"
    assert lazy_tensor.main(["-o", str(nodes), "--gen-ts-lowerings"]) == 0
    for family in ("unboxing", "legacy_types", "aten_op"):  # stages that are off by default
        assert main(["generate", *inputs, "--out", str(out), "--only", family]) == 0
    return out


def test_stages_that_are_off_by_default_add_their_steps(build_dir: Path) -> None:
    text = operator(ROOT, build_dir, ["add.Tensor"])
    assert "at::unboxing, with arguments on a stack" in text
    assert "method of tensor.type()" in text and "CPUTypeDefault::add" in text
    assert "Caffe2's operator ATen" in text and "a row of its table" in text


@pytest.mark.parametrize("name", PATHS)
def test_every_place_contains_its_word(name: str, build_dir: Path) -> None:
    text = operator(ROOT, build_dir, [name])
    places = [match for line in text.split("\n") if (match := _PLACE.match(line))]
    assert len(places) > 8, text
    for place in places:
        lines = (ROOT / place["path"]).read_text(encoding="utf-8").split("\n")
        assert place["word"] in lines[int(place["line"]) - 1], place[0]
    for expected in PATHS[name]:
        assert expected in text, text
    assert "no definition" not in text


def test_every_indented_line_is_a_place(build_dir: Path) -> None:
    text = operator(ROOT, build_dir, ["add.Tensor"])
    indented = [line for line in text.split("\n") if line.startswith("      ")]
    assert indented and all(_PLACE.match(line) for line in indented)


def test_before_a_build_missing_files_are_reported(tmp_path: Path) -> None:
    text = operator(ROOT, tmp_path, ["add.Tensor"])
    assert "dispatcher" in text and "not generated yet" in text
    assert "native_functions.yaml:" in text and "native/ufunc/add.h:" in text


def test_kernels_of_all_operators_are_found(model: Operators) -> None:
    folder = ROOT / "aten/src/ATen/native"
    paths = [path for pattern in ("*.cpp", "*.h") for path in sorted(folder.rglob(pattern))]
    kernels = Kernels(model, CppSources([TextFile.read(path, ROOT) for path in paths]))
    keys = {"CPU", "Meta", "CompositeImplicitAutograd", "CompositeExplicitAutograd"}
    missing_lines = [
        f"{function.full_name}: {step.remark}"
        for function in model.functions
        if not function.is_generated and function not in copies_of_views(model)
        for key in sorted(keys)
        for step in kernels.steps(function, key)
        if "no definition" in step.remark
    ]
    assert not missing_lines


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["ad.Tensor"], "no operator 'ad.Tensor' (did you mean \"add.Tensor\"?)"),
        (["add"], "no operator 'add'; choose one of:"),
        (["addd"], "no operator 'addd' (did you mean \"add\"?)"),
        (["add.Tensr"], "no operator 'add.Tensr'; choose one of:"),
        (["add.Tensor", "subb"], "no operator 'subb' (did you mean \"sub\"?)"),
        ([], "needs the name of an operator"),
    ],
)
def test_unknown_names_get_a_suggestion(words: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(BuildError) as caught:
        operator(ROOT, tmp_path, words)
    assert message in caught.value.message


def test_name_without_overload_lists_the_overloads_and_how_they_differ(tmp_path: Path) -> None:
    with pytest.raises(BuildError) as caught:
        operator(ROOT, tmp_path, ["add"])
    assert caught.value.cause.split("\n") == [
        "add.Tensor  (Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        "add.out     (Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
        "add.Scalar  (Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
    ]
    with pytest.raises(BuildError) as caught:
        operator(ROOT, tmp_path, ["torch.Tensor.add_"])
    assert [row.split()[0] for row in caught.value.cause.split("\n")] == [
        "add_.Tensor",
        "add_.Scalar",
    ]


def test_a_single_overload_may_be_omitted_and_several_operators_are_explained(
    build_dir: Path,
) -> None:
    output = operator(ROOT, build_dir, ["aten::transpose_", "torch.relu_"])
    first, second = re.findall(r"^\w+\(.*$", output, re.MULTILINE)
    assert first.startswith("transpose_(") and second.startswith("relu_(")


def test_gradients_are_listed_in_line_order(build_dir: Path) -> None:
    places = [match for line in operator(ROOT, build_dir, ["add.Tensor"]).splitlines()
              if (match := _PLACE.match(line)) and "derivatives.yaml" in match["path"]]  # fmt: skip
    lines = [int(match["line"]) for match in places]
    assert len(lines) == 2 and lines == sorted(lines)


def test_command_line_prints_the_explanation(
    capsys: pytest.CaptureFixture[str], build_dir: Path
) -> None:
    assert main(["explain", "aten::add.Tensor", "--build", str(build_dir)]) == 0
    assert capsys.readouterr().out.startswith("add.Tensor(Tensor self, Tensor other, *, Scalar")
    assert main(["explain", "add"]) == 2
    assert "add.Scalar" in capsys.readouterr().err
