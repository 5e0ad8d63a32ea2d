"""torch.utils.benchmark, flop_counter and tensorboard."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

import torch
from torch import nn
from torch.utils import benchmark
from torch.utils.flop_counter import FlopCounterMode, register_flop_formula
from torch.utils.tensorboard import SummaryWriter, _events, summary


class _Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Conv2d(3, 8, 3)
        self.b = nn.Linear(8 * 36, 10)
        self.c = nn.MultiheadAttention(10, 2)

    def forward(self, x: Any) -> Any:
        x = self.b(self.a(x).relu().flatten(1))
        return self.c(x[:, None], x[:, None], x[:, None])[0]


def test_flops_are_those_of_pytorch() -> None:
    x = torch.randn(2, 3, 8, 8, requires_grad=True)
    with FlopCounterMode(display=False) as counter:
        _Net()(x).sum().backward()
    assert counter.get_total_flops() == 133152
    counts = {
        module: {str(op): count for op, count in found.items()}
        for module, found in counter.get_flop_counts().items()
    }
    assert counts["_Net.a"] == {"aten.convolution": 31104, "aten.convolution_backward": 62208}
    assert counts["_Net.b"] == {"aten.addmm": 11520, "aten.mm": 23040}
    assert counts["_Net.c"] == {"aten.addmm": 1600, "aten.bmm": 480, "aten.mm": 3200}
    table = counter.get_table(depth=2)
    assert "_Net.b" in table
    assert "100.00%" in table
    with FlopCounterMode(display=False) as counter:
        nn.ConvTranspose2d(3, 4, 3, stride=2)(x).sum().backward()
    assert counter.get_total_flops() == 82944


def test_timer_and_compare() -> None:
    clock = iter(range(10**6))
    timer = benchmark.Timer(
        "x + 1", globals={"x": 1}, timer=lambda: next(clock) * 1e-3, label="sums", description="a"
    )
    measured = timer.timeit(100)
    assert measured.number_per_run == 100
    assert measured.raw_times == [pytest.approx(1e-3)]
    assert measured.median == pytest.approx(1e-5)
    assert "10.00 us\n  1 measurement, 100 runs , 1 thread" in repr(measured)
    real = benchmark.Timer("x + 1", globals={"x": 1})
    assert real.blocked_autorange(min_run_time=0.001).raw_times
    assert real.adaptive_autorange(min_run_time=0.0001, max_run_time=0.01).raw_times
    task = benchmark.TaskSpec("f()", label="sums", sub_label="f", description="b")
    times = benchmark.Measurement(1, [1e-3, 2e-3, 9e-3], task)
    assert (times.median, times.has_warnings) == (2e-3, True)
    (merged,) = benchmark.Measurement.merge([times, times])
    assert len(merged.raw_times) == 6
    compare = benchmark.Compare([measured, times])
    compare.trim_significant_figures()
    compare.colorize()
    compare.highlight_warnings()
    assert "Times are in microseconds (us)." in str(compare)
    with pytest.raises(ValueError, match="C\\+\\+ only"):
        benchmark.Timer(global_setup="int x;")
    with pytest.raises(NotImplementedError):
        benchmark.Timer(language="c++")
    assert benchmark.trim_sigfig(0.0123456, 3) == 0.0123
    assert benchmark.select_unit(3e-6) == ("us", pytest.approx(1e-6))


def measurement(times: list[float], *, threads: int = 1, **names: str) -> benchmark.Measurement:
    task = benchmark.TaskSpec("f()", "pass", num_threads=threads, **names)
    return benchmark.Measurement(1, times, task)


def test_reports_look_like_pytorch_s() -> None:
    report = repr(measurement([1, 1.3, 1.6, 2.0], label="L", sub_label="S", description="D"))
    assert report.split("\n")[1:] == [
        "L: S",
        "D",
        "  Median: 1.45 s",
        "  IQR:    0.48 s (1.23 to 1.70)",
        "  4 measurements, 1 runs per measurement, 1 thread",
        "  WARNING: Interquartile range is 32.8% of the median measurement.",
        "           This suggests significant environmental influence.",
    ]
    assert report.startswith("<torch.utils.benchmark.utils.common.Measurement object at 0x")
    found = [
        measurement([3e-6], sub_label="a", description="(1, x)", label="fn"),
        measurement([50e-6], sub_label="a", description="(10, x)", label="fn"),
        measurement([2e-6], sub_label="bbbb", description="(1, x)", label="fn"),
        measurement([7123.4e-6], sub_label="bbbb", description="(10, x)", label="fn", threads=2),
    ]
    assert str(benchmark.Compare(found)).split("\n") == [
        "[-------------- fn -------------]",
        "            |  (1, x)  |  (10, x)",
        "1 threads: ----------------------",
        "      a     |   3.0    |     50.0",
        "      bbbb  |   2.0    |         ",
        "2 threads: ----------------------",
        "      bbbb  |          |   7123.4",
        "",
        "Times are in microseconds (us).",
        "",
    ]


def test_fuzzed_tensors_are_pytorch_s() -> None:
    fuzzer = benchmark.Fuzzer(
        [
            benchmark.FuzzedParameter("n", 1, 16, "loguniform"),
            benchmark.FuzzedParameter("k", 1, 100, "uniform"),
        ],
        [benchmark.FuzzedTensor("x", ("n", "k"), steps=(1, 2))],
        seed=0,
    )
    rows = [
        (tuple(tensors["x"].shape), tensors["x"].stride(), facts["x"]["order"].tolist())
        for tensors, facts, _ in fuzzer.take(4)
    ]
    assert rows == [
        ((7, 68), (1, 14), [1, 0]),
        ((3, 71), (142, 2), [0, 1]),
        ((2, 66), (1, 4), [1, 0]),
        ((4, 38), (1, 8), [1, 0]),
    ]


def _records(path: Path) -> list[bytes]:
    data, found = path.read_bytes(), []
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        assert struct.unpack("<I", data[8:12]) == (_events.masked_crc(data[:8]),)
        content = data[12 : 12 + length]
        assert struct.unpack("<I", data[12 + length : 16 + length])[0] == _events.masked_crc(
            content
        )
        found.append(content)
        data = data[16 + length :]
    return found


def test_event_files(tmp_path: Path) -> None:
    assert _events.masked_crc(b"123456789") == (
        ((0xE3069283 >> 15 | 0xE3069283 << 17) + 0xA282EAD8) & 0xFFFFFFFF
    )
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", torch.tensor(0.5), 3, walltime=1.0)
        writer.add_text("note", "hello", 1)
        writer.add_histogram("weights", torch.arange(10.0), 2)
        writer.add_image("pixels", torch.ones(3, 2, 4))
        writer.add_scalars("both", {"a": 1.0, "b": 2.0}, 0)
        writer.add_hparams({"lr": 0.1, "name": "sgd"}, {"accuracy": 0.5}, run_name="run")
    (path,) = tmp_path.glob("events.out.tfevents.*")
    version, loss, note, histogram, image = _records(path)
    assert b"brain.Event:2" in version
    value = b"\n\x04loss" + b"\x15" + struct.pack("<f", 0.5)
    summary = b"\n" + bytes([len(value)]) + value
    expected = (
        b"\x09" + struct.pack("<d", 1.0) + b"\x10\x03" + b"*" + bytes([len(summary)]) + summary
    )
    assert loss == expected
    assert b"hello" in note
    assert b"weights" in histogram
    start = image.index(b"IDAT")
    (size,) = struct.unpack(">I", image[start - 4 : start])
    assert zlib.decompress(image[start + 4 : start + 4 + size]) == (b"\0" + b"\xff" * 12) * 2
    assert {p.name for p in tmp_path.iterdir() if p.is_dir()} == {"both_a", "both_b", "run"}
    with pytest.raises(ValueError, match="format"):
        SummaryWriter(tmp_path).add_image("bad", torch.ones(2, 2))


def test_summaries_have_the_fields_of_tensorboard() -> None:
    """The bytes are those of the classes of TensorBoard 2.21 for what PyTorch's functions return."""
    layout = {"T": {"x": ["Multiline", ["a", "b"]], "y": ["Margin", ["a", "b", "c"]]}}
    shown = b'\x12"\n\x01T\x12\x0b\n\x01x\x12\x06\n\x01a\n\x01b'
    shown += b"\x12\x10\n\x01y\x1a\x0b\n\t\n\x01a\x12\x01b\x1a\x01c"
    assert shown in summary.custom_scalars(layout).SerializeToString()
    points = summary.mesh("m", torch.zeros(1, 4, 3), None, torch.ones(1, 1, 3), {"a": 1})
    for part in (b'\x12\x01m\x18\x01*\x08{"a": 1}2\x03\x01\x04\x038\x06', b"m_FACE"):
        assert part in points.SerializeToString()
    for part in summary.hparams({"lr": 0.1, "unset": None}, {"loss": None}, {"lr": [0.1, 0.2]}):
        assert b"_hparams_/" in part.SerializeToString()
    assert b"unset" not in summary.hparams({"unset": None}, {})[0].SerializeToString()
    for given in (([1], {}), ({}, None), ({"a": 1}, {}, {"a": ["x"]}), ({"a": 1}, {}, {"b": [1]})):
        with pytest.raises(TypeError, match="should be"):
            summary.hparams(*given)
    with pytest.raises(ValueError, match="value should be one of"):
        summary.hparams({"a": [1]}, {})
    halves = summary.tensor_proto("h", torch.tensor([1.5, 2.0]).half()).SerializeToString()
    assert b"j\x05\x80|\x80\x80\x01" in halves  # their bits, as TensorBoard reads them
    with pytest.raises(ValueError, match=r"a tensor of torch\.uint16"):
        summary.tensor_proto("u", torch.zeros(1, dtype=torch.uint16))


