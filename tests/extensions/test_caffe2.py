"""Caffe2: nets that caffe2.python builds, trained and compared with torch, and their errors."""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")
np = pytest.importorskip("numpy", reason="caffe2.python works on arrays of NumPy")
F = torch.nn.functional

BUILT = importlib.util.find_spec("caffe2.proto.caffe2_pb2") is not None
if BUILT:
    from caffe2_nets import add_training, feed_images, lenet, torch_lenet

    from caffe2.python import (
        caffe2_pb2,
        core,
        gradients,
        workspace,
    )
    from caffe2.python import caffe2_pybind11_state as C

built = pytest.mark.skipif(
    not BUILT or not core.IsOperator("Conv"),
    reason="needs BUILD_CAFFE2=ON python setup.py develop, with BUILD_CAFFE2_OPS",
)


@pytest.fixture(autouse=True)
def fresh_workspace() -> Iterator[None]:
    torch.manual_seed(3)
    if BUILT:
        workspace.ResetWorkspace()
    yield


@pytest.mark.skipif(BUILT, reason="this build has Caffe2")
def test_without_caffe2_the_error_names_the_option() -> None:
    with pytest.raises(ImportError, match="BUILD_CAFFE2=ON"):
        importlib.import_module("caffe2.python")


# ---- a LeNet


def blobs(*names: str) -> dict[str, Any]:
    return {name: workspace.FetchTensor(name).clone() for name in names}


@built
def test_a_lenet_learns_and_its_loss_falls() -> None:
    feed_images()
    model = lenet("trained")
    add_training(model)
    workspace.RunNetOnce(model.param_init_net)
    workspace.CreateNet(model.net)
    losses, accuracies = [], []
    for _ in range(12):
        workspace.RunNet(model.net, 5)
        losses.append(float(workspace.FetchBlob("loss")))
        accuracies.append(float(workspace.FetchBlob("accuracy")))
    assert workspace.FetchBlob("iter") == [60]
    assert np.isclose(workspace.FetchBlob("LR")[0], -0.1 * 0.999**60)
    assert losses[-1] < 0.25 * losses[0] and accuracies[-1] > 0.9 > accuracies[0]


@built
def test_the_example_of_the_docs_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = Path(__file__).parents[2] / "docs/caffe2.md"
    (example,) = re.findall(r"```python\n(import numpy.*?)```", page.read_text(), re.DOTALL)
    exec(compile(example, str(page), "exec"), {})
    assert 0 < float(capsys.readouterr().out) < 3


@built
def test_outputs_and_gradients_of_a_lenet_are_those_of_torch() -> None:
    feed_images(8)
    model = lenet("compared")
    gradients_of = model.AddGradientOperators(["loss"])
    workspace.RunNetOnce(model.param_init_net)
    workspace.RunNetOnce(model.net)
    parameters = list(map(str, model.GetParams()))
    values = blobs("data", "label", *parameters)
    leaves = {name: values[name].requires_grad_() for name in ("data", *parameters)}
    expected = torch_lenet(values)
    torch.testing.assert_close(blobs(*expected), {k: v.detach() for k, v in expected.items()})
    derived = torch.autograd.grad(expected["loss"], list(leaves.values()))
    for name, gradient in zip(leaves, derived, strict=True):
        torch.testing.assert_close(workspace.FetchTensor(gradients_of[name]), gradient)


def _lenet_of_aten(net: Any) -> None:
    """Add the operators of `lenet` up to the softmax, all of them as the operator ATen."""

    def aten(inputs: list[str], output: str, operator: str, **arguments: Any) -> None:
        net.ATen(inputs, output, operator=operator, **arguments)

    for layer, source in (("conv1", "data"), ("conv2", "pool1")):
        aten([source, f"{layer}_w", f"{layer}_b"], f"a_{layer}", "conv2d")
        aten([f"a_{layer}"], f"pool{layer[-1]}", "max_pool2d", kernel_size=2, stride=2)
    aten(["pool2"], "flat", "flatten", start_dim=1)
    aten(["flat", "fc3_w", "fc3_b"], "fc3", "linear")
    aten(["fc3"], "fc3", "relu")
    aten(["fc3", "pred_w", "pred_b"], "pred", "linear")
    aten(["pred"], "softmax", "softmax", dim=1)


