"""`setup.py explain scaling`: the simulated build, and the table of its times."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.insight.explain.scaling import Preprocessing, Site, simulate
from tools.insight.explain.simulation import Schedule, Simulation, Task
from tools.setup_helpers.ninja.build_graph import BuildGraph, Edge

from .fixture_project import Project


def local(output: str, seconds: float, *after: str) -> Task:
    return Task(output, (("local", seconds),), after)


def test_commands_share_the_units_of_a_resource() -> None:
    tasks = [local(f"{i}.o", 1.0) for i in range(10)]
    assert Simulation(tasks, {"local": 1}).run().seconds == 10
    assert Simulation(tasks, {"local": 3}).run().seconds == 4
    assert Simulation(tasks, {"local": 3}).run().limit == ""
    assert Simulation(tasks, {"local": 5}).run().limit == "local"


def test_a_command_waits_for_its_inputs() -> None:
    chain = [local("a.so", 1.0, "a.o", "source.cpp"), local("a.o", 2.0, "a.h"), local("a.h", 4.0)]
    assert Simulation(chain, {"local": 9}).run() == Schedule(7.0, {"local": 7.0}, {"local": 9})


def test_the_longest_path_starts_first() -> None:
    tasks = [local("b.o", 1.0), local("c.o", 1.0), local("a.o", 1.0), local("a.so", 2.0, "a.o")]
    assert Simulation(tasks, {"local": 2}).run().seconds == 3


def test_phases_of_different_commands_overlap() -> None:
    tasks = [Task(f"{i}.o", (("local", 1.0), ("remote", 3.0)), ()) for i in range(4)]
    schedule = Simulation(tasks, {"local": 1, "remote": 4}).run()
    assert schedule.seconds == 4 + 3
    assert schedule.busy == {"local": 4.0, "remote": 12.0}


def test_a_command_without_work_takes_no_time() -> None:
    tasks = [Task("all", (), ("b",)), Task("b", (), ("a.o",)), local("a.o", 1.0)]
    assert Simulation(tasks, {"local": 1}).run().seconds == 1


@given(
    st.lists(
        st.tuples(st.integers(0, 20), st.integers(0, 20), st.sets(st.integers(1, 12), max_size=3)),
        max_size=25,
    ),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_no_schedule_beats_the_work_or_the_critical_path(
    rows: list[tuple[int, int, set[int]]], jobs: int, slots: int
) -> None:
    tasks = [
        Task(
            str(i),
            (("local", here), ("remote", there)),
            tuple(str(i - back) for back in backs if back <= i),
        )
        for i, (here, there, backs) in enumerate(rows)
    ]
    schedule = Simulation(tasks, {"local": jobs, "remote": slots}).run()
    assert schedule.seconds >= sum(here for here, _, _ in rows) / jobs
    assert schedule.seconds >= sum(there for _, there, _ in rows) / slots
    ends: dict[str, float] = {}
    for task in tasks:
        ends[task.output] = task.seconds + max((ends[path] for path in task.after), default=0)
    assert schedule.seconds >= max(ends.values(), default=0)
    assert schedule.seconds <= sum(task.seconds for task in tasks)


def test_only_compilations_leave_this_machine() -> None:
    objects = [Edge("CXX_COMPILER__a", (f"{i}.o",), (f"{i}.cpp",)) for i in range(8)]
    link = Edge("CXX_SHARED_LIBRARY_LINKER__a", ("a.so",), tuple(f"{i}.o" for i in range(8)))
    graph = BuildGraph((*objects, link))
    durations = {f"{i}.o": 10.0 for i in range(8)} | {"a.so": 5.0}
    remote = {f"{i}.o": 100 for i in range(8)}
    preprocessing = Preprocessing(5, 1.0, 900)
    alone = simulate(graph, durations, remote, preprocessing, Site(1, 0, 1000.0))
    helped = simulate(graph, durations, remote, preprocessing, Site(1, 8, 1000.0))
    assert alone.seconds == 8 * 10 + 5 and "remote" not in alone.busy
    assert helped.busy == pytest.approx({"local": 8 * 1.0 + 5, "network": 8 * 1.0, "remote": 72.0})
    assert helped.seconds == 8 * 1.0 + 1.0 + 9.0 + 5.0


def test_the_table_has_a_row_for_each_number_of_workers(developed: Project) -> None:
    answer = developed.run("explain", "scaling", "--workers", "1,40", "--slots", "3").stdout
    assert "The critical path takes" in answer
    rows = re.findall(r"^ +(none|\d+) +(\d*) +\d+ +([\d.]+)  \w", answer, re.MULTILINE)
    assert [row[:2] for row in rows] == [("none", ""), ("1", "3"), ("40", "120")]
    assert rows[0][2] == "1.0"


def test_there_is_no_prediction_before_the_first_build(project: Project) -> None:
    assert "Not everything was built" in project.run("explain", "scaling").stdout


@pytest.mark.parametrize("words", [["--workers", "many"], ["--workers", "0"], ["--slots", "2,3"]])
def test_numbers_that_make_no_sense_are_refused(developed: Project, words: list[str]) -> None:
    result = developed.run("explain", "scaling", *words, check=False)
    assert result.returncode == 2
    assert "expected" in result.stderr and "usage: setup.py explain scaling" in result.stderr


def test_other_topics_refuse_arguments_that_they_do_not_know(developed: Project) -> None:
    result = developed.run("explain", "rebuild", "--workers", check=False)
    assert result.returncode == 2 and "--workers" in result.stderr
