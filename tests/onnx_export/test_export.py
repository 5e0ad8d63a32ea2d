"""torch.onnx.export: models that onnx.checker accepts and that compute the same numbers."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the package and its imports warn
    onnx = pytest.importorskip("onnx", reason="python -m pip install --group onnx")
    from onnx.reference import ReferenceEvaluator

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy's, in the reference evaluator


class Network(nn.Module):
    """Convolutions, as in the examples for MNIST."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 6, 3, groups=2, bias=False)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(6 * 6 * 6, 10)

    def forward(self, x):
        """Classify images."""
        x = F.relu(self.norm(self.conv1(x)))
        x = F.max_pool2d(x, 2, 1, 1) + F.avg_pool2d(x, 2, 1, 1)
        x = self.pool(F.silu(self.conv2(x)))
        x = x.view(x.size(0), -1)
        return F.log_softmax(self.fc(F.dropout(x, 0.5, self.training)), dim=1)


class Block(nn.Module):
    """One block of a transformer, with attention written out."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(11, 8)
        self.first = nn.LayerNorm(8)
        self.second = nn.LayerNorm(8)
        self.qkv = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
        self.mlp = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))
        self.scale = nn.Parameter(torch.tensor(0.5))

    def forward(self, tokens):
        """Return two results."""
        x = self.embed(tokens)
        y = self.first(x)
        q, k, v = (layer(y) for layer in self.qkv)
        scores = torch.softmax(q @ k.transpose(1, 2) / 8**0.5, dim=-1)
        x = x + self.scale * torch.matmul(scores, v)
        x = x + self.mlp(self.second(x))
        return x.mean(dim=1), torch.cat([x, 2 * y], dim=2)


def check(model, args, path: Path, *others, **options) -> None:
    """Export, check and run a model, on the example and on other arguments."""
    torch.onnx.export(model, args, path, **options)
    loaded = onnx.load(path)
    onnx.checker.check_model(loaded, full_check=True)
    evaluator = ReferenceEvaluator(loaded)
    model.eval()
    for given in (args, *others):
        given = given if isinstance(given, tuple) else (given,)
        names = [value.name for value in loaded.graph.input]
        results = evaluator.run(None, dict(zip(names, (g.numpy() for g in given), strict=True)))
        expected = model(*given)
        expected = expected if isinstance(expected, tuple) else (expected,)
        for result, tensor in zip(results, expected, strict=True):
            torch.testing.assert_close(
                torch.from_numpy(result), tensor.detach(), rtol=1e-4, atol=1e-5
            )


def test_layers_in_a_sequence(tmp_path: Path) -> None:
    model = nn.Sequential(
        nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 6, bias=False), nn.Tanh(), nn.LeakyReLU(0.2),
        nn.ELU(0.5), nn.Softplus(), nn.ReLU6(), nn.Hardtanh(-0.5, 0.7), nn.GELU("tanh"),
        nn.Sigmoid(), nn.Identity(), nn.Dropout(), nn.Softmax(dim=1),
    )  # fmt: skip
    check(
        model, torch.randn(3, 5), tmp_path / "m.onnx", torch.randn(8, 5),
        input_names=["x"], output_names=["y"],
        dynamic_axes={"x": {0: "batch"}, "y": {0: "batch"}},
    )  # fmt: skip
    loaded = onnx.load(tmp_path / "m.onnx")
    assert [value.name for value in loaded.graph.input] == ["x"]
    assert loaded.graph.output[0].type.tensor_type.shape.dim[0].dim_param == "batch"
    assert {"0.weight", "0.bias", "2.weight"} <= {t.name for t in loaded.graph.initializer}


def test_a_model_is_written_to_an_open_file(tmp_path: Path) -> None:
    model, file = nn.Linear(2, 3), io.BytesIO()
    torch.onnx.export(model, (torch.ones(1, 2),), tmp_path / "m.onnx")
    torch.onnx.export(model, (torch.ones(1, 2),), file, dynamo=False)
    assert file.getvalue() == (tmp_path / "m.onnx").read_bytes()


def test_convolutions_with_a_dynamic_batch(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = Network()
    for _ in range(3):  # running statistics that are not trivial
        model(torch.randn(4, 1, 28, 28))
    axes = {"x": [0], "output_0": [0]}
    check(
        model, torch.randn(2, 1, 28, 28), tmp_path / "m.onnx", torch.randn(5, 1, 28, 28),
        dynamic_axes=axes,
    )  # fmt: skip


def test_image_to_image(tmp_path: Path) -> None:
    model = nn.Sequential(
        nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1),
        nn.AvgPool2d(2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )
    check(model, torch.randn(2, 3, 5, 4), tmp_path / "m.onnx", opset_version=20)


def test_two_results_and_integers(tmp_path: Path) -> None:
    torch.manual_seed(0)
    check(Block(), torch.randint(0, 11, (2, 4)), tmp_path / "m.onnx")


def test_the_mode_of_training_is_restored() -> None:
    model = Network().train()
    program = torch.onnx.export(model, torch.randn(2, 1, 28, 28))
    assert model.training
    assert program.model_proto.opset_import[0].version == 18
    assert isinstance(program, torch.onnx.ONNXProgram)


class Sorting(nn.Module):
    """A module with an operator that is not translated."""

    def forward(self, x):
        """Sort."""
        return torch.sort(x)[0]


def test_what_cannot_be_translated_is_named() -> None:
    with pytest.raises(torch.onnx.OnnxExporterError, match=r"getitem|sort"):
        torch.onnx.export(Sorting(), torch.ones(3))
    with pytest.raises(torch.onnx.OnnxExporterError, match="between 18 and 20"):
        torch.onnx.export(nn.ReLU(), torch.ones(3), opset_version=9)
    with pytest.raises(torch.onnx.OnnxExporterError, match="1 x 1"):
        torch.onnx.export(nn.AdaptiveAvgPool2d(2), torch.ones(1, 1, 4, 4))


@pytest.mark.skipif(
    not hasattr(torch._C._onnx, "_parse_model"), reason="needs USE_ONNX=ON python setup.py develop"
)
def test_own_reader_and_writer_agree_with_the_package(tmp_path: Path) -> None:
    program = torch.onnx.export(Block(), torch.randint(0, 11, (2, 4)))
    ours = torch._C._onnx._serialize_model(program._model)
    theirs = program.model_proto
    assert onnx.load_from_string(ours) == theirs
    parsed = torch._C._onnx._parse_model(theirs.SerializeToString())
    assert parsed["graph"]["initializers"] == program._model["graph"]["initializers"]
    assert onnx.load_from_string(torch._C._onnx._serialize_model(parsed)) == theirs
    for damaged in (b"nothing", ours[: len(ours) // 2]):
        with pytest.raises((ValueError, RuntimeError), match="not a model"):
            torch._C._onnx._parse_model(damaged)
    with pytest.raises(ValueError, match='has no "graph"'):
        torch._C._onnx._serialize_model({"ir_version": 8, "producer": "", "opset": 18})
