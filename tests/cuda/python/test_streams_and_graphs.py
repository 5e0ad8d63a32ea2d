"""Streams, events, graphs and the generators of CUDA devices."""

from __future__ import annotations

import pytest

import torch


def test_streams_are_current_for_a_block() -> None:
    default = torch.cuda.default_stream()
    assert torch.cuda.current_stream() == default
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream) as entered:
        assert entered is None
        assert torch.cuda.current_stream() == stream != default
        with torch.cuda.stream(None):
            assert torch.cuda.current_stream() == stream
    assert torch.cuda.current_stream() == default
    assert isinstance(stream, torch.Stream)
    assert stream.cuda_stream != 0 and default.cuda_stream == 0
    assert len({stream, default, torch.cuda.current_stream()}) == 2
    assert "cuda:0" in repr(stream)


def test_streams_of_another_device(two_devices: None) -> None:
    stream = torch.cuda.Stream(device=1)
    assert stream.device == torch.device("cuda", 1)
    with torch.cuda.stream(stream):
        assert torch.cuda.current_device() == 1
        assert torch.cuda.current_stream() == stream
    assert torch.cuda.current_device() == 0
    assert torch.cuda.current_stream(1) == torch.cuda.default_stream(1)


def test_priorities_and_external_streams() -> None:
    lowest, highest = torch.cuda.Stream.priority_range()
    assert highest < lowest
    high = torch.cuda.Stream(priority=-1)
    assert high.priority == -1 and torch.cuda.Stream().priority == 0
    outside = torch.cuda.ExternalStream(high.cuda_stream)
    assert outside.cuda_stream == high.cuda_stream
    assert torch.cuda.get_stream_from_external(high.cuda_stream).cuda_stream == high.cuda_stream


def test_events_order_streams_and_measure_time() -> None:
    stream = torch.cuda.Stream()
    source = torch.zeros(1000, device="cuda")
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    source.fill_(3.0)
    end.record()
    stream.wait_event(end)
    with torch.cuda.stream(stream):
        copy = source.clone()
        copy.record_stream(torch.cuda.default_stream())
    torch.cuda.current_stream().wait_stream(stream)
    assert (
        copy.cpu().unique().tolist() == [3.0] if hasattr(torch, "unique") else copy[0].item() == 3
    )
    end.synchronize()
    assert start.query() and end.query()
    assert start.elapsed_time(end) >= 0
    with pytest.raises(RuntimeError, match="enable_timing"):
        torch.cuda.Event().elapsed_time(end)
    assert end.device == torch.device("cuda", 0)
    assert torch.cuda.Event().query()


def test_record_stream_takes_streams_only() -> None:
    with pytest.raises(TypeError, match="must be Stream"):
        torch.ones(1, device="cuda").record_stream(3)


