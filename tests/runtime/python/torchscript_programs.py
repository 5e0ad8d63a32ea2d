"""Modules that PyTorch scripts and traces, and a check of archives that Torchsmith wrote.

The script runs with the Python that TORCH_PEER names; it must not import anything of this project.

    python torchscript_programs.py write FOLDER     an archive and its expected results for each program
    python torchscript_programs.py check FOLDER     runs the archives, compares with the expected results
"""
# TorchScript compiles what stands here, so it cannot be modernised.
# ruff: noqa: C416, RUF046, UP006, UP031, UP032, UP035, UP045

import functools
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 4, 3),
            nn.AdaptiveAvgPool2d(2),
        )
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(16, 5)
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x):
        return self.head(self.drop(self.features(x).flatten(1))) * self.scale


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(10, 4)
        self.rnn = nn.LSTM(4, 6, 2, batch_first=True, bidirectional=True)
        self.norm = nn.LayerNorm(12)

    def forward(self, ids):
        y, (h, c) = self.rnn(self.embedding(ids))
        return self.norm(y), h, c


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, x):
        return self.layer(x)


class Result(NamedTuple):
    value: Tensor
    count: int


class Running:
    """A class that is not a module."""

    def __init__(self, start: float):
        self.total = start
        self.seen: List[int] = []

    def add(self, value: Tensor) -> float:
        self.total += float(value.sum())
        self.seen.append(value.numel())
        return self.total


class ControlFlow(nn.Module):
    names: Dict[str, int]

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.cell = nn.LSTMCell(4, 4)
        self.names = {"a": 1, "b": 2}
        self.sizes, self.tag, self.eps = [1, 2], "x", 1e-5
        self.maybe: Optional[int] = None

    def forward(
        self, x: Tensor, items: List[Tensor], scale: Optional[float] = None
    ) -> Tuple[Result, Dict[str, Tensor], List[float]]:
        total = torch.zeros_like(x)
        for i, layer in enumerate(self.layers):
            total = total + layer(x).relu() * (i + 1)
        n = 0
        while n < 3 and bool(total.sum() < 100):
            total = total * 2
            n += 1
        for item in items:
            if item.size(0) == x.size(0):
                total = total + item
            elif item.dim() > 5:
                break
            else:
                n = n + item.dim()
                continue
        found: Dict[str, Tensor] = {}
        for key, value in self.names.items():
            found[key + self.tag] = total[:, value:] / (value + self.eps)
        if scale is not None:
            total = total * scale
        h, c = self.cell(total)
        found["h"], found["c"] = h, c
        found["last"] = [part for part in h.split(2)][-1]
        found["resized"] = F.interpolate(x[None], scale_factor=2.0)
        found["double"] = torch.zeros(2, dtype=torch.float64) + torch.arange(2)
        if len(items) > 5:
            raise ValueError("too many items: {}".format(len(items)))
        n = n // 2 + int(2**n) + (7 % 4) + min(3, n) - (-7) // 2
        running = Running(1.5)
        numbers = [running.add(item) for item in items] + [n / 2, float(len(running.seen))]
        assert n > -5, "n is {}".format(n)
        return Result(total, n), found, numbers

    @torch.jit.export
    def squares(self, n: int) -> List[int]:
        return [i * i for i in range(n)] + self.sizes


@torch.jit.script
def iterate(x: Tensor, n: int) -> Tensor:
    y = x
    with torch.no_grad():
        for _ in range(n):
            y = torch.sigmoid(y) + x
    return y.type_as(x).masked_fill(x > 1, float("-inf"))


@torch.jit.script
def texts(words: List[str], x: Tensor) -> Dict[str, List[int]]:
    found: Dict[str, List[int]] = {}
    for word in words:
        if word.startswith("a") and word not in found:
            found[word.upper()] = [len(word), ord(word[0]), x.size(-1), x.shape[0]]
    found["%d of %s" % (len(words), "all")] = [
        int(2.7),
        int(round(3.5)),
        5 // 2,
        abs(-3),
        max(1, 2),
    ]
    found["{}|{}".format(x.dtype, x.device)] = sorted([3, 1, 2])[1:]
    return found


def programs():
    """Each program with its example arguments."""
    torch.manual_seed(0)
    images, ids, states = (
        torch.randn(2, 3, 8, 8),
        torch.randint(0, 10, (2, 5)),
        torch.randn(2, 3, 8),
    )
    made = {"convolutions": (Convolutions(), images), "recurrent": (Recurrent(), ids)}
    made["attention"] = (Attention(), states)
    for name, (module, x) in made.items():
        module.eval()
        yield f"{name}_scripted", torch.jit.script(module), (x,)
        yield f"{name}_traced", torch.jit.trace(module, x, check_trace=False), (x,)
    yield "frozen", torch.jit.freeze(torch.jit.script(Convolutions().eval())), (images,)
    yield (
        "training",
        torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))),
        (images[0, 0, :, :4],),
    )
    flow = torch.jit.script(ControlFlow())
    yield "control_flow", flow, (torch.randn(2, 4), [torch.ones(2, 4), torch.ones(3)], 0.5)
    yield "control_flow_without_options", flow, (torch.randn(2, 4), [torch.ones(3)])
    yield "iterate", iterate, (torch.randn(3), 3)
    yield "texts", texts, (["ab", "b", "abc"], torch.ones(2, 3))


def plain(value):
    """Named tuples as tuples."""
    if isinstance(value, tuple):
        return tuple(plain(each) for each in value)
    return [plain(each) for each in value] if isinstance(value, list) else value


def write(folder):
    """Write the archives."""
    for name, program, arguments in programs():
        torch.jit.save(program, str(folder / f"{name}.pt"))
        state = dict(program.state_dict()) if isinstance(program, nn.Module) else {}
        state = {key: value.clone() for key, value in state.items()}
        with torch.no_grad():
            result = plain(program(*arguments))
        expected = {"arguments": arguments, "result": result, "state": state}
        torch.save(expected, folder / f"{name}.expected")


def check(folder):
    """Run the archives, and compare their results."""
    for file in sorted(folder.glob("*.pt")):
        files = {"note.txt": ""}
        program = torch.jit.load(file, _extra_files=files)
        expected = torch.load(file.with_suffix(".expected"), weights_only=False)
        with torch.no_grad():
            result = plain(program(*expected["arguments"]))
        note = functools.partial("{}: {}".format, file)
        torch.testing.assert_close(result, expected["result"], msg=note)
        assert files["note.txt"] in (b"", b"a note"), files


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](Path(sys.argv[2]))
