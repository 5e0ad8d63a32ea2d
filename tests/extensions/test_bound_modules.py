"""Modules written with the C++ front end, used and trained in Python."""

from __future__ import annotations

import copy
import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the package is not built: python setup.py develop")

HERE = Path(__file__).resolve().parent / "bound_modules"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def nets(tmp_path_factory: pytest.TempPathFactory) -> Any:
    from torch.utils.cpp_extension import load

    folder = tmp_path_factory.mktemp("bound_modules")
    return load("bound_nets", [str(HERE / "net.cpp")], build_directory=str(folder))


class Model(torch.nn.Module):
    """A Python module with a part in C++."""

    def __init__(self, net: Any) -> None:
        super().__init__()
        self.first = torch.nn.Linear(4, 3)
        self.net = torch.nn.cpp.ModuleWrapper(net)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net(self.first(x).tanh())


def test_arguments_and_results_are_converted(nets: Any) -> None:
    net = nets.Net(3, 8, 0.5)
    assert isinstance(net, torch._C.cpp.nn.Module) and repr(net) == "Net"
    assert net.forward(torch.ones(2, 3)).shape == (2, 1)
    result, dim = net.shifted(torch.ones(2), None, "up")
    assert result.tolist() == [2, 2] and dim == 1
    assert net.shifted(torch.ones(2), 3, "down")[0].tolist() == [-2, -2]
    assert net.forget() is None


def test_mistakes_are_python_errors(nets: Any) -> None:
    net = nets.Net(3, 8, 0.5)
    with pytest.raises(RuntimeError, match="unknown direction left"):
        net.shifted(torch.ones(2), None, "left")
    with pytest.raises(TypeError, match=r"forward\(\): argument 1 must be Tensor, not int"):
        net.forward(3)
    with pytest.raises(TypeError, match=r"forward\(\) takes 1 arguments but 0 were given"):
        net.forward()
    with pytest.raises(TypeError, match="no keyword arguments"):
        net.forward(x=torch.ones(3))
    with pytest.raises(TypeError, match="argument 3 must be float"):
        nets.Net(3, 8, "half")
    with pytest.raises(TypeError, match="No constructor defined"):
        nets.Unbuilt()
    with pytest.raises(RuntimeError, match="__init__ was not called"):
        nets.Net.__new__(nets.Net).forward(torch.ones(3))
    with pytest.raises(TypeError, match="needs a module of C\\+\\+"):
        nets.Net.forward(3)


def test_a_wrapper_has_the_parameters_and_the_state(nets: Any) -> None:
    model = Model(nets.Net(3, 8, 0.5))
    names = ["scale", "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"]
    assert [name for name, _ in model.net.named_parameters()] == names
    assert all(p.requires_grad and p.is_leaf for p in model.parameters())
    state = model.state_dict()
    assert "net.calls" in state and "net.fc1.weight" in state
    other = Model(nets.Net(3, 8, 0.5))
    x = torch.randn(5, 4)
    other.eval(), model.eval()
    assert not torch.equal(model(x), other(x))
    other.load_state_dict(copy.deepcopy(state))
    torch.testing.assert_close(model(x), other(x))
    assert other.net.cpp_module._parameters["scale"] is other.net.scale


def test_modes_reach_the_modules_in_cpp(nets: Any) -> None:
    model = Model(nets.Net(3, 8, 0.9))
    x = torch.randn(64, 4)
    assert model.net.training and not torch.equal(model(x), model(x))
    model.eval()
    assert not model.net.training and not model.net.cpp_module._modules["dropout"].training
    torch.testing.assert_close(model(x), model(x))
    assert model.net.calls.item() == 4
    model.net.forget()
    assert model.net.calls.item() == 0


def test_to_converts_the_tensors_in_place(nets: Any) -> None:
    model = Model(nets.Net(3, 8, 0.5))
    scale = model.net.scale
    model(torch.randn(2, 4)).sum().backward()
    model.double()
    assert model.net.scale is scale and scale.dtype is torch.float64
    assert scale.grad.dtype is torch.float64
    assert model(torch.randn(2, 4, dtype=torch.float64)).dtype is torch.float64


def test_training_fits_a_function(nets: Any) -> None:
    torch.manual_seed(0)
    model = Model(nets.Net(3, 32, 0.0))
    x = torch.rand(64, 4)
    target = x.sum(1, keepdim=True).sin()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(60):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 10
    model.net.cpp_module.zero_grad()
    assert model.net.scale.grad is None


def test_nothing_keeps_a_module_alive(nets: Any) -> None:
    model = Model(nets.Net(3, 8, 0.5))
    watch = weakref.ref(model), weakref.ref(model.net)
    del model
    gc.collect()
    assert watch[0]() is None and watch[1]() is None


def test_a_python_class_may_derive_from_a_bound_one(nets: Any) -> None:
    class Doubled(nets.Net):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 2 * super().forward(x)

    net = Doubled(3, 8, 0.0)
    x = torch.ones(1, 3)
    torch.testing.assert_close(net.forward(x), 2 * nets.Net.forward(net, x))
