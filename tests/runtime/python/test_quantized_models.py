"""Models that `torch.ao.quantization` quantizes compute what PyTorch's do, and exchange states with them."""

from __future__ import annotations

import copy
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import torch
from torch import nn

PEER = os.environ.get("TORCH_PEER")
PROGRAM = Path(__file__).parent / "quantized_models.py"
GROUPS = ("static", "layers", "functions", "dynamic", "tables", "training", "recurrent")
NUMBER = re.compile(r"-?\d+\.\d*(?:e-?\d+)?")
needs_peer = pytest.mark.skipif(
    not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"
)
pytestmark = pytest.mark.filterwarnings("ignore")


def run(python: str, *arguments: str, folder: Path) -> dict:
    """Return what the program prints; the peer must not see this checkout."""
    command = [python, "-W", "ignore", str(PROGRAM), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def numbers_of(value: object) -> list[float]:
    if isinstance(value, list):
        return [number for each in value for number in numbers_of(each)]
    return [float(value)]  # type: ignore[arg-type]


def assert_same_text(ours: str, theirs: str) -> None:
    assert NUMBER.sub("", ours) == NUMBER.sub("", theirs)
    found, expected = (list(map(float, NUMBER.findall(text))) for text in (ours, theirs))
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-6)


def assert_alike(ours: dict, theirs: dict) -> None:
    """Numbers may differ by the rounding of one value to the next integer, texts only in numbers' last digits."""
    assert ours.keys() == theirs.keys()
    for name, expected in theirs.items():
        found = ours[name]
        if not isinstance(expected, dict):
            if expected and isinstance(expected[0], str):
                assert found == expected
            else:
                assert numbers_of(found) == pytest.approx(
                    numbers_of(expected), rel=1e-3, abs=1e-4
                ), name
            continue
        assert found["keys"] == expected["keys"], name
        assert_same_text(found["text"], expected["text"])
        values = numbers_of(expected["output"])
        step = (max(values) - min(values)) / 60
        assert numbers_of(found["output"]) == pytest.approx(values, abs=step), name
        off = [abs(a - b) > 1e-4 for a, b in zip(numbers_of(found["output"]), values, strict=True)]
        assert sum(off) <= 0.05 * len(off), name


@needs_peer
@pytest.mark.parametrize("group", GROUPS)
def test_models_are_those_of_pytorch(group: str, tmp_path: Path) -> None:
    ours, theirs = (run(python, group, folder=tmp_path) for python in (sys.executable, str(PEER)))
    assert_alike(ours, theirs)


@needs_peer
@pytest.mark.parametrize("group", GROUPS)
def test_states_are_exchanged_with_pytorch(group: str, tmp_path: Path) -> None:
    pythons = {"ours": sys.executable, "theirs": str(PEER)}
    saved = {
        name: run(python, group, "save", f"{name}.pt", folder=tmp_path)
        for name, python in pythons.items()
    }
    pairs = [("ours", "theirs"), ("theirs", "ours")]
    if group == "tables":  # PyTorch's files have undefined scales of tables
        pairs.pop()
    for writer, reader in pairs:
        loaded = run(pythons[reader], group, "load", f"{writer}.pt", folder=tmp_path)
        for name, expected in saved[writer].items():
            if isinstance(expected, dict) and not name.startswith("ELU"):  # whose state is empty
                found = loaded[name]
                assert found["keys"] == expected["keys"]
                assert_alike({name: {**found, "text": ""}}, {name: {**expected, "text": ""}})


# ---- without PyTorch -----------------------------------------------------------------------------
def wrapped(layer: nn.Module) -> torch.ao.quantization.QuantWrapper:
    model = torch.ao.quantization.QuantWrapper(layer).eval()
    model.qconfig = torch.ao.quantization.get_default_qconfig()
    return model


