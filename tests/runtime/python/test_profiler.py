"""torch.profiler: every operator is an event, with its caller, its shapes and its time."""

from __future__ import annotations

import gzip
import json
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
    assert lines[1] == "Here" and lines[3].split()[:3] == ["Name", "Self", "CPU"]
    assert lines[-1].startswith("Self CPU time total: ") and len(lines) == 8


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_chrome_traces(tmp_path: Path, name: str) -> None:
    with profile(record_shapes=True) as prof:
        torch.ones(2).neg()
    path = tmp_path / name
    prof.export_chrome_trace(str(path))
    opener: Any = gzip.open if name.endswith(".gz") else open
    with opener(path, "rt") as file:
        (event,) = (e for e in json.load(file)["traceEvents"] if e["name"] == "aten::neg")
    assert event["ph"] == "X" and event["dur"] > 0 and event["args"] == {"Input Dims": [[2]]}


def test_steps_follow_the_schedule() -> None:
    ready = []
    with profile(
        schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
        on_trace_ready=lambda prof: ready.append({event.name for event in prof.events()}),
    ) as prof:
        for step in range(9):
            (torch.neg, torch.exp, torch.abs, torch.sin)[step % 4](torch.ones(1))
            prof.step()
    assert len(ready) == 2
    for names in ready:
        assert {"aten::abs", "aten::sin"} <= names
        assert not {"aten::neg", "aten::exp"} & names
    assert "ProfilerStep#2" in ready[0] and "ProfilerStep#7" in ready[1]


def test_schedule_skips_and_refuses() -> None:
    action = schedule(wait=0, warmup=0, active=1, skip_first=2)
    assert [action(i) for i in range(3)] == [
        ProfilerAction.NONE,
        ProfilerAction.NONE,
        ProfilerAction.RECORD_AND_SAVE,
    ]
    with pytest.raises(AssertionError, match="Invalid profiler schedule"):
        schedule(wait=0, warmup=0, active=0)


def test_only_one_profile_runs() -> None:
    with profile(), pytest.raises(RuntimeError, match="already enabled"), profile():
        pass
    with profile() as prof:
        torch.ones(1)
    assert len(prof.events()) >= 1


def test_errors_of_operators_pass_through() -> None:
    with profile() as prof, pytest.raises(RuntimeError):
        torch.ones(2) + torch.ones(3)
    assert prof.events() is not None


def test_events_exist_only_after_the_block() -> None:
    prof = torch.autograd.profiler.profile()
    with pytest.raises(RuntimeError, match="didn't finish"), prof:
        prof.function_events  # noqa: B018
