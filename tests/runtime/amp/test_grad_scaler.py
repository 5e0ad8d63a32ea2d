"""Gradient scaling on the CPU."""

from __future__ import annotations

import pickle
import warnings

import pytest

import torch


def parameter(value: float = 1.0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.full((3,), value, dtype=dtype, requires_grad=True)


def scaler(**settings: object) -> torch.amp.GradScaler:
    return torch.amp.GradScaler("cpu", **settings)


def test_scaled_steps_equal_plain_ones() -> None:
    torch.manual_seed(0)
    data = torch.randn(20, 4)
    ends = []
    for enabled in (True, False):
        torch.manual_seed(1)
        model = torch.nn.Linear(4, 1)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
        scaling = scaler(enabled=enabled)
        for _ in range(5):
            optimizer.zero_grad()
            loss = model(data).pow(2).mean()
            scaling.scale(loss).backward()
            scaling.step(optimizer)
            scaling.update()
        ends.append(model.weight.detach())
    torch.testing.assert_close(*ends)


@pytest.mark.parametrize("bad", [float("inf"), float("nan")])
def test_an_overflow_skips_the_step_and_lowers_the_scale(bad: float) -> None:
    weight = parameter()
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaling = scaler(init_scale=8.0)
    scaling.scale(weight.sum())
    weight.grad = torch.tensor([1.0, bad, 1.0])
    assert scaling.step(optimizer) is None
    scaling.update()
    assert torch.equal(weight, torch.ones(3))
    assert scaling.get_scale() == 4.0


def test_the_scale_grows_after_an_interval() -> None:
    weight = parameter()
    optimizer = torch.optim.SGD([weight], lr=0.0)
    scaling = scaler(init_scale=8.0, growth_interval=3, growth_factor=4.0)
    scales = []
    for _ in range(6):
        optimizer.zero_grad()
        scaling.scale(weight.sum()).backward()
        scaling.step(optimizer)
        scaling.update()
        scales.append(scaling.get_scale())
    assert scales == [8.0, 8.0, 32.0, 32.0, 32.0, 128.0]


def test_gradients_can_be_clipped_after_unscale() -> None:
    weight = parameter()
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaling = scaler()
    scaling.scale(weight.sum() * 3).backward()
    scaling.unscale_(optimizer)
    assert torch.equal(weight.grad, torch.full((3,), 3.0))
    with pytest.raises(RuntimeError, match="already been called"):
        scaling.unscale_(optimizer)
    scaling.step(optimizer)
    with pytest.raises(RuntimeError, match="after step"):
        scaling.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="already been called since"):
        scaling.step(optimizer)
    assert torch.equal(weight, torch.full((3,), -2.0))


def test_outputs_may_be_nested() -> None:
    scaling = scaler(init_scale=2.0)
    one, (two, three) = scaling.scale((torch.ones(1), [torch.ones(1), torch.ones(2).double()]))
    assert [each.tolist() for each in (one, two, three)] == [[2.0], [2.0], [2.0, 2.0]]
    with pytest.raises(ValueError, match="outputs must be a Tensor"):
        scaling.scale(3)


def test_gradients_in_float16_are_refused() -> None:
    weight = parameter(dtype=torch.float16)
    scaling = scaler(init_scale=2.0)
    scaling.scale(weight.sum()).backward()
    with pytest.raises(ValueError, match="FP16"):
        scaling.step(torch.optim.SGD([weight], lr=1.0))


def test_misuse_is_an_error() -> None:
    scaling = scaler()
    optimizer = torch.optim.SGD([parameter()], lr=1.0)
    with pytest.raises(AssertionError, match="_scale is None"):
        scaling.step(optimizer)
    scaling.scale(torch.ones(1))
    with pytest.raises(AssertionError, match="No inf checks"):
        scaling.step(optimizer)
    with pytest.raises(AssertionError, match="No inf checks"):
        scaling.update()
    with pytest.raises(RuntimeError, match="Closure"):
        scaling.step(optimizer, closure=lambda: None)
    with pytest.raises(AssertionError):
        scaler(growth_factor=1.0)
    with pytest.raises(AssertionError):
        scaler(backoff_factor=1.0)


def test_state_survives_saving_and_pickling() -> None:
    scaling = scaler(init_scale=8.0, growth_interval=2)
    weight = parameter()
    optimizer = torch.optim.SGD([weight], lr=0.0)
    scaling.scale(weight.sum()).backward()
    with pytest.raises(AssertionError, match="pickled"):
        scaling.unscale_(optimizer)
        pickle.dumps(scaling)
    scaling.step(optimizer)
    scaling.update()
    state = scaling.state_dict()
    assert state == {
        "scale": 8.0,
        "growth_factor": 2.0,
        "backoff_factor": 0.5,
        "growth_interval": 2,
        "_growth_tracker": 1,
    }
    assert pickle.loads(pickle.dumps(scaling)).state_dict() == state
    other = scaler()
    other.load_state_dict(state)
    assert other.state_dict() == state
    with pytest.raises(RuntimeError, match="empty"):
        other.load_state_dict({})


class Fused(torch.optim.SGD):
    """An optimizer that gets the scale, as PyTorch's fused ones do."""

    _step_supports_amp_scaling = True
    seen: tuple[object, float] | None = None

    def step(self) -> None:
        self.seen = (self.grad_scale, self.found_inf.item())


def test_fused_optimizers_get_the_scale_and_the_flag() -> None:
    weight = parameter()
    optimizer = Fused([weight], lr=1.0)
    scaling = scaler(init_scale=4.0)
    scaling.scale(weight.sum()).backward()
    scaling.step(optimizer)
    assert optimizer.seen == (torch.tensor(4.0), 0.0)
    assert torch.equal(weight.grad, torch.full((3,), 4.0))
    assert not hasattr(optimizer, "grad_scale")


@pytest.mark.skipif(torch.cuda.is_available(), reason="this build has a CUDA device")
def test_without_cuda_the_default_scaler_is_off() -> None:
    with pytest.warns(UserWarning, match="CUDA is not available"):
        scaling = torch.amp.GradScaler()
    assert not scaling.is_enabled()
    assert scaling.scale(3) == 3
    assert scaling.state_dict() == {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.cuda.amp.GradScaler().get_scale() == 1.0