@pytest.mark.parametrize(
    "layer", [nn.Conv2d(4, 8, 3), nn.ConvTranspose2d(4, 6, 3, stride=2), nn.PReLU(4, -0.2)]
)
def test_quantized_layers_are_near_those_of_floating_point(layer: nn.Module) -> None:
    x, model = torch.randn(2, 4, 8, 8), wrapped(layer)
    if not isinstance(layer, nn.Conv2d):
        dtype = torch.quint8 if isinstance(layer, nn.PReLU) else torch.qint8
        weight = torch.ao.quantization.MinMaxObserver.with_args(dtype=dtype)
        model.qconfig = torch.ao.quantization.QConfig(model.qconfig.activation, weight)
    quantized = torch.ao.quantization.quantize(model, lambda m: m(x), [])
    assert (quantized(x) - layer(x)).abs().max() < 0.05 * layer(x).abs().max()


def test_packed_weights_are_copied_and_pickled() -> None:
    lstm = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.LSTM(3, 4)))
    x = torch.randn(5, 2, 3)
    expected = lstm(x)[0]
    assert torch.equal(copy.deepcopy(lstm)(x)[0], expected)
    file = io.BytesIO()
    torch.save(lstm.state_dict(), file)
    file.seek(0)
    states = torch.load(file, weights_only=False)
    assert isinstance(states["0._all_weight_values.0.param"], torch.ScriptObject)
    other = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.LSTM(3, 4)))
    other.load_state_dict(states)
    assert torch.equal(other(x)[0], expected)


def test_states_of_layers_are_loaded_without_other_classes() -> None:
    linear = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(3, 4)))
    file = io.BytesIO()
    torch.save(linear.state_dict(), file)
    file.seek(0)
    other = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(3, 4)))
    other.load_state_dict(torch.load(file, weights_only=True))
    x = torch.randn(2, 3)
    assert torch.equal(other(x), linear(x))


def test_convolutions_are_pickled_whole() -> None:
    x = torch.randn(1, 2, 5, 5)
    model = torch.ao.quantization.quantize(wrapped(nn.Conv2d(2, 3, 3)), lambda m: m(x), [])
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    assert torch.equal(torch.load(file, weights_only=False)(x), model(x))


def test_hooks_of_users_are_kept_and_those_of_observers_removed() -> None:
    model, seen = wrapped(nn.Linear(2, 2)), []
    model.module.register_forward_hook(lambda *arguments: seen.append(1))
    x = torch.ones(1, 2)
    quantized = torch.ao.quantization.quantize(model, lambda m: m(x), [])
    seen.clear()
    quantized(x)
    assert seen == [1]
    assert not hasattr(quantized.module, "activation_post_process")


def test_models_without_a_qconfig_are_reported() -> None:
    with pytest.warns(UserWarning, match="None of the submodule"):
        torch.ao.quantization.prepare(nn.Sequential(nn.Linear(1, 1)))


