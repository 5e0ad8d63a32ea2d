"""Collectives over the devices of one process, and modules that are spread over them."""

from __future__ import annotations

import pytest

import torch
from torch import nn
from torch.cuda import comm, nccl

pytestmark = pytest.mark.usefixtures("two_devices")

DTYPES = (
    *(torch.float32, torch.float64, torch.float16, torch.bfloat16),
    *(torch.int8, torch.uint8, torch.int32, torch.int64),
)


def on_each(make, count: int = 2) -> list[torch.Tensor]:
    """Return `make(rank)` on the device of each rank."""
    return [make(rank).to(f"cuda:{rank}") for rank in range(count)]


def ramp(rank: int) -> torch.Tensor:
    return torch.arange(6.0) * (rank + 1) + 1


def test_nccl_says_what_it_is() -> None:
    numbers = nccl.version()
    assert numbers[0] == 2 and all(isinstance(number, int) for number in numbers[:3])
    first, second = nccl.unique_id(), nccl.unique_id()
    assert len(first) == 128 and first != second


def test_nccl_takes_contiguous_tensors_on_devices_of_their_own() -> None:
    a, b = on_each(ramp)
    assert nccl.is_available([a, b])
    assert not nccl.is_available([a, a])
    assert not nccl.is_available([a, b.cpu()])
    assert not nccl.is_available([a.view(2, 3).t(), b])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_all_reduce_adds_in_place(dtype: torch.dtype) -> None:
    tensors = on_each(lambda rank: ramp(rank).to(dtype))
    nccl.all_reduce(tensors)
    for tensor in tensors:
        assert tensor.tolist() == [2.0 + 3 * i for i in range(6)]


@pytest.mark.parametrize(
    ("op", "expected"),
    [(1, [4.0, 18.0]), (2, [4.0, 6.0]), (3, [1.0, 3.0]), (4, [2.5, 4.5])],
    ids=["product", "maximum", "minimum", "mean"],
)
def test_all_reduce_combines_otherwise(op: int, expected: list[float]) -> None:
    inputs = on_each(lambda rank: torch.tensor([[1.0, 3.0], [4.0, 6.0]][rank]))
    outputs = [torch.empty_like(tensor) for tensor in inputs]
    nccl.all_reduce(inputs, outputs, op=op)
    assert [tensor.tolist() for tensor in outputs] == [expected] * 2
    assert inputs[0].tolist() == [1.0, 3.0]


def test_reduce_and_broadcast_have_a_root() -> None:
    inputs = on_each(ramp)
    output = torch.empty(6, device="cuda:1")
    nccl.reduce(inputs, output, root=1)
    assert output.tolist() == [2.0 + 3 * i for i in range(6)]
    nccl.broadcast(inputs, root=1)
    assert inputs[0].tolist() == inputs[1].tolist() == ramp(1).tolist()
    nccl.reduce(inputs)
    assert inputs[0].tolist() == (2 * ramp(1)).tolist()
    with pytest.warns(FutureWarning, match="output tensor list is deprecated"):
        nccl.reduce(inputs, outputs=[torch.empty_like(tensor) for tensor in inputs])


def test_all_gather_and_reduce_scatter() -> None:
    inputs = on_each(ramp)
    outputs = on_each(lambda rank: torch.zeros(12))
    nccl.all_gather(inputs, outputs)
    whole = [*ramp(0).tolist(), *ramp(1).tolist()]
    assert [tensor.tolist() for tensor in outputs] == [whole] * 2
    parts = on_each(lambda rank: torch.zeros(6))
    nccl.reduce_scatter(outputs, parts)
    assert parts[0].tolist() == [2 * x for x in whole[:6]]
    assert parts[1].tolist() == [2 * x for x in whole[6:]]


def test_collectives_run_on_given_streams_and_communicators() -> None:
    tensors = on_each(ramp)
    streams = [torch.cuda.Stream(device=rank) for rank in range(2)]
    for rank, stream in enumerate(streams):
        stream.wait_stream(torch.cuda.current_stream(rank))
    nccl.all_reduce(tensors, streams=streams)
    for rank, stream in enumerate(streams):
        torch.cuda.current_stream(rank).wait_stream(stream)
    assert tensors[1].tolist() == [2.0 + 3 * i for i in range(6)]
    alone = nccl.init_rank(1, nccl.unique_id(), 0)
    nccl.all_reduce(tensors[:1], comms=[alone], streams=[None])
    assert tensors[0].tolist() == [2.0 + 3 * i for i in range(6)]