def test_a_graph_replays_with_new_inputs() -> None:
    source = torch.ones(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    assert not torch.cuda.is_current_stream_capturing()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        copy = source.clone()
    for value in (5.0, 6.0):
        source.fill_(value)
        graph.replay()
        assert copy.tolist() == [value] * 8
    graph.reset()
    with pytest.raises(RuntimeError):
        graph.replay()


def test_graphs_share_a_pool() -> None:
    pool = torch.cuda.graph_pool_handle()
    graphs, copies = [], []
    source = torch.ones(8, device="cuda")
    for _ in range(2):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            copies.append(source.clone())
        assert graph.pool() == pool
        graphs.append(graph)
    with pytest.raises(RuntimeError, match="capture error mode"):
        torch.cuda.CUDAGraph().capture_begin(capture_error_mode="nonsense")


def test_generators_are_seeded_saved_and_restored() -> None:
    torch.manual_seed(11)
    assert torch.cuda.initial_seed() == 11
    assert [g.initial_seed() for g in torch.cuda.default_generators] == [
        11
    ] * torch.cuda.device_count()
    torch.cuda.manual_seed(12)
    assert torch.cuda.initial_seed() == 12
    states = torch.cuda.get_rng_state_all()
    torch.cuda.manual_seed_all(13)
    torch.cuda.set_rng_state_all(states)
    assert torch.cuda.initial_seed() == 12
    with torch.random.fork_rng(devices=[0]):
        torch.cuda.manual_seed(99)
    assert torch.cuda.initial_seed() == 12
    torch.cuda.seed_all()
    assert len({g.initial_seed() for g in torch.cuda.default_generators}) == 1
    generator = torch.Generator("cuda").manual_seed(5)
    assert generator.device.type == "cuda" and generator.initial_seed() == 5


def test_random_numbers_repeat_with_the_state() -> None:
    state = torch.cuda.get_rng_state()
    first = torch.rand(100, device="cuda")
    torch.cuda.set_rng_state(state)
    assert torch.equal(first.cpu(), torch.rand(100, device="cuda").cpu())


def test_a_replayed_graph_draws_new_numbers() -> None:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        drawn = torch.rand(16, device="cuda")
    results = []
    for _ in range(3):
        graph.replay()
        results.append(tuple(drawn.tolist()))
    assert len(set(results)) == 3


def test_a_graphed_module_computes_what_the_module_does() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 3)
    ).cuda()
    parameters = list(model.parameters())

    def gradients(module, values):
        x = values.clone().requires_grad_()
        y = module(x)
        found = torch.autograd.grad(y.square().sum(), [x, *parameters])
        return [y.detach().clone(), *(g.clone() for g in found)]

    inputs = [torch.randn(4, 6, device="cuda") for _ in range(3)]
    expected = [gradients(model, x) for x in inputs]
    sample = torch.randn(4, 6, device="cuda", requires_grad=True)
    graphed = torch.cuda.make_graphed_callables(model, (sample,))
    for x, wanted in zip(inputs, expected, strict=True):
        torch.testing.assert_close(gradients(graphed, x), wanted)


def test_graphed_functions_share_a_recording_pool() -> None:
    double, square = torch.cuda.make_graphed_callables(
        (lambda x: x * 2, lambda x: x * x),
        (
            (torch.ones(3, device="cuda", requires_grad=True),),
            (torch.ones(3, device="cuda", requires_grad=True),),
        ),
    )
    x = torch.tensor([1.0, 2.0, 3.0], device="cuda", requires_grad=True)
    y = square(double(x))
    y.sum().backward()
    assert y.tolist() == [4.0, 16.0, 36.0]
    assert x.grad.tolist() == [8.0, 16.0, 24.0]


def test_backward_runs_in_the_streams_of_its_caller() -> None:
    x = torch.ones(300, device="cuda", requires_grad=True)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            y = x * x
            (gradient,) = torch.autograd.grad(y, [x], [torch.ones_like(y)])
        seen = gradient.sum().item()
    assert seen == 600
    torch.cuda.synchronize()


def test_a_graph_records_a_whole_training_step() -> None:
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 2).cuda()
    reference = torch.nn.Linear(4, 2)
    reference.load_state_dict(model.state_dict())
    data = torch.randn(3, 4, device="cuda")

    def step(module: torch.nn.Module, values: torch.Tensor) -> None:
        module.zero_grad(set_to_none=False)
        module(values).square().mean().backward()
        with torch.no_grad():
            for parameter in module.parameters():
                parameter -= 0.1 * parameter.grad

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step(model, data)
    torch.cuda.current_stream().wait_stream(side)
    step(reference, data.cpu())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step(model, data)
    for _ in range(3):
        data.copy_(torch.randn(3, 4))
        graph.replay()
        step(reference, data.cpu())
    for mine, theirs in zip(model.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(mine.cpu(), theirs)


def test_options_that_do_not_exist_are_refused() -> None:
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(NotImplementedError, match="check_input_liveness"):
        graph.capture_begin(check_input_liveness=True)
    with pytest.raises(NotImplementedError, match="enable_annotations"):
        torch.cuda.graph(graph, enable_annotations=True)
