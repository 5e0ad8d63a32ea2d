"""torch.profiler: every operator is an event, with its caller, its shapes and its time."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import torch
from torch import nn
from torch.profiler import ProfilerAction, profile, record_function, schedule


def test_events_know_their_callers_and_shapes() -> None:
    linear = nn.Linear(4, 3)
    with profile(record_shapes=True) as prof, record_function("forward"):
        linear(torch.ones(2, 4)).sum().backward()
    events = prof.events()
    (addmm,) = (event for event in events if event.name == "aten::addmm")
    assert addmm.input_shapes == [[3], [2, 4], [4, 3], [], []]
    assert addmm.cpu_parent is not None and addmm.cpu_parent.name == "aten::linear"
    assert addmm.cpu_parent.cpu_parent is not None
    assert addmm.cpu_parent.cpu_parent.name == "forward"
    assert "aten::mm" in {event.name for event in events}  # of the backward pass
    assert 0 <= addmm.cpu_time_total <= addmm.cpu_parent.cpu_time_total


def test_self_times_add_up_to_the_whole() -> None:
    with profile() as prof, record_function("all"):
        torch.ones(8, 8) @ torch.ones(8, 8) + 1
    averages = prof.key_averages()
    (whole,) = (row for row in averages if row.key == "all")
    assert sum(row.self_cpu_time_total for row in averages) == pytest.approx(whole.cpu_time_total)
    assert whole.count == 1


def test_tables_show_names_counts_and_shapes() -> None:
    with profile(record_shapes=True) as prof:
        for size in (2, 2, 3):
            torch.ones(size).neg()
    rows = [r for r in prof.key_averages(group_by_input_shape=True) if r.key == "aten::neg"]
    assert sorted((row.count, str(row.input_shapes)) for row in rows) == [
        (1, "[[3]]"),
        (2, "[[2]]"),
    ]
    table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=1, header="Here")
    lines = table.splitlines()
    assert lines[1] == "Here" and lines[4].split()[:3] == ["Name", "Self", "CPU"]
    assert lines[-1].startswith("Self CPU time total: ") and len(lines) == 9


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_chrome_traces(tmp_path: Path, name: str) -> None:
    with profile(record_shapes=True) as prof:
        torch.ones(2).neg()
    path = tmp_path / name
    prof.export_chrome_trace(str(path))
    opener: Any = gzip.open if name.endswith(".gz") else open
    with opener(path, "rt") as file:
        (event,) = (e for e in json.load(file)["traceEvents"] if e["name"] == "aten::neg")
    assert event["ph"] == "X" and event["dur"] > 0 and event["cat"] == "cpu_op"
    arguments = event["args"]
    assert (arguments["Input Dims"], arguments["Input Strides"]) == ([[2]], [[1]])
    assert (arguments["Input type"], arguments["Concrete Inputs"]) == (["float"], [""])


def test_steps_follow_the_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = []
    monkeypatch.setattr("torch.profiler.profiler._warned_of_cycles", False)
    with (
        pytest.warns(UserWarning, match="clears events at the end of each cycle"),
        profile(
            schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
            on_trace_ready=lambda prof: ready.append({event.trace_name for event in prof.events()}),
        ) as prof,
    ):
        for step in range(9):
            (torch.neg, torch.exp, torch.abs, torch.sin)[step % 4](torch.ones(1))
            prof.step()
    assert len(ready) == 2
    for names in ready:
        assert {"aten::abs", "aten::sin"} <= names
        assert not {"aten::neg", "aten::exp"} & names
    assert "ProfilerStep#2" in ready[0] and "ProfilerStep#7" in ready[1]


def test_schedule_skips_and_refuses() -> None:
    with pytest.warns(UserWarning, match="won't be using warmup"):
        action = schedule(wait=0, warmup=0, active=1, skip_first=2)
    assert [action(i) for i in range(3)] == [
        ProfilerAction.NONE,
        ProfilerAction.NONE,
        ProfilerAction.RECORD_AND_SAVE,
    ]
    with pytest.raises(AssertionError, match=r"Invalid profiler schedule arguments\. Got wait="):
        schedule(wait=0, warmup=0, active=0)


def test_a_profile_inside_another_one_takes_its_place() -> None:
    with pytest.warns(UserWarning, match="another one began"), profile() as outer:
        with profile() as inner:
            torch.ones(1)
        torch.ones(1).neg()
    assert len(outer.events()) == 0 and [e.name for e in inner.events()] == ["aten::ones"]
    with profile() as prof:
        torch.ones(1)
    assert len(prof.events()) >= 1


def test_errors_of_operators_pass_through() -> None:
    with profile() as prof, pytest.raises(RuntimeError):
        torch.ones(2) + torch.ones(3)
    assert prof.events() is not None


def test_events_exist_only_after_the_block() -> None:
    prof = torch.autograd.profiler.profile()
    with prof:
        torch.ones(2)
        assert list(prof.function_events) == [] and prof.table() == ""
        assert repr(prof) == "<unfinished torch.autograd.profile>"
    assert len(prof.function_events) == 1
    with pytest.raises(RuntimeError, match="not reentrant"), prof:
        pass


def test_memory_belongs_to_the_calls_that_allocate_it() -> None:
    with profile(profile_memory=True) as prof:
        with record_function("block"):
            x = torch.ones(100, 100) + 1
        del x
    events = prof.events()
    (add,) = (event for event in events if event.name == "aten::add")
    (block,) = (event for event in events if event.name == "block")
    assert add.cpu_memory_usage == add.self_cpu_memory_usage == 40_000
    assert block.self_cpu_memory_usage == -40_000  # the first operand is released there
    assert sum(e.cpu_memory_usage for e in events if e.name == "[memory]") == -40_000
    table = prof.key_averages().table(sort_by="self_cpu_memory_usage")
    first = table.splitlines()[3].split("  ")
    assert "CPU Mem  Self CPU Mem    # of Calls" in table and "39.06 KB" in map(str.strip, first)


def test_memory_allocated_before_a_profile_is_not_counted_when_it_is_released() -> None:
    x = torch.ones(1000)
    with profile(profile_memory=True) as prof:
        del x
    assert [event.name for event in prof.events()] == []


def _called_with_stack() -> torch.Tensor:
    return nn.Linear(4, 3)(torch.ones(2, 4))


def test_stacks_lead_to_the_lines_that_made_a_call(tmp_path: Path) -> None:
    with profile(with_stack=True) as prof:
        _called_with_stack()
    (addmm,) = (event for event in prof.events() if event.name == "aten::addmm")
    assert addmm.cpu_parent is not None and addmm.stack == addmm.cpu_parent.stack
    assert addmm.stack[0].startswith("torch/nn/modules/linear.py(")
    assert addmm.stack[0].endswith("): forward")
    assert any(line.endswith("): _called_with_stack") for line in addmm.stack)
    rows = prof.key_averages(group_by_stack_n=1)
    (row,) = (row for row in rows if row.key == "aten::addmm")
    assert row.stack == addmm.stack[:1]
    assert row.stack[0] in rows.table() and "Source Location" in rows.table()
    prof.export_stacks(str(tmp_path / "stacks.txt"), "self_cpu_time_total")
    lines = (tmp_path / "stacks.txt").read_text().splitlines()
    assert any(line.rpartition(" ")[0].endswith("_forward") for line in lines)
    assert all(line.rpartition(" ")[2].isdigit() for line in lines)
    with pytest.raises(ValueError, match="metric should be one of"):
        prof.export_stacks(str(tmp_path / "stacks.txt"), "calls")


def test_nodes_of_the_backward_pass_are_events() -> None:
    x = torch.ones(2, requires_grad=True)
    with profile() as prof:
        (x * 2).sum().backward()
    (node,) = (event for event in prof.events() if event.name == "MulBackward0")
    assert node.cpu_parent is not None
    assert node.cpu_parent.name == "autograd::engine::evaluate_function: MulBackward0"
    assert "torch::autograd::AccumulateGrad" in {event.name for event in prof.events()}


def test_overloads_can_be_counted_apart() -> None:
    with profile() as prof:
        torch.ones(2).add(1).add(torch.ones(2))
    rows = prof.key_averages(group_by_overload_name=True)
    found = {(row.overload_name, row.count) for row in rows if row.key == "aten::add"}
    assert sum(count for _, count in found) == 2 and all(name for name, _ in found)
    (row,) = (row for row in prof.key_averages() if row.key == "aten::add")
    assert row.count == 2


def test_metadata_is_part_of_the_trace(tmp_path: Path) -> None:
    with profile() as prof:
        torch.ones(2)
    prof.add_metadata("run", "first")
    prof.add_metadata_json("sizes", "[1, 2]")
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert (trace["run"], trace["sizes"]) == ("first", [1, 2])


def flops(function: Callable[[], Any]) -> dict[str, int]:
    with profile(with_flops=True) as prof:
        function()
    return {
        event.name.removeprefix("aten::"): event.flops for event in prof.events() if event.flops
    }


def test_flops_are_counted() -> None:
    """The numbers are PyTorch's."""
    matrix, other = torch.ones(3, 4), torch.ones(4, 5)
    batch, weights = torch.ones(2, 4, 8, 9), torch.ones(6, 4, 3, 3)
    conv2d = nn.functional.conv2d
    assert flops(lambda: matrix @ other) == {"mm": 120}
    assert flops(lambda: torch.addmm(torch.ones(5), matrix, other)) == {"addmm": 120}
    assert flops(lambda: torch.ones(5, 1, 3, 4) @ torch.ones(2, 4, 5)) == {"bmm": 1200}
    product = lambda: torch.baddbmm(  # noqa: E731
        torch.ones(2, 3, 5), torch.ones(2, 3, 4), torch.ones(2, 4, 5)
    )
    assert flops(product) == {"baddbmm": 240}
    assert flops(lambda: matrix * 2) == {"mul": 12}
    assert flops(lambda: torch.ones(3, 1) * torch.ones(4)) == {"mul": 3}
    assert flops(lambda: matrix + torch.ones(4)) == {"add": 12}
    assert flops(lambda: matrix - matrix) == {}
    linear = nn.functional.linear
    assert flops(lambda: linear(torch.ones(2, 7, 4), other.t(), torch.ones(5))) == {"addmm": 560}
    assert flops(lambda: conv2d(batch, weights)) == {"conv2d": 36288}
    bias = torch.ones(6)
    assert flops(lambda: conv2d(batch, weights, bias, 2, 1)) == {"conv2d": 17280}
    assert flops(lambda: conv2d(batch, weights, bias, 1, (1, 2), 2)) == {"conv2d": 46656}
    assert flops(lambda: conv2d(batch, weights[:, :2], groups=2)) == {"conv2d": 18144}
    assert flops(lambda: conv2d(batch, weights, padding="same")) == {}
    assert flops(lambda: conv2d(batch[0], weights)) == {}


def test_tables_show_flops_in_a_unit_that_fits() -> None:
    def heads(size: int) -> str:
        with torch.autograd.profiler.profile(with_flops=True) as prof:
            torch.ones(size, size) @ torch.ones(size, size)
        rows = prof.key_averages()
        assert rows.total_average().flops == 2 * size**3
        (row,) = (line for line in rows.table().splitlines() if line.split()[:1] == ["aten::mm"])
        assert row.split()[-1] == {4: "128.000", 100: "2.000"}[size]
        return rows.table(sort_by="flops").splitlines()[1].rstrip()

    assert heads(4).endswith("   Total FLOPs") and heads(100).endswith("  Total MFLOPs")
    with profile() as prof:
        torch.ones(2, 2) @ torch.ones(2, 2)
    assert "FLOPs" not in prof.key_averages().table()


def test_steps_of_optimizers_and_batches_of_loaders_are_events() -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batches = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(3, 2)))
    with torch.autograd.profiler.profile() as profile:
        for (batch,) in batches:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
    counts = {event.key: event.count for event in profile.key_averages() if "#" in event.key}
    assert counts == {
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__": 4,
        "Optimizer.zero_grad#SGD.zero_grad": 3,
        "Optimizer.step#SGD.step": 3,
    }