@built
def test_the_same_weights_through_the_operator_aten_give_the_same_outputs() -> None:
    feed_images(8)
    model = lenet("own_operators")
    workspace.RunNetOnce(model.param_init_net)
    workspace.RunNetOnce(model.net)
    expected = blobs("softmax", "fc3")
    weights = blobs("data", "label", *map(str, model.GetParams()))
    workspace.ResetWorkspace()
    for name, value in weights.items():
        workspace.FeedBlob(name, value)
    net = core.Net("of_aten")
    _lenet_of_aten(net)
    workspace.RunNetOnce(net)
    torch.testing.assert_close(blobs("softmax", "fc3"), expected)
    torch.testing.assert_close(blobs("softmax")["softmax"], torch_lenet(weights)["softmax"])


@built
def test_a_net_of_aten_operators_has_gradients() -> None:
    net = core.Net("aten_gradient")
    for name in ("x", "y"):
        workspace.FeedBlob(name, torch.randn(3, 4))
    net.ATen(["x", "y"], "sum", operator="add", alpha=2.0)
    net.ATen(["sum", "x"], "product", operator="mul")
    net.ATen(["product"], "loss", operator="mean")
    found = net.AddGradientOperators(["loss"])
    workspace.RunNetOnce(net)
    x, y = (value.requires_grad_() for value in blobs("x", "y").values())
    expected = torch.autograd.grad(((x + 2 * y) * x).mean(), (x, y))
    for name, gradient in zip("xy", expected, strict=True):
        torch.testing.assert_close(workspace.FetchTensor(found[name]), gradient)


# ---- the operator ATen


@built
def test_keys_of_aten_are_unique() -> None:
    keys = C.aten_implementations()
    assert len(keys) == len(set(keys)) > 500 and "add-2" in keys


def aten(inputs: list[Any], outputs: int, operator: str, **arguments: Any) -> list[Any]:
    names = [f"in{i}" if value is not None else "" for i, value in enumerate(inputs)]
    for name, value in zip(names, inputs, strict=True):
        if name:
            workspace.FeedBlob(name, value)
    results = [f"out{i}" for i in range(outputs)]
    workspace.RunOperatorOnce(
        core.CreateOperator("ATen", names, results, operator=operator, **arguments)
    )
    return list(map(workspace.FetchTensor, results))


@built
def test_aten_reads_every_kind_of_argument() -> None:
    x = torch.randn(4, 6)
    cases = [
        (aten([x], 1, "add", other=3), x + 3),  # a number
        (aten([x, x], 1, "add", alpha=0.5), x + x * 0.5),
        (aten([x], 1, "sum"), x.sum()),  # overloads: by the arguments that are given
        (aten([x], 1, "sum", dim=[1], keepdim=True), x.sum(1, keepdim=True)),
        (aten([x], 1, "sum", dim=0), x.sum(0)),  # one number as a list
        (aten([x], 1, "std", correction=0), x.std(correction=0)),
        (aten([x], 1, "sum", dtype="Double"), x.sum(dtype=torch.float64)),  # a dtype
        (aten([x, x, x], 1, "cat", dim=1), torch.cat([x, x, x], 1)),  # a list of inputs
        (aten([x], 1, "div", other=2.0, rounding_mode="floor"), x.div(2.0, rounding_mode="floor")),
        (aten([], 1, "arange", end=5), torch.arange(5)),
    ]
    for (actual,), expected in cases:
        torch.testing.assert_close(actual, expected)


@built
def test_results_without_an_output_are_dropped() -> None:
    x = torch.randn(3, 5)
    values, indices = aten([x], 2, "max", dim=1)
    torch.testing.assert_close((values, indices), tuple(x.max(1)))
    assert len(aten([x], 1, "max", dim=1)) == 1
    parts = aten([x], 2, "split", split_size=2, dim=1, overload_name="Tensor")
    torch.testing.assert_close(parts, list(x.split(2, 1)[:2]))
    with pytest.raises(RuntimeError, match="has 3 results, but 4 outputs"):
        aten([x], 4, "split", split_size=2, dim=1, overload_name="Tensor")


