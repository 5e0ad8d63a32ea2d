"""What a program does with a device, as assertions. Run by test_private_device.py, one per process.

python behaviour.py BUILD_FOLDER NAME
"""

from __future__ import annotations

import copy
import ctypes
import io
import pickle
import sys
import threading
from pathlib import Path

import pytest

import torch

sys.path.insert(0, str(Path(__file__).parent))

import device
from device import NAME


def on_device(*values: float, **options: object) -> torch.Tensor:
    return torch.tensor(values, device=NAME, **options)


def test_has_its_name_methods_and_module() -> None:
    x = torch.ones(2).granite()
    assert x.is_granite and x.device == torch.device(NAME, 0)
    assert repr(x) == "tensor([1., 1.], device='granite:0')"
    assert not torch.ones(1).is_granite
    assert torch.ones(1).untyped_storage().granite().is_granite
    assert torch.get_device_module() is torch.granite
    assert x.type() == "torch.granite.FloatTensor"
    with pytest.raises(RuntimeError, match="already been set"):
        torch.utils.rename_privateuse1_backend("basalt")
    with pytest.raises(RuntimeError, match="already been registered"):
        torch._register_device_module(NAME, torch.granite)


def test_is_the_accelerator() -> None:
    assert torch.accelerator.current_accelerator() == torch.device(NAME)
    assert torch.accelerator.device_count() == 2
    torch.accelerator.set_device_index(1)
    assert torch.empty(1, device=NAME).device.index == 1
    torch.accelerator.synchronize()


def test_every_device_has_its_tensors() -> None:
    x = torch.arange(3, device=f"{NAME}:1")
    assert x.device.index == 1
    assert (x + 1).device.index == 1
    assert x.to(f"{NAME}:0").device.index == 0
    assert x.to(NAME).device.index == 0
    assert torch.granite.current_device() == 0
    with pytest.raises(RuntimeError, match="at least two devices"):
        x + torch.arange(3, device=f"{NAME}:0")


def test_values_travel() -> None:
    x = on_device(1.0, 2.5)
    assert x.tolist() == [1.0, 2.5]
    assert x[1].item() == 2.5
    assert bool(x[0] == 1.0)
    assert x.cpu().tolist() == [1.0, 2.5]
    assert x.double().dtype is torch.float64
    x[0] = 7
    assert x.cpu().tolist() == [7.0, 2.5]
    assert torch.zeros(2, 3, device=NAME).t().contiguous().stride() == (2, 1)


def test_strided_copies_leave_their_gaps_alone() -> None:
    x = torch.zeros(4, 6, device=NAME)
    x[::2, 1::3] = torch.ones(2, 2, dtype=torch.float64)
    expected = torch.zeros(4, 6)
    expected[::2, 1::3] = 1
    assert torch.equal(x.cpu(), expected)
    x.t().copy_(torch.arange(24).reshape(6, 4))
    assert torch.equal(x.cpu(), torch.arange(24.0).reshape(6, 4).t())


def test_numpy_needs_a_copy() -> None:
    x = on_device(1.0)
    with pytest.raises(TypeError, match="can't convert granite:0 device type tensor to numpy"):
        x.numpy()
    assert x.numpy(force=True).tolist() == [1.0]


def test_prints() -> None:
    assert repr(on_device(1, 2)) == "tensor([1, 2], device='granite:0')"
    assert "device='granite:1'" in repr(torch.ones(2, 2, device=f"{NAME}:1"))
    assert str(torch.device(NAME, 1)) == "granite:1"


def test_pickles_and_copies() -> None:
    x = torch.ones(3, device=NAME, requires_grad=True)
    view = x.detach()[1:]
    again, its_view = pickle.loads(pickle.dumps((x, view)))
    assert again.device == x.device and again.requires_grad and its_view.tolist() == [1.0, 1.0]
    one, other = copy.deepcopy([x.detach(), view])
    one.fill_(2)
    assert other.tolist() == [2.0, 2.0] and x.tolist() == [1.0, 1.0, 1.0]
    module = torch.nn.Linear(2, 2).granite()
    assert copy.deepcopy(module).weight.is_granite
    assert pickle.loads(pickle.dumps(torch.device(NAME, 1))) == torch.device(NAME, 1)


def test_saves_and_loads() -> None:
    file = io.BytesIO()
    torch.save({"x": torch.arange(3, device=f"{NAME}:1"), "y": torch.ones(1)}, file)

    def load(**options: object) -> dict[str, torch.Tensor]:
        file.seek(0)
        return torch.load(file, **options)

    assert load()["x"].device == torch.device(NAME, 1)
    assert load()["y"].device.type == "cpu"
    assert load(map_location="cpu")["x"].tolist() == [0, 1, 2]
    assert load(map_location="cpu")["x"].device.type == "cpu"
    assert load(map_location=NAME)["y"].is_granite
    assert load(map_location={f"{NAME}:1": f"{NAME}:0"})["x"].device.index == 0
    assert load(map_location=lambda storage, place: storage)["x"].device.type == "cpu"
    with pytest.raises(RuntimeError, match="device 9"):
        load(map_location=f"{NAME}:9")


def test_dlpack() -> None:
    x = torch.arange(4, device=f"{NAME}:1")
    assert x.__dlpack_device__() == (12, 1)
    same = torch.from_dlpack(x)
    assert same.device == x.device and same.data_ptr() == x.data_ptr()
    same.fill_(3)
    assert x.tolist() == [3, 3, 3, 3]


