"""The legacy kernels' generators: header to .cwrap to C++, nn.yaml and Declarations.cwrap to dispatchers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.codegen.errors import InputError
from tools.cwrap.cwrap import cwrap
from tools.cwrap.declarations import read_declarations
from tools.cwrap.libraries import THCUNN, THNN
from tools.cwrap.plugins.defaults import module_plugins
from tools.drivers.legacy_nn import main
from tools.nnwrap.generate_wrappers import main as generate_wrappers
from tools.nnwrap.generate_wrappers import wrappers
from tools.nnwrap.header import read_header
from tools.nnwrap.nn_parse import parse_cwrap, parse_nn_yaml

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / THNN.header
CUDA_HEADER = ROOT / THCUNN.header
KERNELS = {function.name: function for function in read_header(HEADER)}


def test_header_declares_every_kernel_that_is_defined() -> None:
    defined = {
        line.partition("THNN_(")[2].partition(")")[0]
        for file in HEADER.parent.glob("*.c")
        for line in file.read_text().splitlines()
        if line.startswith("void THNN_(")
    }
    assert set(KERNELS) == defined
    assert len(defined) == 36


def test_the_header_for_cuda_declares_the_same_kernels() -> None:
    of_cuda = read_header(CUDA_HEADER)
    assert [function.name for function in of_cuda] == list(KERNELS)
    for function in of_cuda:
        own, other = function.arguments, KERNELS[function.name].arguments
        assert [(a.name, a.is_output, a.is_optional) for a in own] == [
            (a.name, a.is_output, a.is_optional) for a in other
        ]
    included = {
        name
        for file in CUDA_HEADER.parents[1].glob("*.cu")
        for name in re.findall(r"#include <THNN/generic/(\w+)\.c>", file.read_text())
    }
    assert included == {file.stem for file in HEADER.parent.glob("*.c")}


def test_kernels_for_cuda_are_wrapped_with_their_device() -> None:
    declarations, code = wrappers(CUDA_HEADER)
    names = {d.name: d for d in read_declarations(declarations, "THCUNN.cwrap")}
    assert len(names) == 2 * len(KERNELS)
    assert names["CudaAbs_updateOutput"].cname == "THNN_CudaAbs_updateOutput"
    nll = names["CudaDoubleClassNLLCriterion_updateOutput"]
    types = [argument.type for argument in nll.arguments]
    assert types[:4] == ["void*", "THCudaDoubleTensor*", "THCudaLongTensor*", "THCudaDoubleTensor*"]
    assert "args, at::kCUDA, 3," in code and "init__THCUNN" in code
    assert "const c10::DeviceGuard device(torch::nn::device_of({input, output}));" in code
    assert "DeviceGuard" not in wrappers(HEADER)[1]


def test_each_kernel_is_wrapped_for_each_type() -> None:
    declarations, code = wrappers(HEADER)
    assert declarations.count("[[\n") == 2 * len(KERNELS)
    names = {d.name for d in read_declarations(declarations, "THNN.cwrap")}
    assert {"FloatAbs_updateOutput", "DoubleCol2Im_updateGradInput"} <= names
    assert all(f'{{"{name}", {name}, METH_VARARGS | METH_STATIC' in code for name in names)
    assert "arguments.is_none(6) ? nullptr : arguments.tensor(6, at::kFloat)" in code
    assert 'thnn_type.tp_name = "torch._C._THNN";' in code


def test_a_header_of_another_library_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "THXNN.h"
    other.write_text("")
    with pytest.raises(InputError, match="named THNN or THCUNN"):
        wrappers(other)


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("THTensr* input);", "THNN.h:3:5: unknown type 'THTensr*' (did you mean \"THTensor*\"?)"),
        ("THTensor* input, int64_t k);", "THNN.h:3:5: cannot read the argument"),
        ("THTensor* input,", "THNN.h:2:1: a kernel is declared as"),
    ],
)
def test_mistakes_in_a_header_are_located(declaration: str, message: str, tmp_path: Path) -> None:
    header = tmp_path / "THNN.h"
    header.write_text(f"// kernels\nTH_API void THNN_(Abs_updateOutput)(\n    {declaration}\n")
    with pytest.raises(InputError) as caught:
        wrappers(header)
    assert message in str(caught.value)


def test_every_function_without_a_conversion_is_reported() -> None:
    blocks = "".join(f"[[\n  name: {n}\n  arguments: [quad x]\n]]\n" for n in "fg")
    with pytest.raises(InputError) as caught:
        cwrap(blocks, "THNN.cwrap", module_plugins(THNN))
    assert "THNN.cwrap:1:1: f: no conversion" in str(caught.value)
    assert "THNN.cwrap:5:1: g: no conversion" in str(caught.value)


def test_command_writes_both_files(tmp_path: Path) -> None:
    assert generate_wrappers([str(HEADER), str(tmp_path)]) == 0
    text = (tmp_path / "THNN.cwrap").read_text()
    assert (tmp_path / "THNN.cpp").read_text() == cwrap(text, "", module_plugins(THNN))


def test_every_type_has_a_dispatcher(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 0
    made = {path.name: path.read_text() for path in (tmp_path / "aten/src/ATen").iterdir()}
    assert len(made) == 3 + 2 * 9 + 2 * 9
    assert "THNN_CudaDoubleELU_updateOutput(" in made["LegacyTHCUDADoubleDispatcher.cpp"]
    assert "_th_histc" not in made["LegacyTHCUDADoubleDispatcher.cpp"]
    assert "THNN" not in made["LegacyTHCUDALongDispatcher.cpp"]
    kernel = "THNN_DoubleSpatialAdaptiveMaxPooling_updateOutput("
    assert kernel in made["LegacyTHCPUDoubleDispatcher.cpp"]
    assert "THNN_" not in made["LegacyTHCPUBoolDispatcher.cpp"]
    functions = made["LegacyTHFunctions.h"]
    for name in ("forward_out", "forward", "backward_out", "backward"):
        assert f" _thnn_adaptive_max_pool2d_{name}(" in functions
    assert "const Tensor& grad_output, const Tensor& self, const Tensor& indices)" in functions
    assert "dim = maybe_wrap_dim(dim, self.dim());" in made["LegacyTHCPUFloatDispatcher.cpp"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- name: f(Tensor self)\n  cname: Abz\n", "THNN.h declares no Abz_updateOutput"),
        ("- name: f(Tensor self)\n  cname: Abs\n  buffersx: []\n", 'did you mean "buffers"'),
        ("- name: f(Tensor self)\n  cname: ELU\n", "takes 'alpha', which is not in the"),
        ("- name: f(Tensr self)\n  cname: Abs\n", "cannot read the argument 'Tensr self'"),
        ("- name: f\n  cname: Abs\n", "a function with its arguments"),
        ("- f\n", "an entry is a mapping"),
        ("- name: [\n", "nn.yaml:3:1"),
    ],
)
def test_mistakes_in_nn_yaml_are_located(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_nn_yaml(f"# comment\n{text}", "nn.yaml", KERNELS)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[\n  name: f\n]]\n", "'arguments' is missing"),
        ("[[\n  name: f\n  argumentsx: []\n]]\n", "unknown field 'argumentsx'"),
        ("[[\n  name: f\n  arguments: [self]\n]]\n", "a type and a name"),
        ("[[\n  name: f\n", "no line ]] of its own"),
        ("[[\n- [\n]]\n", "file.cwrap:1"),
        (
            "\n[[\n  name: f\n  arguments: [THTensr* x]\n]]\n",
            "file.cwrap:2:1: unknown type 'THTensr*'",
        ),
    ],
)
def test_mistakes_in_declarations_are_located(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_cwrap(text, "file.cwrap")
    assert message in str(caught.value)