def test_bad_models_are_refused() -> None:
    quantization = torch.ao.quantization
    layer = nn.Linear(1, 1)
    layer.qconfig = quantization.default_qconfig
    with pytest.raises(AttributeError, match="activation_post_process"):
        quantization.convert(nn.Sequential(layer))
    with pytest.raises(AssertionError, match="training mode"):
        quantization.prepare_qat(nn.Sequential(layer).eval())
    with pytest.raises(AssertionError, match="did not find fuser method"):
        quantization.fuse_modules(nn.Sequential(nn.ReLU(), nn.Linear(1, 1)).eval(), ["0", "1"])
    with pytest.raises(ValueError, match="Provide full qconfig"):
        quantization.quantize_dynamic(layer, dtype=torch.qint32)
    with pytest.raises(NotImplementedError, match="quantize_dynamic"):
        quantization.prepare(wrapped(nn.GRU(1, 1)))
    with pytest.raises(ValueError, match="memoryless observer"):
        torch.ao.nn.qat.dynamic.Linear(1, 1, qconfig=quantization.get_default_qat_qconfig())
    with pytest.raises(AssertionError, match="weights requires a qscheme of"):
        torch.ao.nn.qat.EmbeddingBag(2, 2, qconfig=quantization.get_default_qat_qconfig())
    with pytest.raises(AssertionError, match="quant_max out of bound"):
        quantization.FakeQuantize(quant_min=0, quant_max=256)
    with pytest.raises(AssertionError, match="quant_min out of bound"):
        quantization.FakeQuantize(quant_min=-1, quant_max=5)
    with pytest.raises(AssertionError, match="Default Observer only works for"):
        quantization.MinMaxObserver(dtype=torch.float32)
    with pytest.raises(AssertionError, match="Per channel weight observer"):
        quantization.prepare(wrapped(nn.ConvTranspose2d(1, 1, 1)))
    with pytest.raises(AssertionError, match="qconfig must be provided"):
        torch.ao.nn.qat.Linear(1, 1)
    with pytest.raises(AssertionError, match="only works for Linear"):
        torch.ao.nn.quantized.Linear.from_float(nn.Conv2d(1, 1, 1))
    with pytest.raises(NotImplementedError, match="expected a quantized input"):
        torch.ao.nn.quantized.Linear(2, 2)(torch.ones(2, 2))


def test_means_of_rows_are_means() -> None:
    bag = nn.EmbeddingBag(5, 3, mode="mean")
    quantized = torch.ao.quantization.quantize_dynamic(nn.Sequential(bag), dtype=torch.quint8)
    x = torch.tensor([[0, 1, 4], [2, 2, 3]])
    torch.testing.assert_close(quantized(x), bag(x).detach(), rtol=0, atol=0.02)


def test_missing_entries_of_states_are_reported() -> None:
    layer = torch.ao.nn.quantized.Linear(2, 2)
    states = layer.state_dict()
    del states["scale"], states["_packed_params._packed_params"]
    with pytest.raises(RuntimeError, match="scale"):
        layer.load_state_dict(states)


def test_observer_states_are_restored() -> None:
    quantization, x = torch.ao.quantization, torch.randn(4, 2)
    observed, other = (quantization.prepare(wrapped(nn.Linear(2, 2))) for _ in range(2))
    observed(x)
    states = quantization.get_observer_state_dict(observed)
    quantization.load_observer_state_dict(other, states)
    found = other.quant.activation_post_process.calculate_qparams()
    assert found == observed.quant.activation_post_process.calculate_qparams()
    with pytest.raises(RuntimeError, match="Missing"):
        quantization.load_observer_state_dict(other, {})


def test_qconfig_mappings_become_dictionaries_and_back() -> None:
    quantization = torch.ao.quantization
    mapping = quantization.get_default_qconfig_mapping().set_module_name("a", None)
    mapping.set_module_name_object_type_order("b", nn.Linear, 0, None)
    again = quantization.QConfigMapping.from_dict(mapping.to_dict())
    assert again.to_dict() == mapping.to_dict()
    assert repr(again) == repr(mapping)


@pytest.mark.parametrize("engine", ["x86", "fbgemm", "qnnpack", "onednn"])
def test_engines_can_be_selected(engine: str) -> None:
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = engine
    assert torch.backends.quantized.engine == engine
    torch.backends.quantized.engine = before
    with pytest.raises(RuntimeError, match="not a valid value"):
        torch.backends.quantized.engine = "other"


def test_former_names_are_the_same_objects() -> None:
    import torch.nn.intrinsic.qat
    import torch.nn.quantized.dynamic
    import torch.quantization.quantize

    assert torch.quantization.quantize_dynamic is torch.ao.quantization.quantize_dynamic
    assert torch.nn.quantized.dynamic.Linear is torch.ao.nn.quantized.dynamic.Linear
    assert torch.nn.intrinsic.qat.ConvBn2d is torch.ao.nn.intrinsic.qat.ConvBn2d