@built
def test_an_input_without_a_name_is_a_tensor_that_was_left_out() -> None:
    x, weight = torch.randn(2, 3, 4, 4), torch.randn(3)
    (actual,) = aten(
        [x, weight, None, torch.zeros(3), torch.ones(3)], 1, "batch_norm",
        training=False, momentum=0.1, eps=1e-5, cudnn_enabled=False,
    )  # fmt: skip
    torch.testing.assert_close(actual, F.batch_norm(x, torch.zeros(3), torch.ones(3), weight, None))


@built
@pytest.mark.parametrize(
    ("inputs", "arguments", "message"),
    [
        (1, {"operator": "sigmod"}, 'no operator "sigmod" for Caffe2; did you mean sigmoid'),
        (3, {"operator": "add"}, 'no overload of ATen\'s "add" takes 3 inputs'),
        (2, {"operator": "add", "alfa": 1}, r"the arguments \(alfa\); there are\n  add.Tensor: 2"),
        (2, {}, 'operator ATen needs the argument "operator"'),
        (1, {"operator": "sum", "dim": "x"}, '"dim" must be an integer, but it is a text'),
        (1, {"operator": "softmax", "dim": 0.5}, '"dim" must be an integer, but it is a float'),
    ],
)
def test_errors_of_aten_say_what_there_is(
    inputs: int, arguments: dict[str, Any], message: str
) -> None:
    workspace.FeedBlob("x", torch.ones(2, 2))
    operator = core.CreateOperator("ATen", ["x"] * inputs, ["y"], **arguments)
    with pytest.raises((RuntimeError, ValueError), match=message):
        workspace.RunOperatorOnce(operator)


# ---- operators of Caffe2


def run(type: str, inputs: dict[str, Any], outputs: int = 1, **arguments: Any) -> Any:
    for name, value in inputs.items():
        workspace.FeedBlob(name, value)
    names = [f"y{i}" for i in range(outputs)]
    workspace.RunOperatorOnce(core.CreateOperator(type, list(inputs), names, **arguments))
    return workspace.FetchTensor("y0")


@built
def test_fillers_have_the_given_shape_and_distribution() -> None:
    xavier = run("XavierFill", {}, shape=[400, 75])
    limit = (3 / 75) ** 0.5
    assert xavier.shape == (400, 75) and xavier.abs().max() <= limit
    assert abs(xavier.std() - limit / 3**0.5) < 0.01 * limit
    msra = run("MSRAFill", {}, shape=[400, 75])
    assert abs(msra.std() - (2 / 400) ** 0.5) < 0.001
    gaussian = run("GaussianFill", {}, shape=[30000], mean=2.0, std=0.5)
    assert abs(gaussian.mean() - 2) < 0.02 and abs(gaussian.std() - 0.5) < 0.01
    uniform = run("UniformFill", {}, shape=[30000], min=-1.0, max=3.0)
    assert uniform.min() >= -1 and uniform.max() <= 3 and abs(uniform.mean() - 1) < 0.05
    like = run(
        "ConstantFill", {"like": torch.zeros(2, 3)}, value=4, dtype=caffe2_pb2.TensorProto.INT32
    )
    torch.testing.assert_close(like, torch.full((2, 3), 4, dtype=torch.int32))
    sized = run("ConstantFill", {"s": torch.tensor([2, 1])}, input_as_shape=True, value=0.5)
    torch.testing.assert_close(sized, torch.full((2, 1), 0.5))
    given = run("GivenTensorInt64Fill", {}, shape=[2, 2], values=[1, 2, 3, 4])
    torch.testing.assert_close(given, torch.tensor([[1, 2], [3, 4]]))


