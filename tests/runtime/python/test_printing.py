"""repr() of tensors equals that of PyTorch, character for character."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import torch

EXPRESSIONS = """
torch.tensor(1.5)
torch.tensor(3)
torch.tensor(True)
torch.tensor(1+2j)
torch.tensor([])
torch.empty(0, 3)
torch.empty(2, 0, dtype=torch.int64)
torch.arange(6.).reshape(2, 3)
torch.arange(24).reshape(2, 3, 4)
torch.tensor([1., 2.5, -3.])
torch.tensor([1e10, 1.])
torch.tensor([1e-5, 1.])
torch.tensor([1e5, 2e5])
torch.tensor([float('nan'), float('inf'), -float('inf'), 1.])
torch.tensor([float('nan')])
torch.tensor([True, False])
torch.tensor([1, -200, 30])
torch.tensor([1, 2], dtype=torch.int8)
torch.tensor([1., 2.], dtype=torch.float64)
torch.tensor([1., 2.], dtype=torch.float16)
torch.tensor([1., 2.5], dtype=torch.bfloat16)
torch.tensor([1+2j, -3.5j])
torch.tensor([1e10+1j, 1e-5j])
torch.arange(2000)
torch.arange(2000.).reshape(2, 1000)
torch.arange(10000).reshape(100, 100)
torch.arange(12000).reshape(20, 20, 30)
torch.arange(1000)
torch.zeros(3, device='meta')
torch.zeros(2, 3, dtype=torch.int32, device='meta')
torch.tensor([0.1, 0.22, 0.333, 0.4444, 0.55555])
torch.tensor([[1e-8, 1.], [2., 3.]])
torch.arange(100.) / 7
torch.tensor([1000000., 1.])
torch.tensor([123456789, 1])
torch.zeros(3)
torch.tensor(-0.)
torch.tensor([[[[1.]]]])
torch.ones(2, 3).t()
torch.tensor([255], dtype=torch.uint8)
torch.arange(40.)
torch.tensor(float('nan'))
torch.tensor(1e20)
torch.tensor([1e20, 1.])
torch.tensor(123456.789)
torch.tensor(12345678.9)
""".strip().split("\n")

OPTIONS = [
    {},
    {"precision": 2},
    {"threshold": 5, "edgeitems": 2},
    {"linewidth": 40},
    {"sci_mode": True},
    {"profile": "short"},
]
DEFAULTS = {"profile": "default", "sci_mode": None}


def render() -> list[list[str]]:
    """Print every expression with every set of options."""
    rows = []
    for options in OPTIONS:
        torch.set_printoptions(**{"profile": "default", **options})
        rows.append([repr(eval(expression)) for expression in EXPRESSIONS])
    torch.set_printoptions(profile="default")
    return rows


@pytest.mark.peer
@pytest.mark.skipif(
    not os.environ.get("TORCH_PEER"), reason="set TORCH_PEER to a Python that has torch==2.13.0"
)
def test_output_equals_that_of_pytorch() -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    peer = subprocess.run(
        [os.environ["TORCH_PEER"], "-W", "ignore", str(Path(__file__).with_name("render_peer.py"))],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
        cwd="/",
    )
    for options, ours, theirs in zip(OPTIONS, render(), json.loads(peer.stdout), strict=True):
        for expression, mine, other in zip(EXPRESSIONS, ours, theirs, strict=True):
            assert mine == other, f"{expression} with {options}"


@pytest.mark.peer
@pytest.mark.skipif(
    "TORCH_PEER" not in os.environ, reason="set TORCH_PEER to a Python that has torch==2.13.0"
)
def test_random_tensors_print_as_in_pytorch(tmp_path: Path) -> None:
    script = str(Path(__file__).with_name("print_tensors.py"))
    bare = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    texts = []
    for number, python in enumerate((sys.executable, os.environ["TORCH_PEER"])):
        file = tmp_path / f"{number}.json"
        subprocess.run([python, script, "1", "300", str(file)], check=True, env=bare, cwd=tmp_path)
        texts.append(json.loads(file.read_text()))
    for mine, other in zip(*texts, strict=True):
        assert mine == other


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (torch.tensor(1.5), "tensor(1.5000)"),
        (torch.arange(6.0).reshape(2, 3), "tensor([[0., 1., 2.],\n        [3., 4., 5.]])"),
        (torch.tensor([1.0, 2.5]), "tensor([1.0000, 2.5000])"),
        (torch.tensor([1e-5, 1.0]), "tensor([1.0000e-05, 1.0000e+00])"),
        (torch.tensor([True, False]), "tensor([ True, False])"),
        (torch.tensor([1, 2], dtype=torch.int8), "tensor([1, 2], dtype=torch.int8)"),
        (torch.tensor([1 + 2j]), "tensor([1.+2.j])"),
        (torch.empty(0, 3), "tensor([], size=(0, 3))"),
        (torch.zeros(3, device="meta"), "tensor(..., device='meta', size=(3,))"),
        (torch.arange(2000), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"),
    ],
)
def test_golden(tensor: torch.Tensor, text: str) -> None:
    assert repr(tensor) == text
    assert str(tensor) == text
    assert f"{tensor}" == (text if tensor.dim() or tensor.is_meta else str(tensor.item()))


def test_format_specifications_apply_to_single_numbers() -> None:
    assert f"{torch.tensor(1.5):.3f}" == "1.500"
    with pytest.raises(TypeError):
        f"{torch.ones(2):.3f}"


def test_printing_options_are_restored() -> None:
    before = repr(torch.tensor([1.23456]))
    torch.set_printoptions(precision=2)
    assert repr(torch.tensor([1.23456])) == "tensor([1.23])"
    torch.set_printoptions(profile="default")
    assert repr(torch.tensor([1.23456])) == before


if __name__ == "__main__":
    json.dump(render(), sys.stdout)