@pytest.mark.parametrize(
    "name", ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d"]
)
def test_convolutions_quantize_their_inputs(name: str) -> None:
    """As in PyTorch, their results have the steps of the inputs."""
    dims = int(name[-2])
    layer = getattr(nn, name)(2, 4, 3)
    layer.qconfig = torch.ao.quantization.default_dynamic_qconfig
    made = getattr(torch.ao.nn.quantized.dynamic, name).from_float(layer)
    assert repr(made).startswith(f"DynamicQuantized{name}(2, 4, kernel_size=")
    x = torch.randn(1, 2, *[5] * dims)
    result = made(x)
    scale, point = torch._choose_qparams_per_tensor(x, True)
    near = torch.quantize_per_tensor(layer(x), scale, point, torch.quint8).dequantize()
    assert result.dtype == torch.float32 and (result - near).abs().max() < 4 * scale
    steps = result / scale
    assert (steps - steps.round()).abs().max() < 1e-3
    loaded = getattr(torch.ao.nn.quantized.dynamic, name)(2, 4, 3)
    loaded.load_state_dict(made.state_dict())
    assert torch.equal(loaded(x), result)
    with pytest.raises(ValueError, match="Input shape must be"):
        made(x[0])


def test_kinds_of_quantization_have_their_name() -> None:
    from torch.ao.quantization.quant_type import QuantType

    assert torch.ao.quantization.QuantType is QuantType


def test_factories_make_arguments_for_each_observer() -> None:
    made: list[dict[str, object]] = []

    def arguments() -> dict[str, object]:
        made.append({"dtype": torch.float64})
        return made[-1]

    observer = torch.ao.quantization.MinMaxObserver
    factory = observer.with_callable_args(factory_kwargs=arguments).with_args(reduce_range=True)
    assert [factory().min_val.dtype for _ in range(2)] == [torch.float64] * 2 and len(made) == 2
    assert factory(factory_kwargs=None).min_val.dtype == torch.float32 and len(made) == 2
    assert factory.with_callable_args(eps=lambda: 0.5)().eps.item() == 0.5


def test_pooling_takes_its_arguments_by_name() -> None:
    x = torch.quantize_per_tensor(torch.arange(16.0).view(1, 1, 4, 4), 1.0, 0, torch.quint8)
    pooled = torch.ops.quantized.max_pool2d(
        x, [3, 3], stride=[2, 2], padding=[0, 0], ceil_mode=True
    )
    assert pooled.int_repr().tolist() == [[[[10, 11], [14, 15]]]]


@pytest.mark.parametrize("bias", [True, False])
def test_gates_of_cells_are_split(bias: bool) -> None:
    from torch.ao.nn.quantizable import LSTM, LSTMCell

    weights = torch.randn(16, 3), torch.randn(16, 4)
    biases = (torch.randn(16), torch.randn(16)) if bias else (None, None)
    x = torch.randn(2, 3)
    split = LSTMCell.from_params(*weights, *biases, split_gates=True)
    whole = LSTMCell.from_params(*weights, *biases)
    for ours, expected in zip(split(x), whole(x), strict=True):
        assert torch.allclose(ours, expected, atol=1e-6)
    assert torch.equal(split.igates["forget"].weight, weights[0][4:8])
    assert whole.initialize_hidden(2)[0].shape == (2, 4)
    assert whole.initialize_hidden(2, is_quantized=True)[0].is_quantized
    layers = nn.LSTM(3, 4, bias=bias).eval()
    layers.qconfig = torch.ao.quantization.get_default_qconfig()
    observed = LSTM.from_float(layers, split_gates=True)
    steps = torch.randn(5, 2, 3)
    assert torch.allclose(observed(steps)[0], layers(steps)[0], atol=1e-6)
    assert "layers.0.layer_fw.cell.hgates.output.weight" in observed.state_dict()


def test_packages_of_layers_are_imported_alone() -> None:
    for package in ("quantizable", "quantized", "qat", "intrinsic"):
        program = f"import torch.ao.nn.{package}"
        subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True)