def test_collectives_that_cannot_be() -> None:
    a, b = on_each(ramp)
    for call, message in (
        (lambda: nccl.all_reduce([]), "can't be empty"),
        (lambda: nccl.all_reduce([a, a]), "unique devices"),
        (lambda: nccl.all_reduce([a, b.cpu()]), "must be CUDA tensors"),
        (lambda: nccl.all_reduce([a, b[:3]]), "same number of elements"),
        (lambda: nccl.all_gather([a, b], [a, b]), "6 elements, but 12 are needed"),
        (lambda: nccl.broadcast([a, b], root=2), "invalid root 2 of 2 ranks"),
        (lambda: nccl.all_reduce([a.bool(), b.to(torch.complex64)]), "one dtype"),
        (lambda: nccl.all_reduce([a, b], streams=[None]), "a stream for each of 2"),
        (lambda: nccl.init_rank(1, b"short", 0), "expected 128 bytes, got 5"),
    ):
        with pytest.raises((RuntimeError, TypeError), match=message):
            call()
    with pytest.raises(ValueError, match="no reduction 7"):
        nccl.all_reduce([a, b], op=7)
    with pytest.raises(TypeError, match="collection of tensors"):
        nccl.all_reduce(a)


# ---- torch.cuda.comm
@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64, torch.bool], ids=str)
def test_broadcast_from_the_host_or_a_device(dtype: torch.dtype) -> None:
    values = ramp(0).to(dtype)
    for source in (values, values.to("cuda:0"), values.to("cuda:1")):
        copies = comm.broadcast(source, [0, 1])
        assert [copy.get_device() for copy in copies] == [0, 1]
        assert all(torch.equal(copy.cpu(), values) for copy in copies)
    on_first = values.to("cuda:0")
    assert comm.broadcast(on_first, [0, 1])[0] is on_first


def test_sums_arrive_at_the_destination() -> None:
    inputs = on_each(ramp)
    for destination in (0, 1):
        total = comm.reduce_add(inputs, destination)
        assert total.get_device() == destination
        assert total.tolist() == [2.0 + 3 * i for i in range(6)]
    (first, second) = comm.reduce_add_coalesced([[a, a * 2] for a in inputs], 1)
    assert torch.equal(second, first * 2)
    assert inputs[0].tolist() == ramp(0).tolist()


# ---- modules
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 3)
        self.register_buffer("scale", torch.tensor(2.0))

    def forward(self, x: torch.Tensor, *, shift: float = 0.0) -> dict[str, torch.Tensor]:
        return {"y": self.second(torch.tanh(self.first(x))) * self.scale + shift}


@pytest.mark.parametrize("batch", [6, 5, 1])
def test_data_parallel_computes_what_the_module_does(batch: int) -> None:
    torch.manual_seed(0)
    reference = Net()
    net = Net().to("cuda:0")
    net.load_state_dict(reference.state_dict())
    parallel = nn.DataParallel(net, device_ids=[0, 1])
    x = torch.randn(batch, 4)
    y = parallel(x.to("cuda:0"), shift=1.0)["y"]
    expected = reference(x, shift=1.0)["y"]
    assert y.device == torch.device("cuda:0")
    torch.testing.assert_close(y.cpu(), expected)
    y.square().sum().backward()
    expected.square().sum().backward()
    for mine, theirs in zip(net.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(mine.grad.cpu(), theirs.grad)


def test_data_parallel_uses_each_device() -> None:
    seen = []

    class Where(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            seen.append((x.device.index, torch.cuda.current_device(), x.shape[0]))
            return x

    result = nn.parallel.data_parallel(Where(), torch.arange(5.0), [0, 1], output_device=1)
    assert sorted(seen) == [(0, 0, 3), (1, 1, 2)]
    assert result.device == torch.device("cuda:1") and result.tolist() == [0, 1, 2, 3, 4]


def test_data_parallel_needs_the_module_on_the_first_device() -> None:
    with pytest.raises(RuntimeError, match=r"on device cuda:0 \(device_ids\[0\]\)"):
        nn.DataParallel(Net().to("cuda:1"), device_ids=[0, 1])(torch.ones(2, 4))