def test_curves_of_precision_and_recall_are_those_of_pytorch() -> None:
    labels, likely = torch.tensor([0, 1, 1, 0, 1]), torch.tensor([0.1, 0.9, 0.4, 0.6, 0.7])
    assert summary.compute_curve(labels, likely, 7).tolist() == [
        [3, 3, 3, 2, 2, 1, 0],
        [2, 1, 1, 1, 0, 0, 0],
        [0, 1, 1, 1, 2, 2, 2],
        [0, 0, 0, 1, 1, 2, 3],
        pytest.approx([0.6, 0.75, 0.75, 2 / 3, 1, 1, 0]),
        pytest.approx([1, 1, 1, 2 / 3, 2 / 3, 1 / 3, 0]),
    ]
    weighted = summary.compute_curve([0, 1, 1], [0.1, 0.9, 0.4], 5, [1.0, 2.0, 3.0])
    assert weighted[:2].tolist() == [[5, 5, 2, 2, 0], [1, 0, 0, 0, 0]]


def test_other_kinds_of_events(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("wide", 0.1, new_style=True, double_precision=True)
        writer.add_audio("sound", torch.sin(torch.arange(100) / 5), 1, 8000)
        writer.add_histogram_raw("raw", 0, 3, 4, 6, 14, [1, 2, 3], [1, 2, 1])
        writer.add_embedding(torch.rand(3, 2), ["a", "b", "c"], torch.rand(3, 3, 4, 4), 2, "e")
        writer.add_embedding(torch.ones(1, 2), [["a", 1]], metadata_header=["n", "v"])
        writer.file_writer.add_summary(summary.scalar("made", 1.0), 3)
        with pytest.raises(AssertionError, match="#labels should equal"):
            writer.add_embedding(torch.ones(3, 2), ["a"])
        for call in (writer.add_graph, writer.add_onnx_graph):
            with pytest.raises(NotImplementedError, match="is not supported"):
                call(torch.nn.ReLU())
    (path,) = tmp_path.glob("events.out.tfevents.*")
    _, wide, sound, raw, made = _records(path)
    assert struct.pack("<d", 0.1) in wide
    assert b"RIFF" in sound and b"audio/wav" in sound
    assert struct.pack("<3d", 1, 2, 3) in raw
    assert made.endswith(b"\n\x04made" + b"\x15" + struct.pack("<f", 1.0))
    assert (tmp_path / "00000/default/metadata.tsv").read_text() == "n\tv\na\t1\n"
    assert (tmp_path / "00002/e/sprite.png").read_bytes()[16:24] == struct.pack(">II", 8, 8)
    entry = 'embeddings {\n  tensor_name: "e:00002"\n  metadata_path: "00002/e/metadata.tsv"\n'
    assert (tmp_path / "projector_config.pbtxt").read_text().startswith(entry)


def test_flop_formulas_of_one_mode() -> None:
    def of_tensors(*args: Any, out_val: torch.Tensor) -> int:
        return out_val.numel()

    of_tensors._get_raw = True  # type: ignore[attr-defined]
    for formula, count in ((of_tensors, 20), (lambda *shapes, out_shape: len(out_shape), 2)):
        with FlopCounterMode(custom_mapping={torch.ops.aten.add: formula}, display=False) as mode:
            torch.ones(4, 5) + torch.ones(4, 5)
        assert mode.get_total_flops() == count
    with pytest.warns(UserWarning, match="mods argument is not needed anymore"):
        FlopCounterMode(torch.nn.Linear(2, 2))
    with pytest.raises(ValueError, match="expected each target to be OpOverloadPacket"):
        register_flop_formula(torch.ops.aten.mm.default)(of_tensors)


def test_numbers_of_summaries_are_single() -> None:
    expected = summary.scalar("loss", 2.0).SerializeToString()
    for value in (2, "2", torch.tensor([[2]]), torch.tensor(2.0).numpy()):
        assert summary.scalar("loss", value).SerializeToString() == expected
    with pytest.raises(NotImplementedError, match="Got <class 'list'>, but numpy array or torch"):
        summary.scalar("loss", [1.0])
    with pytest.raises(AssertionError, match="Was given size: 2 and 1 dimensions"):
        summary.scalar("loss", torch.ones(2))
