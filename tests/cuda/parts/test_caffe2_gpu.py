"""caffe2_pybind11_state_gpu: nets on a CUDA device compute what they do on the CPU."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "extensions"))

pytest.importorskip(
    "caffe2.python.caffe2_pybind11_state_gpu", reason="needs BUILD_CAFFE2=ON", exc_type=ImportError
)
from caffe2_nets import add_training, feed_images, lenet

from caffe2.python import C, caffe2_pb2, core, workspace

GPU = core.DeviceOption(caffe2_pb2.PROTO_CUDA, 0)


@pytest.fixture(autouse=True)
def fresh_workspace() -> Iterator[None]:
    torch.manual_seed(3)
    workspace.ResetWorkspace()
    yield
    workspace.ResetWorkspace()


def test_the_module_for_devices_is_the_one_in_use() -> None:
    assert C.__name__ == "caffe2.python.caffe2_pybind11_state_gpu" and workspace.has_gpu_support
    assert workspace.NumGpuDevices() == torch.cuda.device_count()
    assert workspace.GpuDeviceType == caffe2_pb2.PROTO_CUDA


def trained(model: Any, parameters: dict[str, torch.Tensor], device: Any) -> dict[str, Any]:
    """Run two steps of a model from these parameters, and return them afterwards with the loss."""
    workspace.ResetWorkspace()
    feed_images(8, device)
    workspace.RunNetOnce(model.param_init_net)
    for name, value in parameters.items():
        workspace.FeedBlob(name, value, device)
    workspace.CreateNet(model.net, overwrite=True)
    workspace.RunNet(model.net, 2)
    names = [*parameters, "loss", "accuracy", "softmax"]
    return {name: workspace.FetchTensor(name) for name in names}


def test_a_step_of_a_lenet_equals_that_of_the_cpu() -> None:
    models = []
    for name, on_device in (("on_cpu", False), ("on_gpu", True)):
        model = lenet(name)
        add_training(model)
        if on_device:
            model.param_init_net.RunAllOnGPU()
            model.net.RunAllOnGPU()
        models.append(model)
    workspace.RunNetOnce(models[0].param_init_net)
    start = {str(p): workspace.FetchTensor(p).clone() for p in models[0].GetParams()}
    expected = trained(models[0], start, None)
    actual = trained(models[1], start, GPU)
    assert all(value.is_cuda for value in actual.values())
    assert any(not torch.equal(expected[name], value) for name, value in start.items())
    moved = {name: value.cpu() for name, value in actual.items()}
    torch.testing.assert_close(moved, expected, rtol=1e-4, atol=1e-5)


def test_the_operator_aten_runs_on_the_device_of_its_option() -> None:
    x = torch.randn(3, 4)
    workspace.FeedBlob("x", x, GPU)
    run = workspace.RunOperatorOnce
    run(core.CreateOperator("ATen", ["x"], "y", device_option=GPU, operator="softmax", dim=1))
    torch.testing.assert_close(workspace.FetchTensor("y").cpu(), x.softmax(1))
    run(core.CreateOperator("ATen", [], "r", device_option=GPU, operator="arange", end=5))
    assert torch.equal(workspace.FetchTensor("r"), torch.arange(5, device="cuda"))
    run(core.CreateOperator("ATen", [], "c", operator="arange", end=5))
    assert not workspace.FetchTensor("c").is_cuda
    assert workspace.FetchBlob("r").tolist() == [0, 1, 2, 3, 4]


def test_gradients_of_single_operators_are_where_the_operators_are() -> None:
    net = core.Net("mixed")
    workspace.FeedBlob("x", torch.randn(3, 4), GPU)
    net.ATen(["x", "x"], "product", device_option=GPU, operator="mul")
    net.ATen(["product"], "loss", device_option=GPU, operator="sum")
    found = net.AddGradientOperators(["loss"])
    workspace.RunNetOnce(net)
    gradient = workspace.FetchTensor(found["x"])
    torch.testing.assert_close(gradient, 2 * workspace.FetchTensor("x"))
    assert gradient.is_cuda


def test_fillers_make_tensors_on_the_device() -> None:
    for type, arguments in (
        ("XavierFill", {"shape": [20, 30]}),
        ("GaussianFill", {"shape": [4]}),
        ("ConstantFill", {"shape": [2, 2], "value": 3.0}),
        ("GivenTensorIntFill", {"shape": [2], "values": [1, 2]}),
    ):
        workspace.RunOperatorOnce(
            core.CreateOperator(type, [], "y", device_option=GPU, **arguments)
        )
        filled = workspace.FetchTensor("y")
        assert filled.is_cuda and list(filled.shape) == arguments["shape"]


def test_a_tensor_on_another_device_is_an_error_of_the_operator() -> None:
    workspace.FeedBlob("x", torch.ones(2), GPU)
    workspace.FeedBlob("y", torch.ones(2))
    with pytest.raises(RuntimeError, match="operator Add"):
        workspace.RunOperatorOnce(core.CreateOperator("Add", ["x", "y"], "z", device_option=GPU))
    option = core.DeviceOption(caffe2_pb2.PROTO_CUDA, 77)
    with pytest.raises(RuntimeError, match=r"77|device"):
        workspace.RunOperatorOnce(core.CreateOperator("Relu", "x", "z", device_option=option))
