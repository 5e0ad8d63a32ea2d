"""torch.optim.adam.adam and its like: steps on lists of tensors, with PyTorch's numbers."""

from __future__ import annotations

import inspect
import os
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

import functional_steps  # noqa: E402

PEER = os.environ.get("TORCH_PEER")


@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
@pytest.mark.peer
def test_steps_agree_with_pytorch(tmp_path: Path) -> None:
    command = [str(PEER), functional_steps.__file__, tmp_path / "expected.pt"]
    subprocess.run(command, check=True, cwd=tmp_path)
    expected = torch.load(tmp_path / "expected.pt")
    for key, found in functional_steps.results().items():
        torch.testing.assert_close(found, expected[key], msg=str(key), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", functional_steps.NAMES)
def test_functions_change_the_lists_in_place_as_the_optimizers_do(name: str) -> None:
    function = getattr(import_module(f"torch.optim.{name}"), name)
    found = functional_steps.results()[name, False]
    assert all(value is not None for values in found for value in values)
    assert not torch.equal(found[0][0], torch.arange(3.0))
    assert next(iter(inspect.signature(function).parameters)) == "params"


def test_scaled_and_infinite_gradients() -> None:
    def step(**options: torch.Tensor) -> float:
        weight = torch.ones(1)
        torch.optim.sgd.sgd(
            [weight],
            [torch.tensor([4.0])],
            [None],
            weight_decay=0,
            momentum=0,
            lr=0.5,
            dampening=0,
            nesterov=False,
            maximize=False,
            **options,
        )
        return weight.item()

    assert step() == -1
    assert step(grad_scale=torch.tensor(4.0)) == 0.5
    assert step(found_inf=torch.tensor(1.0)) == 1


def test_a_differentiable_step_records_its_graph() -> None:
    rate = torch.ones(1, requires_grad=True)
    weight = rate * 2
    torch.optim.rprop.rprop(
        [weight],
        [torch.ones(1)],
        [torch.zeros(1)],
        [torch.full((1,), 0.1)],
        [torch.tensor(0.0)],
        differentiable=True,
        step_size_min=1e-6,
        step_size_max=50,
        etaminus=0.5,
        etaplus=1.2,
    )
    assert torch.autograd.grad(weight, rate)[0].item() == 2