def test_storages() -> None:
    storage = on_device(1, 2, dtype=torch.uint8).untyped_storage()
    assert storage.device == torch.device(NAME, 0) and storage.tolist() == [1, 2]
    storage[0] = 9
    assert storage[0] == 9 and storage.cpu().tolist() == [9, 2]
    storage.resize_(4)
    assert storage[:2].tolist() == [9, 2] and len(storage) == 4
    assert torch.UntypedStorage(3, device=NAME).fill_(5).tolist() == [5, 5, 5]
    assert pickle.loads(pickle.dumps(storage)).device == storage.device


def test_gradients_run_on_a_thread_of_the_device() -> None:
    threads = []
    x = torch.ones(3, device=f"{NAME}:1", requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: threads.append((threading.get_ident(), grad.device.index)))
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0] and x.grad.device == x.device
    assert [index for _, index in threads] == [1]
    assert threads[0][0] != threading.get_ident()


def test_trains() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    reference = copy.deepcopy(model)
    model.granite()
    data, target = torch.randn(16, 4), torch.randn(16, 1)
    losses = []
    for net, where in ((model, NAME), (reference, "cpu")):
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        for _ in range(5):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(net(data.to(where)), target.to(where))
            loss.backward()
            optimizer.step()
        losses.append(loss.item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_streams_and_events() -> None:
    stream = torch.Stream(device=f"{NAME}:1")
    assert stream.device == torch.device(NAME, 1) and stream.query()
    with stream:
        assert torch.accelerator.current_stream(1).stream_id == stream.stream_id
    assert torch.accelerator.current_stream(1).stream_id == 0
    torch.Stream(device=NAME).wait_stream(stream)
    stream.synchronize()


def test_generators() -> None:
    generator = torch.Generator(device=f"{NAME}:1")
    assert generator.device == torch.device(NAME, 1)
    assert generator.manual_seed(5).initial_seed() == 5
    state = generator.get_state()
    generator.manual_seed(6)
    generator.set_state(state)
    assert generator.initial_seed() == 5
    torch.manual_seed(11)
    assert torch.granite.seeds[-1] == 11


def test_pinned_memory_is_the_devices() -> None:
    x = torch.empty(8, pin_memory=True)
    assert x.device.type == "cpu"
    x.fill_(3)
    assert x.to(NAME).tolist() == [3.0] * 8


def test_own_kernels_and_the_fallback() -> None:
    before = torch.ops.private_device.computations()
    x = on_device(4.0, 9.0)
    assert (x + x).tolist() == [8.0, 18.0]
    assert torch.sqrt(x).tolist() == [2.0, 3.0]
    assert torch.ops.private_device.computations() == before + 2
    copies = torch.ops.private_device.copies()
    assert torch.erf(x).is_granite
    assert torch.ops.private_device.copies() > copies
    out = torch.empty(0, device=NAME)
    torch.erf(x, out=out)
    assert out.shape == (2,) and torch.equal(out.cpu(), torch.erf(x.cpu()))


def test_copies_reach_the_back_ends_kernel() -> None:
    library = torch.library.Library("aten", "IMPL")
    calls = []

    def copy_from(source: torch.Tensor, target: torch.Tensor, wait: bool = False) -> torch.Tensor:
        calls.append((source.device.type, target.device.type, tuple(source.shape)))
        target.untyped_storage().copy_(source.contiguous().untyped_storage())
        return target

    library.impl("_copy_from", copy_from, "PrivateUse1")
    x = torch.empty(2, 3, device=NAME)
    host = torch.arange(6.0).reshape(2, 3)
    assert x.copy_(host) is x
    assert calls == [("cpu", NAME, (2, 3))]
    assert torch.equal(x.cpu(), host)
    assert calls[1:] == [(NAME, "cpu", (2, 3))]
    x.copy_(torch.ones(3))  # the kernel sees tensors of one shape
    assert calls[2] == ("cpu", NAME, (2, 3))
    torch.zeros(2).copy_(torch.ones(2))
    assert len(calls) == 3


def test_the_fallback_resizes_through_the_back_ends_kernel() -> None:
    library = torch.library.Library("aten", "IMPL")
    calls = []

    def copy_from_and_resize(source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        calls.append((source.device.type, tuple(source.shape), tuple(target.shape)))
        target.resize_(source.shape)
        return target.copy_(source)

    library.impl("_copy_from_and_resize", copy_from_and_resize, "PrivateUse1")
    out = torch.empty(0, device=NAME)
    torch.erf(on_device(0.0, 1.0), out=out)
    assert calls == [("cpu", (2,), (0,))]
    assert torch.equal(out.cpu(), torch.erf(torch.tensor([0.0, 1.0])))


def test_copies_without_a_kernel_need_one() -> None:
    for operator in (torch.ops.aten._copy_from, torch.ops.aten._copy_from_and_resize):
        with pytest.raises(NotImplementedError, match=str(operator.__name__)):
            operator(torch.ones(1), torch.ones(1))


def test_memory_is_given_back() -> None:
    before = torch.ops.private_device.blocks()
    x = torch.ones(100, device=NAME)
    y = x[10:].clone()
    assert torch.ops.private_device.blocks() > before
    del x, y
    assert torch.ops.private_device.blocks() == before


def test_host_access_is_fatal() -> None:
    """Must die: the test looks for the signal."""
    ctypes.string_at(on_device(1.0).data_ptr(), 4)


if __name__ == "__main__":
    device.load(sys.argv[1])
    globals()[sys.argv[2]]()