@built
def test_operators_equal_torch() -> None:
    x, w = torch.randn(2, 4, 9, 9), torch.randn(6, 2, 3, 3)
    b = torch.randn(6)
    close = torch.testing.assert_close
    conv = run("Conv", {"x": x, "w": w, "b": b}, kernel=3, stride=2, pad=1, group=2)
    close(conv, F.conv2d(x, w, b, 2, 1, groups=2))
    close(run("AveragePool", {"x": x}, kernel=3, stride=2, pad=1),
          F.avg_pool2d(x, 3, 2, 1, count_include_pad=False))  # fmt: skip
    close(run("MaxPool", {"x": x}, global_pooling=True), F.max_pool2d(x, 9))
    weight, bias = torch.randn(5, 4 * 81), torch.randn(5)
    close(run("FC", {"x": x, "w": weight, "b": bias}), F.linear(x.flatten(1), weight, bias))
    matrix = torch.randn(4, 7)
    close(run("Softmax", {"x": matrix}), F.softmax(matrix, 1))
    close(run("MatMul", {"a": matrix, "b": matrix}, trans_b=1), matrix @ matrix.T)
    labels = torch.tensor([1, 0, 6, 2])
    loss = F.cross_entropy(matrix, labels)
    run("SoftmaxWithLoss", {"x": matrix, "l": labels}, 2)
    close(workspace.FetchTensor("y1"), loss)
    hits = (matrix.topk(3).indices == labels[:, None]).any(1).float().mean()
    close(run("Accuracy", {"x": matrix, "l": labels}, top_k=3), hits)
    half = torch.tensor([0.5])
    one = torch.ones(1)
    close(run("WeightedSum", {"a": matrix, "o": one, "b": 2 * matrix, "h": half}), 2 * matrix)
    close(run("Scale", {"x": matrix}, scale=3.0), 3 * matrix)


@built
@pytest.mark.parametrize(
    ("policy", "arguments", "factor"),
    [
        ("fixed", {}, 1.0),
        ("step", {"gamma": 0.5, "stepsize": 4}, 0.5**2),
        ("exp", {"gamma": 0.9}, 0.9**10),
        ("inv", {"gamma": 0.1, "power": 0.75}, 2**-0.75),
    ],
)
def test_learning_rates(policy: str, arguments: dict[str, Any], factor: float) -> None:
    iteration = torch.tensor([10])
    rate = run("LearningRate", {"i": iteration}, base_lr=0.2, policy=policy, **arguments)
    torch.testing.assert_close(rate, torch.tensor([0.2 * factor]))


# ---- gradients


@built
def test_gradients_of_a_blob_that_several_operators_read_are_summed() -> None:
    net = core.Net("shared")
    x = torch.randn(3)
    workspace.FeedBlob("x", x)
    net.Mul(["x", "x"], "square")
    net.Tanh("x", "t")
    net.Sum(["square", "t", "x"], "all")
    net.AveragedLoss("all", "loss")
    found = net.AddGradientOperators(["loss"])
    workspace.RunNetOnce(net)
    leaf = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad((leaf * leaf + leaf.tanh() + leaf).mean(), leaf)
    torch.testing.assert_close(workspace.FetchTensor(found["x"]), expected)


@built
def test_gradients_can_start_from_a_blob() -> None:
    net = core.Net("seeded")
    workspace.FeedBlob("x", torch.ones(3))
    workspace.FeedBlob("seed", torch.tensor([1.0, 2.0, 3.0]))
    net.Scale("x", "y", scale=2.0)
    found = net.AddGradientOperators({"y": "seed"})
    workspace.RunNetOnce(net)
    assert workspace.FetchBlob(found["x"]).tolist() == [2, 4, 6]


@built
def test_gradients_of_an_overwritten_blob_are_refused() -> None:
    net = core.Net("overwritten")
    net.Tanh("x", "y")
    net.Scale("z", "x", scale=2.0)
    net.AveragedLoss("y", "loss")
    with pytest.raises(RuntimeError, match="needs the blob 'x' as it was then"):
        net.AddGradientOperators(["loss"])
    other = core.Net("in_place")
    other.Tanh("x", "x")
    with pytest.raises(ValueError, match='operator Tanh overwrites its input "x"'):
        other.AddGradientOperators(["x"])
    with pytest.raises(ValueError, match="has no blob 'q' to differentiate"):
        other.AddGradientOperators(["q"])


