"""Recording the operators that a program calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import torch
from torch.utils.record_operators import record_operators


def recorded(path: Path) -> dict[str, dict[str, object]]:
    return {item.pop("operator"): item for item in yaml.safe_load(path.read_text())}


def test_calls_of_all_kinds_are_recorded(tmp_path: Path) -> None:
    x = torch.ones(2, 3, requires_grad=True)
    with record_operators(tmp_path / "a.yaml"):
        torch.nn.functional.linear(x, torch.ones(4, 3)).relu().sum().backward()
        torch.ops.aten.mul.Tensor(torch.arange(3), torch.arange(3))
    found = recorded(tmp_path / "a.yaml")
    assert found["aten::linear"] == {"dtypes": ["Float"], "training": True}
    assert found["aten::threshold_backward"]["dtypes"] == ["Float"]  # called by a formula, in C++
    assert found["aten::mul.Tensor"] == {"dtypes": ["Long"]}
    assert "aten::relu" in found and "aten::sin" not in found


def test_training_means_that_gradients_are_recorded(tmp_path: Path) -> None:
    x = torch.ones(2, requires_grad=True)
    with record_operators(tmp_path / "a.yaml"), torch.no_grad():
        x.sin()
    assert recorded(tmp_path / "a.yaml")["aten::sin"] == {"dtypes": ["Float"]}


def test_other_threads_of_the_backward_pass_and_results_stay(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    expected = (x * x).sum()
    with record_operators(tmp_path / "a.yaml"):
        loss = (x * x).sum()
        loss.backward()
    assert torch.equal(loss, expected) and x.grad.tolist() == [2, 2, 2]


def test_recording_ends_with_the_block(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), record_operators(tmp_path / "a.yaml"):
        torch.ones(1).cos()
        raise ZeroDivisionError
    assert "aten::cos" in recorded(tmp_path / "a.yaml")
    with record_operators(tmp_path / "b.yaml"):
        pass
    assert (tmp_path / "b.yaml").read_text() == ""
    with record_operators(tmp_path / "b.yaml"):
        with pytest.raises(RuntimeError, match="recorded already"):
            record_operators(tmp_path / "c.yaml").__enter__()
        torch.ones(1).tanh()
    assert "aten::tanh" in recorded(tmp_path / "b.yaml")


def test_command(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, torch\nprint(torch.ones(int(sys.argv[1])).tanh().sum().item())\n"
    )
    command = [sys.executable, "-m", "torch.utils.record_operators", str(program)]
    run = subprocess.run(
        [*command, "-o", "operators.yaml", "--", "2"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(run.stdout) == pytest.approx(1.5231883)
    assert recorded(tmp_path / "operators.yaml")["aten::tanh"] == {"dtypes": ["Float"]}
