"""Quantized tensors, observers and fake quantization have PyTorch's values, bit for bit."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import torch
import torch.nn.functional as F

PEER = os.environ.get("TORCH_PEER")
PROGRAMS = Path(__file__).parent / "quantized_programs.py"
needs_peer = pytest.mark.skipif(
    not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0"
)
pytestmark = pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")


def quantized(dtype=torch.quint8) -> torch.Tensor:
    return torch.quantize_per_tensor(torch.arange(-3, 3.0).view(2, 3), 0.5, 3, dtype)


def by_channel() -> torch.Tensor:
    values = torch.arange(-3, 3.0).view(2, 3)
    return torch.quantize_per_channel(
        values, torch.tensor([0.5, 0.25]), torch.tensor([1, 2]), 0, torch.qint8
    )


def run(python: str, *arguments: str, folder: Path) -> str:
    """Return what a Python program prints; the peer must not see this checkout."""
    done = subprocess.run(
        [python, "-W", "ignore", *arguments], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_peer
@pytest.mark.parametrize(
    "group", ["creation", "operators", "functions", "rounding", "observers", "products"]
)
def test_programs_give_what_pytorch_gives(group: str, tmp_path: Path) -> None:
    ours, theirs = (
        json.loads(run(python, str(PROGRAMS), group, folder=tmp_path))
        for python in (sys.executable, str(PEER))
    )
    assert ours == theirs


_SAVING = """
import sys, torch
x = torch.arange(-3, 3.0).view(2, 3)
torch.save([
    torch.quantize_per_tensor(x, 0.5, 3, torch.quint8),
    torch.quantize_per_tensor(x, 0.5, 3, torch.qint8).t(),
    torch.quantize_per_tensor(x, 0.5, 3, torch.qint32)[1],
    torch.quantize_per_tensor(x, 0.5, 3, torch.quint4x2),
    torch.quantize_per_channel(x, torch.tensor([0.5, 0.25]), torch.tensor([1, 2]), 0, torch.qint8),
], sys.argv[1])
"""
_LOADING = "import sys, torch; print([repr(x) for x in torch.load(sys.argv[1])])"


@needs_peer
def test_archives_are_exchanged_with_pytorch(tmp_path: Path) -> None:
    pythons = {"ours": sys.executable, "theirs": str(PEER)}
    texts = set()
    for name, writer in pythons.items():
        run(writer, "-c", _SAVING, f"{name}.pt", folder=tmp_path)
        texts |= {
            run(reader, "-c", _LOADING, f"{name}.pt", folder=tmp_path)
            for reader in pythons.values()
        }
    assert len(texts) == 1


def test_values_are_integers_with_a_scale() -> None:
    x = quantized()
    assert x.is_quantized and x.dtype is torch.quint8 and x.qscheme() == torch.per_tensor_affine
    assert (x.q_scale(), x.q_zero_point()) == (0.5, 3)
    assert x.int_repr().tolist() == [[0, 0, 1], [3, 5, 7]]
    assert x.dequantize().tolist() == [[-1.5, -1.5, -1.0], [0.0, 1.0, 2.0]]
    assert repr(x).endswith("quantization_scheme=torch.per_tensor_affine, scale=0.5, zero_point=3)")


def test_views_share_integers() -> None:
    x = quantized()
    x[1].copy_(torch.tensor([-1.0, -1.0, -1.0]))
    assert x.int_repr().tolist() == [[0, 0, 1], [1, 1, 1]]
    x[0, 0] = 2.0
    assert x[0, 0].item() == 2.0


@pytest.mark.parametrize("make", [quantized, by_channel])
def test_copies_are_equal_and_independent(make) -> None:
    x = make()
    for copied in (x.clone(), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert torch.equal(copied, x)
        copied.fill_(0.0)
        assert not torch.equal(copied, x)


@pytest.mark.parametrize("dtype", [torch.quint4x2, torch.quint2x4])
def test_small_integers_share_bytes(dtype) -> None:
    x = torch.quantize_per_tensor(torch.tensor([0.0, 1.0, 2.0, 3.0, 1.0]), 1.0, 0, dtype)
    per_byte = {torch.quint4x2: 2, torch.quint2x4: 4}[dtype]
    assert len(x.int_repr()) == -(-5 // per_byte)
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    assert torch.equal(torch.load(file), x)


def test_dtypes_are_kept_by_pickles() -> None:
    assert pickle.loads(pickle.dumps(torch.qint8)) is torch.qint8
    assert pickle.loads(pickle.dumps(torch.per_channel_affine)) is torch.per_channel_affine


def test_gradients_of_fake_quantization_pass_inside_the_range() -> None:
    x = torch.tensor([-5.0, -0.26, 0.3, 9.0], requires_grad=True)
    y = torch.fake_quantize_per_tensor_affine(x, 0.5, 0, -2, 2)
    y.backward(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    assert y.tolist() == [-1.0, -0.5, 0.5, 1.0]
    assert x.grad is not None and x.grad.tolist() == [0.0, 2.0, 3.0, 0.0]


def float8(*shape: int) -> torch.Tensor:
    values = torch.arange(torch.Size(shape).numel()).reshape(shape) % 7 - 3
    return values.float().to(torch.float8_e4m3fn)


def test_grouped_products_are_those_of_each_group() -> None:
    a, b = float8(5, 4), float8(2, 4, 3)
    rows, columns = torch.arange(1, 6.0), torch.arange(1, 7.0).view(2, 3)
    offs = torch.tensor([2, 5], dtype=torch.int32)
    recipe = F.ScalingType.RowWise
    found = F.scaled_grouped_mm(
        a, b, rows, recipe, columns, recipe, offs=offs, output_dtype=torch.float32
    )
    left = a.float() * rows[:, None]
    right = b.float() * columns[:, None]
    assert torch.equal(found, torch.cat([left[:2] @ right[0], left[2:] @ right[1]]))


def test_scales_must_fit_their_recipe() -> None:
    a, one = float8(4, 4), torch.tensor(1.0)
    tensor, row = F.ScalingType.TensorWise, F.ScalingType.RowWise
    with pytest.raises(ValueError, match="Invalid scaling configuration"):
        F.scaled_mm(a, a, one, tensor, torch.ones(1, 4), row)
    with pytest.raises(ValueError, match="Invalid scaling configuration"):
        F.scaled_mm(a.float(), a, one, tensor, one, tensor)
    with pytest.raises(ValueError, match="RowWise"):
        F.scaled_grouped_mm(a[None], a[None], one, tensor, one, tensor)


@pytest.mark.parametrize(
    ("integers", "zero_point", "bound"),
    [
        (torch.uint8, -1, "below lower"),
        (torch.uint8, 256, "above upper"),
        (torch.int8, 128, "above upper"),
        (torch.int32, 2**31, "above upper"),
    ],
)
def test_zero_points_are_integers_of_the_dtype(integers, zero_point, bound) -> None:
    stored = torch.zeros(2, dtype=integers)
    one = torch._make_per_tensor_quantized_tensor(stored, 0.1, zero_point)
    with pytest.raises(RuntimeError, match=f"per_tensor_affine zero_point {zero_point} is {bound}"):
        one.dequantize()
    points = torch.tensor([0, zero_point])
    each = torch._make_per_channel_quantized_tensor(stored, torch.tensor([0.1, 0.1]), points, 0)
    with pytest.raises(RuntimeError, match=f"channel_affine zero_point {zero_point} is {bound}"):
        each.dequantize()


def test_operators_without_a_rule_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="QuantizedCPU"):
        torch.sin(quantized())
    with pytest.raises(AttributeError, match="no_such"):
        torch.ops.quantized.no_such  # noqa: B018


def test_import_does_not_load_quantization() -> None:
    code = "import sys, torch; sys.exit(any('_quantized' in name for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def _per_channel() -> torch.Tensor:
    values = torch.arange(6.0).reshape(2, 3)
    return torch.quantize_per_channel(
        values, torch.tensor([0.5, 1.0, 2.0]), torch.tensor([0, 1, 2]), 1, torch.qint8
    )


def test_iinfo_takes_quantized_dtypes() -> None:
    limits = {each: torch.iinfo(each) for each in (torch.qint8, torch.quint8, torch.qint32)}
    assert [(each.min, each.max, each.bits) for each in limits.values()] == [
        (-128, 127, 8),
        (0, 255, 8),
        (-(2**31), 2**31 - 1, 32),
    ]
    with pytest.raises(TypeError, match=r"must be torch\.dtype, not str"):
        torch.iinfo("qint8")


def test_shapes_change_in_place() -> None:
    q = torch.quantize_per_tensor(torch.arange(6.0).reshape(1, 2, 3), 0.5, 3, torch.quint8)
    expected = q.int_repr()
    assert q.squeeze_(0) is q
    assert torch.equal(q.int_repr(), expected[0])
    assert q.t_().shape == (3, 2)
    assert torch.equal(q.transpose_(0, 1).unsqueeze_(1).int_repr(), expected[0].unsqueeze(1))
    assert q.resize_(2, 2).shape == (2, 2)
    assert q.as_strided_((2,), (1,)).int_repr().tolist() == [3, 5]
    assert q.q_scale() == 0.5


def test_channels_move_with_new_dimensions() -> None:
    q = _per_channel()
    for moved, axis in (
        (q.unsqueeze(0), 2),
        (q.unsqueeze(1), 2),
        (q.unsqueeze(-1), 1),
        (q.unsqueeze(0).squeeze(), 1),
        (q.unsqueeze(0).squeeze(0), 1),
    ):
        assert moved.q_per_channel_axis() == axis
        assert torch.equal(moved.dequantize().flatten(), q.dequantize().flatten())
    single = torch.quantize_per_channel(
        torch.ones(1, 2), torch.ones(1), torch.zeros(1), 0, torch.qint8
    )
    with pytest.raises(RuntimeError, match="non-axis dimension"):
        single.squeeze(0)


def test_further_operators_of_quantized_tensors() -> None:
    q = torch.quantize_per_tensor(torch.arange(16.0).reshape(1, 4, 2, 2), 0.5, 3, torch.quint8)
    d = q.dequantize()
    for call in (
        lambda a: F.pixel_shuffle(a, 2),
        lambda a: F.max_pool3d(a, 2),
        lambda a: F.interpolate(a, scale_factor=2, mode="nearest-exact"),
        lambda a: a.index_put((torch.tensor([0]), torch.tensor([1])), torch.tensor(2.0)),
        torch.ones_like,
    ):
        assert torch.equal(call(q).dequantize(), call(d))
    with pytest.raises(RuntimeError, match="should not be quantized"):
        q.index_put_((torch.tensor([0]),), q[0])
    assert q.type() == "torch.quantized.QUInt8Tensor"


def test_arithmetic_writes_to_out() -> None:
    q = torch.quantize_per_tensor(torch.tensor([-1.0, 2.0]), 0.5, 3, torch.quint8)
    out = torch._empty_affine_quantized([2], scale=1.0, zero_point=5, dtype=torch.quint8)
    assert torch.ops.quantized.add(q, q, out=out) is out
    assert out.dequantize().tolist() == [-2.0, 4.0]
    assert torch.ops.quantized.mul_relu(q, q, out=out).dequantize().tolist() == [1.0, 4.0]
    assert torch.ops.quantized.add(q, 1.0).dequantize().tolist() == [0.0, 3.0]
    assert torch.ops.quantized.mul(q, 2.0, out=out).dequantize().tolist() == [-2.0, 4.0]
    assert out.q_scale() == 1.0
    assert torch.ops.quantized.add_relu(q, 0.5, out=out).dequantize().tolist() == [0.0, 2.5]