@built
def test_labels_and_constants_have_no_gradient() -> None:
    operator = core.CreateOperator("LabelCrossEntropy", ["x", "label"], ["y"])
    ops, g_input = gradients.get_gradient_defs(operator, ["y_grad"])
    assert [op.type for op in ops] == ["LabelCrossEntropyGradient"]
    assert g_input == ["x_grad", ""] and ops[0].is_gradient_op
    assert gradients.get_gradient_defs(core.CreateOperator("Iter", [], ["i"]), ["g"]) == ([], [])
    backward = core.CreateOperator("ReluGradient", ["y", "dy"], ["dx"])
    with pytest.raises(NotImplementedError, match="operator ReluGradient has no gradient"):
        gradients.get_gradient_defs(backward, ["g"])


# ---- nets and workspaces


@built
def test_a_net_survives_the_round_trip_through_its_bytes(tmp_path: Path) -> None:
    model = lenet("saved")
    add_training(model)
    data = model.Proto().SerializeToString()
    (tmp_path / "net.pb").write_bytes(data)
    read = caffe2_pb2.NetDef.FromString((tmp_path / "net.pb").read_bytes())
    assert read == model.Proto() and read.SerializeToString() == data
    assert {"Conv", "ConvGradient", "WeightedSum"} <= {op.type for op in read.op}
    feed_images(4)
    workspace.RunNetOnce(model.param_init_net)
    assert workspace.CreateNet(read) == "saved" and "saved" in workspace.Nets()
    workspace.RunNet("saved")
    assert workspace.FetchBlob("loss") > 0
    unknown = read.SerializeToString() + b"\x98\x06\x01"  # field 99, which another program knows
    workspace.CreateNet(caffe2_pb2.NetDef.FromString(unknown), overwrite=True)


@built
@pytest.mark.parametrize(
    "value",
    [
        np.arange(6, dtype=np.int64).reshape(2, 3),
        np.float32(1.5),
        np.array([True, False]),
        np.zeros((0, 3)),
        [1.0, 2.0],
    ],
)
def test_blobs_are_copies_of_what_was_fed(value: Any) -> None:
    workspace.FeedBlob("b", value)
    fetched = workspace.FetchBlob("b")
    assert np.array_equal(fetched, value) and fetched.dtype == np.asarray(value).dtype
    fetched[...] = 7
    assert np.array_equal(workspace.FetchBlob("b"), value)


@built
def test_workspaces_are_apart() -> None:
    workspace.FeedBlob("here", [1.0])
    home = workspace.CurrentWorkspace()
    with pytest.raises(ValueError, match='there is no workspace "othr"'):
        workspace.SwitchWorkspace("othr")
    workspace.SwitchWorkspace("other", True)
    try:
        assert not workspace.HasBlob("here") and workspace.Blobs() == []
    finally:
        workspace.SwitchWorkspace(home)
    assert workspace.Blobs() == ["here"]
    workspace.ResetWorkspace()
    assert workspace.Blobs() == []


@built
def test_errors_name_the_operator_the_blob_and_a_remedy() -> None:
    net = core.Net("wrong")
    with pytest.raises(AttributeError, match='there is no operator "Cnov"; did you mean Conv'):
        net.Cnov(["x"], "y")
    with pytest.raises(RuntimeError, match="operator Conv takes 2 to 3 inputs, but got 1"):
        net.Conv(["x"], "y", kernel=3)
    with pytest.raises(RuntimeError, match="operator FC takes 3 inputs, but got 2"):
        workspace.RunOperatorOnce(core.CreateOperator("FC", ["x", "w"], "y"))
    with pytest.raises(RuntimeError, match='no operator "Rleu"; did you mean Relu'):
        workspace.RunOperatorOnce(core.CreateOperator("Rleu", ["x"], "y"))
    workspace.FeedBlob("data", [1.0])
    with pytest.raises(RuntimeError, match=r'there is no blob "dat" in the.*did you mean data\?'):
        workspace.RunOperatorOnce(core.CreateOperator("Relu", ["dat"], "y"))
    with pytest.raises(RuntimeError, match='there is no net "wrng" in the workspace'):
        workspace.RunNet("wrng")
    with pytest.raises(RuntimeError, match='there is no blob "dta" in the workspace'):
        workspace.FetchBlob("dta")
    workspace.CreateBlob("empty")
    with pytest.raises(RuntimeError, match='the input "empty" holds nothing yet'):
        workspace.RunOperatorOnce(core.CreateOperator("Relu", ["empty"], "y"))
    with pytest.raises(ValueError, match="these bytes are not a valid NetDef"):
        workspace.RunNetOnce(b"\xff\xff")
    with pytest.raises(RuntimeError, match=r"there is no device type 7; operators run on the CPU"):
        device = core.DeviceOption(7)
        workspace.RunOperatorOnce(core.CreateOperator("Relu", "data", "y", device_option=device))


