"""What profiles tell about an event, and how they show it. The numbers and texts are PyTorch's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import torch
from torch import nn
from torch.autograd.profiler_util import DeviceType, EventList, FunctionEvent, FunctionEventAvg
from torch.profiler import ProfilerAction, ProfilerActivity, profile, record_function


def events_of(name: str, events: EventList) -> list[FunctionEvent]:
    return [event for event in events if event.name == name]


def test_events_have_the_values_of_their_arguments() -> None:
    x = torch.ones(2, 3)
    with profile(record_shapes=True) as prof:
        torch.add(x, x, alpha=3)
        x.sum(dim=(0, 1))
        x.view([6])
        torch.cat([x, x], 1)
        with record_function("block", "its arguments"):
            pass
    found = {event.name: (event.input_shapes, event.concrete_inputs) for event in prof.events()}
    assert found["aten::add"] == ([[2, 3], [2, 3], []], [None, None, 3])
    assert found["aten::sum"] == ([[2, 3], [], [], []], [None, [0, 1], False, None])
    assert found["aten::view"] == ([[2, 3], []], [None, [6]])
    assert found["aten::cat"] == ([[], []], [None, 1])
    assert found["block"] == ([[]], [None])
    with profile() as prof:
        x.neg()
    assert (prof.events()[0].input_shapes, prof.events()[0].concrete_inputs) == ([], [])


def test_nodes_lead_to_the_calls_that_created_them(tmp_path: Path) -> None:
    x = torch.ones(4, requires_grad=True)
    with profile(record_shapes=True) as prof:
        (x * 2).relu().sum().backward()
    events = prof.events()
    (call,), (node,) = events_of("aten::relu", events), events_of("ReluBackward0", events)
    assert call.sequence_nr == node.sequence_nr >= 0
    assert (call.scope, node.scope, call.fwd_thread, node.fwd_thread) == (0, 1, 0, call.thread)
    assert node.input_shapes == [[4]]
    (leaf,) = events_of("torch::autograd::AccumulateGrad", events)
    assert (leaf.sequence_nr, leaf.fwd_thread) == (-1, 0)
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    trace = json.loads((tmp_path / "trace.json").read_text())
    by_kind: dict[str, list[Any]] = {}
    for event in trace["traceEvents"]:
        by_kind.setdefault(event["ph"], []).append(event)
    starts = {event["ts"]: event["name"] for event in by_kind["X"]}
    arrows = {e["id"]: [starts[e["ts"]]] for e in by_kind["s"]}
    for event in by_kind["f"]:
        arrows[event["id"]].append(starts[event["ts"]])
    engine = "autograd::engine::evaluate_function: "
    assert ["aten::relu", f"{engine}ReluBackward0"] in arrows.values()
    names = ["PyTorch Profiler (0)", "Iteration Start: PyTorch Profiler", "Record Window End"]
    assert [trace["traceEvents"][i]["name"] for i in (-4, -2, -1)] == names
    assert trace["record_shapes"] == 1 and trace["traceName"].endswith("trace.json")
    with torch.no_grad(), profile() as prof:
        x.neg()
    assert prof.events()[0].sequence_nr == -1


def test_events_are_made_by_hand() -> None:
    event = FunctionEvent(3, "a::b", 1, 10, 20.5)
    assert repr(event) == (
        "<FunctionEvent id=3 name=a::b overload_name=None device_type=DeviceType.CPU node_id=-1 "
        "cpu_time=10.500us start_us=10 end_us=20.5 cpu_children=[] None_time=0.000us name=a::b "
        "thread=1 input_shapes=None cpu_memory_usage=0 None_memory_usage=0 is_async=False "
        "is_remote=False seq_nr=-1 is_legacy=False>"
    )
    assert (event.input_shapes, event.stack, event.flops, event.key) == (None, None, None, "a::b")
    event.append_kernel("k", 0, 7)
    assert event.kernels == [("k", 0, 7)]
    other = FunctionEvent(4, "c", 1, 12, 15, use_device="cuda", device_type=DeviceType.CUDA)
    assert (other.cpu_time_total, other.device_time_total) == (0, 3)
    with pytest.raises(AssertionError, match="Expected device_type"):
        event.append_cpu_child(other)
    average = FunctionEventAvg().add(event)
    assert repr(average) == (
        "<FunctionEventAvg key=a::b self_cpu_time=10.500us cpu_time=10.500us  "
        "self_cuda_time=0.000us cuda_time=0.000us input_shapes=None cpu_memory_usage=0 "
        "cuda_memory_usage=0>"
    )
    with pytest.raises(AssertionError, match="Expected keys to match, but got c vs a::b"):
        average.add(other)


def by_hand() -> list[FunctionEvent]:
    first = FunctionEvent(1, "aten::linear", 1, 0, 1500.5, "", input_shapes=[[2, 3], [], [5]])
    second = FunctionEvent(2, "aten::addmm", 1, 10, 1000, "out", input_shapes=[[2, 3]], flops=2500)
    first.append_cpu_child(second)
    second.set_cpu_parent(first)
    return [first, second]


def test_tables_look_like_pytorch_s() -> None:
    lines = EventList(by_hand(), profile_memory=True, with_flops=True).table().split("\n")
    columns = (
        "Self CPU %,Self CPU,CPU total %,CPU total,CPU time avg,CPU Mem,Self CPU Mem,# of Calls"
    )
    heads = "".join(f"{head:>12}  " for head in columns.split(","))
    rule = "  ".join(["-" * 16] * 2 + ["-" * 12] * 8 + ["-" * 21, "-" * 12]) + "  "
    assert lines[0] == lines[2] == lines[-3] == rule
    assert (
        lines[1]
        == f"{'Name':>16}  {'Overload Name':>16}  {heads}{'Input Shapes':>21}  Total KFLOPs  "
    )
    cells = ["34.02%", "510.500us", "100.00%", "1.500ms", "1.500ms", "0 B", "0 B", "1"]
    row = "".join(f"{cell:>12}  " for cell in cells)
    shapes = f"{'[[2, 3], [], [5]]':>21}"
    assert lines[3] == f"    aten::linear  {'':>16}  {row}{shapes}  {'--':>12}  "
    assert lines[4].endswith("             [[2, 3]]         2.500  ")
    assert lines[-2:] == ["Self CPU time total: 1.500ms", ""]


def test_tables_show_events_without_callers() -> None:
    table = EventList(by_hand()).table(
        header="My header", top_level_events_only=True, time_unit="s", max_shapes_column_width=5
    )
    lines = table.split("\n")
    assert lines[1] == "My header" and lines[0] == lines[2] == "=" * len(lines[4])
    assert lines[3] == "This report only display top-level ops statistics"
    assert len(lines) == 11 and lines[7].endswith("    0.002s             1  [[2,   ")
    assert EventList([]).table() == ""


def test_stacks_are_columns_of_averages() -> None:
    events = by_hand()
    events[1].stack = ["torch/nn/linear.py(12): forward", "main.py(3): <module>"]
    rows = EventList(events).key_averages(group_by_stack_n=1)
    assert [(row.key, row.stack, row.input_shapes) for row in rows] == [
        ("aten::linear", [], ""),
        ("aten::addmm", ["torch/nn/linear.py(12): forward"], ""),
    ]
    lines = rows.table().split("\n")
    assert lines[1].endswith("  # of Calls  Source Location                      ")
    assert [line[-37:].strip() for line in lines[3:7]] == [
        *("", "", "torch/nn/linear.py(12): forward", "")
    ]


@pytest.mark.parametrize(
    ("actions", "ready", "warning"),
    [
        ([0, 2], [2], None),
        ([3, 0], [1], None),
        ([0, 3, 1, 0], [2], "WARMUP followed by NONE"),
        ([1, 0], [], "WARMUP followed by NONE"),
        ([2, 0], [], "RECORD followed by NONE"),
        ([1, 3], [2, 2], "clears events"),
    ],
)
def test_actions_follow_each_other(
    actions: list[int], ready: list[int], warning: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.profiler.profiler._warned_of_cycles", warning != "clears events")
    steps: list[int] = []

    def run() -> None:
        with profile(
            schedule=lambda step: ProfilerAction(actions[min(step, len(actions) - 1)]),
            on_trace_ready=lambda prof: steps.append(prof.step_num),
        ) as prof:
            for _ in actions:
                torch.ones(2)
                prof.step()

    if warning is None:
        run()
    else:
        with pytest.warns(UserWarning, match=warning):
            run()
    assert steps == ready


def test_cycles_can_be_kept() -> None:
    counts = []
    with profile(
        schedule=torch.profiler.schedule(wait=1, warmup=1, active=1),
        acc_events=True,
        on_trace_ready=lambda prof: counts.append(
            sum(event.name == "ProfilerStep*" for event in prof.events())
        ),
    ) as prof:
        for _ in range(6):
            torch.ones(2)
            prof.step()
    assert counts == [1, 2]


def test_recording_can_be_paused() -> None:
    x = torch.ones(2)
    with profile(activities=[ProfilerActivity.CPU]) as prof:
        x.neg()
        prof.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
        x.exp()
        prof.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
        x.abs()
    assert [event.name for event in prof.events()] == ["aten::neg", "aten::abs"]


def test_programs_learn_whether_a_profile_runs() -> None:
    profiler = torch.autograd.profiler
    assert not profiler._is_profiler_enabled and not torch.autograd._profiler_enabled()
    with profile():
        assert profiler._is_profiler_enabled and torch.autograd._profiler_enabled()
    assert not profiler._is_profiler_enabled


def test_metadata_can_be_given_in_advance(tmp_path: Path) -> None:
    prof = profile(custom_trace_id_callback=lambda: "my trace")
    prof.preset_metadata_json("run", '{"number": 1}')
    with prof:
        nn.Linear(2, 2)(torch.ones(1, 2))
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert (trace["run"], trace["trace_id"], prof.get_trace_id()) == (
        *({"number": 1}, "my trace", "my trace"),
    )


def test_arguments_are_checked() -> None:
    unknown: Any = {"foo": 1}
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        profile(**unknown)
    with pytest.raises(AssertionError, match="No valid profiler activities found"):
        profile(activities=[])
    with pytest.warns(FutureWarning, match="`use_cuda` is deprecated"):
        profile(use_cuda=False)
    with pytest.warns(UserWarning, match="The nothing is not a valid device option"):
        torch.autograd.profiler.profile(use_device="nothing")
    with pytest.raises(AssertionError, match="requires with_stack=True"):
        torch.autograd.profiler.profile().export_stacks("stacks.txt")
    with pytest.raises(AssertionError, match="must be initialized before starting trace"):
        profile().start_trace()


def test_settings_of_the_c_module(tmp_path: Path) -> None:
    settings = torch._C._profiler._ExperimentalConfig(verbose=True, capture_overload_names=True)
    with profile(with_stack=True, experimental_config=settings) as prof:
        torch.ones(2) + 1
    assert "Overload Name" in prof.events().table()
    with profile() as prof:
        torch.ones(2) + 1
    assert "Overload Name" not in prof.events().table()
    assert int(torch._C._profiler.RecordScope.USER_SCOPE.value) == 7
