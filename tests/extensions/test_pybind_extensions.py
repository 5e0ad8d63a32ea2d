"""Extensions that use pybind11: tensors, dtypes, devices and sizes are converted as PyTorch's are."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import torch
from torch.utils import cpp_extension

SOURCE = """
c10::optional<at::Device> nowhere;
at::Tensor add(const at::Tensor& x, torch::Tensor y, double alpha) { return x.add(y, alpha); }
std::vector<at::Tensor> both(std::vector<at::Tensor> xs, std::optional<at::Tensor> y) {
  if (y) xs.push_back(*y);
  return xs;
}
at::Tensor zeros(at::IntArrayRef sizes, at::ScalarType dtype, c10::optional<at::Device> device) {
  return torch::zeros(sizes, at::TensorOptions().dtype(dtype).device(device.value_or(at::kCPU)));
}
std::tuple<at::ScalarType, at::Device, at::Layout, at::IntArrayRef> describe(const at::Tensor& x) {
  return {x.scalar_type(), x.device(), x.layout(), x.sizes()};
}
at::Tensor undefined() { return {}; }
at::Tensor draw(at::Generator generator) { return torch::rand({2}, generator); }
at::Tensor dense(const at::Tensor& x, at::MemoryFormat format) { return x.contiguous(format); }
int64_t size(const at::Tensor& x) { return x.size(5); }
at::Tensor fail(at::Tensor x) { TORCH_CHECK(false, "no ", x.size(0)); }
struct Net : torch::nn::Module {
  Net() : fc(register_module("fc", torch::nn::Linear(2, 3))) {}
  at::Tensor forward(at::Tensor x) { return torch::relu(fc(x)); }
  torch::nn::Linear fc;
};
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("add", &add, "Add two tensors", py::arg("x"), py::arg("y"), py::arg("alpha") = 1);
  m.def("both", &both, py::arg("xs"), py::arg("y") = py::none());
  m.def("zeros", &zeros);
  m.def("describe", &describe);
  m.def("undefined", &undefined);
  m.def("draw", &draw);
  m.def("dense", &dense);
  m.def("fail", &fail);
  m.def("size", &size);
  py::class_<Net, std::shared_ptr<Net>>(m, "Net").def(py::init<>()).def("forward", &Net::forward);
}
"""
HAS_PYBIND11 = importlib.util.find_spec("pybind11") is not None


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    pytest.importorskip("pybind11", reason="`pip install pybind11` to run this test")
    folder = str(tmp_path_factory.mktemp("pybind"))
    made = cpp_extension.load_inline("pybind_test", SOURCE, build_directory=folder)
    assert isinstance(made, ModuleType)
    return made


def test_arguments_have_names_and_defaults(module: ModuleType) -> None:
    x = torch.ones(2, requires_grad=True)
    assert module.add(x=x, y=x, alpha=2.5).tolist() == [3.5, 3.5]
    assert module.add(x, x).requires_grad and "Add two tensors" in module.add.__doc__
    assert "add(x: torch.Tensor, y: torch.Tensor, alpha:" in module.add.__doc__
    for wrong in (3, None, [1.0]):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            module.add(x, wrong)


def test_tensors_keep_their_objects(module: ModuleType) -> None:
    parameter = torch.nn.Parameter(torch.ones(2))
    assert module.both([parameter])[0] is parameter
    assert len(module.both((parameter,), parameter)) == 2
    assert module.undefined() is None


def test_dtypes_devices_and_sizes_are_converted(module: ModuleType) -> None:
    x = module.zeros([2, 3], torch.int16, torch.device("meta"))
    assert module.describe(x) == (torch.int16, torch.device("meta"), torch.strided, (2, 3))
    assert module.zeros((1,), torch.float64, None).dtype is torch.float64
    with pytest.raises(TypeError, match="incompatible function arguments"):
        module.zeros(3, torch.float64, None)
    generator = torch.Generator().manual_seed(0)
    expected = torch.rand(2, generator=torch.Generator().manual_seed(0))
    assert torch.equal(module.draw(generator), expected)
    image = module.dense(torch.ones(1, 2, 3, 3), torch.channels_last)
    assert image.stride() == (18, 1, 6, 2)


def test_errors_and_networks_reach_python(module: ModuleType) -> None:
    with pytest.raises(RuntimeError, match=r"^no 2$"):
        module.fail(torch.ones(2))
    with pytest.raises(IndexError, match="Dimension out of range"):
        module.size(torch.ones(2))
    assert module.Net().forward(torch.ones(1, 2)).shape == (1, 3)


@pytest.mark.skipif(HAS_PYBIND11, reason="pybind11 is installed")
def test_without_pybind11_the_error_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="`pip install pybind11`"):
        cpp_extension.load_inline("needs_pybind", SOURCE, build_directory=str(tmp_path))