@built
@pytest.mark.skipif(torch._C.has_cuda, reason="this build has CUDA devices")
def test_without_cuda_its_devices_are_refused() -> None:
    assert not workspace.has_gpu_support and workspace.NumGpuDevices() == 0
    workspace.FeedBlob("x", [1.0])
    option = core.DeviceOption(caffe2_pb2.PROTO_CUDA)
    with pytest.raises(RuntimeError, match="there are no CUDA devices"):
        workspace.RunOperatorOnce(core.CreateOperator("Relu", "x", "y", device_option=option))


@built
@pytest.mark.parametrize(
    ("type", "inputs", "arguments", "message"),
    [
        ("Sum", ["", "x"], {}, "operator Sum needs a name for its input 0"),
        ("Relu", [""], {}, "operator Relu needs a name"),
        ("SumGradient", ["", "x", "x"], {"given_gradients": [0]}, "Sum needs a name"),
        ("ConvGradient", ["x", "x"], {"given_gradients": [0]}, "Conv takes 2 to 3 inputs, but"),
        ("ReluGradient", ["x"], {}, "ReluGradient takes 2 inputs, but got 1"),
        ("SumGradient", ["x", "x"], {"given_gradients": [7]}, "there is no result 7 of 1"),
        ("SumGradient", ["x", ""], {"given_gradients": [0]}, "result 0 needs a name"),
        ("ATen", ["", "x"], {"operator": "add"}, "the input 0 needs a name"),
        ("ATen", ["", "x"], {"operator": "cat"}, "each tensor of a list needs a name"),
        ("ATen", [], {"operator": "cat"}, "non-empty|at least one|expected a"),
    ],
)
def test_operators_that_no_net_would_have_are_errors(
    type: str, inputs: list[str], arguments: dict[str, Any], message: str
) -> None:
    workspace.FeedBlob("x", torch.ones(2, 2))
    with pytest.raises((RuntimeError, ValueError), match=message):
        workspace.RunOperatorOnce(core.CreateOperator(type, inputs, ["y"], **arguments))


@built
def test_an_error_while_a_net_runs_names_operator_and_net() -> None:
    net = core.Net("sizes")
    net.MatMul(["a", "a"], "b")
    workspace.FeedBlob("a", torch.ones(2, 3))
    workspace.CreateNet(net)
    with pytest.raises(RuntimeError, match=r'operator MatMul[\s\S]*operator 0 of the net "sizes'):
        workspace.RunNet(net)
    with pytest.raises(RuntimeError, match=r'net "sizes.*" already'):
        workspace.CreateNet(net)
    assert workspace.CreateNet(net, overwrite=True) == net.Name()
    net.AddExternalInput("absent")
    with pytest.raises(RuntimeError, match='needs the blob "absent"'):
        workspace.CreateNet(net, overwrite=True)


@built
def test_names_that_a_net_gives() -> None:
    net = core.Net("names")
    assert core.Net("names").Name() == "names_1"
    hidden = net.Relu("x")
    top, rest = net.ATen([hidden], 2, operator="max", dim=0)
    assert net.BlobIsDefined(top) and net.UsesBlob("x") and not net.BlobIsDefined("x")
    assert len({str(hidden), str(top), str(rest)}) == 3
    assert str(hidden.Relu([], "again")) == "again" and net.Proto().op[-1].input[0] == str(hidden)
    net.AddExternalOutput("again")
    with pytest.raises(ValueError, match="no blob 'gain'"):
        net.AddExternalOutput("gain")
    assert net.Clone("copy").Proto().op == net.Proto().op
