"""gen_lazy_tensor: nodes, lowerings and kernels of a lazy back end, and PyTorch's names of them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tools.codegen.backends import read_backend
from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.drivers import lazy_tensor

ROOT = Path(__file__).parents[2]
OWN = ROOT / "aten/src/ATen/native/ts_native_functions.yaml"

DEVICE = """\
backend: Lazy
cpp_namespace: torch::lazy
full_codegen:
- add.Tensor
- _softmax
- native_layer_norm_backward
- max.dim
- clamp
- cat
- sum.dim_IntList
supported:
- view
- empty.memory_format
autograd:
- max_pool2d
"""


def run(folder: Path, text: str, *more: str) -> int:
    file = folder / "device.yaml"
    file.write_text(text)
    return lazy_tensor.main(["-s", str(file), "-o", str(folder / "out"), *more])


def written(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (folder / "out").iterdir()}


def test_nodes_kernels_and_registrations_are_written(tmp_path: Path) -> None:
    assert run(tmp_path, DEVICE, "--gen-ts-lowerings") == 0
    files = written(tmp_path)
    assert set(files) == {
        "LazyIr.h",
        "LazyLowering.cpp",
        "LazyNativeFunctions.h",
        "LazyNativeFunctions.cpp",
        "RegisterLazy.cpp",
        "RegisterAutogradLazy.cpp",
    }
    nodes = files["LazyIr.h"]
    assert "SumDimIntlist(const Value& self, at::OptionalIntArrayRef dim, bool keepdim, " in nodes
    assert "std::optional<std::vector<int64_t>> dim;" in nodes
    assert 'return OpKind("aten::_softmax");' in nodes
    lowering = files["LazyLowering.cpp"]
    assert "const auto min = arguments.optional_scalar(has_min);" in lowering
    assert "at::_ops::clamp::call(self, min, max)" in lowering
    kernels = files["LazyNativeFunctions.cpp"]
    assert "at::_ops::cat::call(to_meta(tensors), dim)" in kernels
    assert "return std::make_tuple(tensor_of(node, 0), tensor_of(node, 1));" in kernels
    assert "::view(" not in kernels  # written by hand
    rows = re.findall(r"_ops::(\w+)::entry, c10::DispatchKey::Lazy\b", files["RegisterLazy.cpp"])
    assert {"add_Tensor", "add__Tensor", "add_out", "clamp_", "view", "empty_out"} <= {*rows}
    assert len(rows) == len({*rows})


def test_settings(tmp_path: Path) -> None:
    header = tmp_path / "shapes.h"
    header.write_text("std::vector<Shape> compute_shape_clamp (const at::Tensor&);\n")
    base = ("--node-base", "mine::Node", "--node_base_hdr", "mine/node.h")
    assert run(tmp_path, DEVICE, "--shape-inference-hdr", str(header), *base) == 0
    files = written(tmp_path)
    assert "LazyLowering.cpp" not in files and "Lower()" not in files["LazyIr.h"]
    assert "class AddTensor : public mine::Node {" in files["LazyIr.h"]
    assert "#include <mine/node.h>" in files["LazyIr.h"]
    kernels = files["LazyNativeFunctions.cpp"]
    assert f'#include "{header}"' in kernels
    assert "= torch::lazy::compute_shape_clamp(self, min, max);" in kernels
    assert "at::_ops::clamp::call" not in kernels and "at::_ops::cat::call" in kernels


MISTAKES = {
    DEVICE.replace("- cat", "- add_.Tensor"): '9:1: "add_.Tensor" has no node: nodes are generated',
    DEVICE.replace("- cat", "- t"): '9:1: "t" has no node: nodes are generated only for functional',
    DEVICE.replace("- cat", "- matmul"): '9:1: "matmul" has no node: its derivative is that of',
    DEVICE.replace("- cat", "- item"): '9:1: "item" has no node',
    DEVICE.replace(
        "- cat", "- arange"
    ): '9:1: "arange" has no node: nodes cannot have the argument',
    DEVICE.replace("- cat", "- index.Tensor"): 'cannot have the argument "Tensor?[] indices"',
    DEVICE.replace("- cat", "- view"): '9:3: "view" is listed under "supported" too',
    DEVICE.replace("- max_pool2d", "- add.out"): '"add.out" belongs to "add.Tensor"',
    DEVICE + "non_native: []\n": '"non_native" is not supported: nodes that are not operators',
    DEVICE + "symint: []\n": '"symint" is not supported',
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes_are_reported_at_their_place(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, text) == 2
    assert MISTAKES[text] in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_only_lazy_back_ends_have_nodes(tmp_path: Path, model: Operators) -> None:
    file = tmp_path / "device.yaml"
    file.write_text(DEVICE)
    with pytest.raises(InputError, match="only gen_lazy_tensor generates nodes"):
        read_backend(file, model)


def test_shapes_of_all_own_nodes_come_from_meta_kernels(model: Operators) -> None:
    backend = read_backend(OWN, model, lazy=True)
    without = [
        function.full_name
        for function in backend.full_codegen
        if not (
            function.in_structured_group or function.composite_explicit
            or "Meta" in function.dispatch
        )
    ]  # fmt: skip
    assert without == []


def test_the_kernels_by_hand_are_those_of_the_file(tmp_path: Path) -> None:
    source = ROOT / "torch/csrc/lazy/native_functions.cpp"
    arguments = ["-o", str(tmp_path / "out"), "--impl-path", str(source), "--dry-run"]
    assert lazy_tensor.main(arguments) == 0
    with_one_more = OWN.read_text() + "- t\n"
    assert run(tmp_path, with_one_more, "--impl-path", str(source)) == 2


_PEER = """
import os, sys, torchgen
from torchgen.gen_lazy_tensor import run_gen_lazy_tensor
folder = os.path.dirname(torchgen.__file__)
run_gen_lazy_tensor(
    aten_path=os.path.join(folder, "packaged/ATen"), source_yaml=sys.argv[1],
    output_dir=sys.argv[2], dry_run=False, impl_path=None, shape_inference_hdr=sys.argv[3],
)
"""


@pytest.mark.peer
def test_pytorchs_generator_makes_the_same_nodes_and_kernels(tmp_path: Path) -> None:
    """Compare the names of classes and of their operators, and the declarations of kernels."""
    peer = os.environ.get("TORCH_PEER")
    if not peer:
        pytest.skip("set TORCH_PEER to a Python that has torch 2.13.0")
    assert run(tmp_path, DEVICE) == 0
    header = tmp_path / "shapes.h"
    header.write_text("")
    command = [peer, "-I", "-c", _PEER, str(tmp_path / "device.yaml"), str(tmp_path / "peer")]
    command.append(str(header))
    (tmp_path / "peer").mkdir()

    def generate() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    # It asks for declarations of the shape functions, which its error message lists.
    missing = re.findall(r"TORCH_API.*;", generate().stderr)
    header.write_text("\n".join(missing))
    result = generate()
    assert result.returncode == 0, result.stderr
    own = written(tmp_path)

    def nodes(text: str) -> list[str]:
        return sorted(re.findall(r"^class (\w+) :", text, re.MULTILINE))

    def kernels(text: str) -> list[str]:
        text = text.replace(
            "const at::ITensorListRef &", "at::TensorList"
        )  # it makes cat structured
        return sorted(re.findall(r"static (.*);", text))

    assert nodes(own["LazyIr.h"]) == nodes((tmp_path / "peer/LazyIr.h").read_text())
    peer_header = (tmp_path / "peer/LazyNativeFunctions.h").read_text()
    assert kernels(own["LazyNativeFunctions.h"]) == kernels(peer_header)
