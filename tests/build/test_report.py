"""The report of a build: causes, one clock, the critical path, the trace, the page."""

from __future__ import annotations

import json
import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.base.ninja_log import LogEntry
from tools.insight.report.jobs import Classifier, Kind, critical_path, jobs_of
from tools.insight.report.page import render
from tools.insight.report.report import on_clock
from tools.setup_helpers.ninja.build_graph import BuildGraph, Edge, parse_graph
from tools.setup_helpers.ninja.reasons import OutOfDate, parse_reasons
from tools.setup_helpers.ninja.run import Round

from .conditions import for_file, wrap_compilers
from .fixture_project import Project

DRAWN = """\
digraph ninja {
node [fontsize=10, shape=box, height=0.25]
"0x1" [label="lib/liba.so"]
"0x2" [label="CXX_SHARED_LIBRARY_LINKER__a_Release", shape=ellipse]
"0x2" -> "0x1"
"0x2" -> "0x9"
"0x3" -> "0x2" [arrowhead=none]
"0x4" -> "0x2" [arrowhead=none style=dotted]
"0x3" [label="a.cpp.o"]
"0x5" -> "0x3" [label=" CXX_COMPILER__a_Release"]
"0x5" [label="../a.cpp"]
"0x4" [label="generated.h"]
"""


def edge(output: str, *inputs: str, order_only: tuple[str, ...] = ()) -> Edge:
    return Edge("RULE", (output,), inputs, order_only)


def report(project: Project) -> dict[str, Any]:
    return dict(json.loads((project.root / "build/report.json").read_text()))


def test_the_whole_graph_is_parsed() -> None:
    graph = parse_graph(DRAWN)
    linked, compiled = graph.makers["lib/liba.so"], graph.makers["a.cpp.o"]
    assert linked.inputs == ("a.cpp.o",) and linked.order_only == ("generated.h",)
    assert linked.outputs == ("lib/liba.so",)  # the second has no name, because nothing needs it
    assert compiled == Edge("CXX_COMPILER__a_Release", ("a.cpp.o",), ("../a.cpp",))
    assert graph.users["a.cpp.o"] == [linked]


@pytest.mark.parametrize(
    ("line", "output", "text"),
    [
        ("output a.o doesn't exist", "a.o", "it did not exist"),
        (
            "output a.o older than most recent input ../a b.cpp (1 vs 2)",
            "a.o",
            "../a b.cpp changed",
        ),
        ("recorded mtime of a.o older than most recent input a.h (1 vs 2)", "a.o", "a.h changed"),
        ("restat of output a.o older than most recent input a.h (1 vs 2)", "a.o", "a.h changed"),
        ("command line changed for a.o", "a.o", "its command line changed"),
        ("command line not found in log for a.o", "a.o", "it is not in Ninja's log"),
        ("deps for 'a.o' are missing", "a.o", "its includes are not known"),
        (
            "stored deps info out of date for 'a.o' (1 vs 2)",
            "a.o",
            "it was written by something else",
        ),
    ],
)
def test_explanations_of_ninja_are_translated(line: str, output: str, text: str) -> None:
    assert parse_reasons([f"ninja explain: {line}"])[output].text == text


def test_a_missing_input_is_the_cause_for_all_its_readers() -> None:
    explanations = [
        "output ../a.h of phony edge with no inputs doesn't exist",
        "../a.h is dirty",
        "a.o is dirty",
        "command line changed for b.o",
        "../a.h is dirty",
        "b.o is dirty",
        "../a.h is dirty",
        "c.o is dirty",
        "lib is dirty",
    ]
    reasons = parse_reasons(f"ninja explain: {line}" for line in explanations)
    assert {output: reason.text for output, reason in reasons.items()} == {
        "a.o": "../a.h was removed",
        "b.o": "its command line changed",
        "c.o": "../a.h was removed",
    }


def test_the_cause_of_a_link_is_the_changed_header() -> None:
    graph = BuildGraph((edge("lib", "a.o", "b.o"), edge("a.o", "a.c"), edge("b.o", "b.c")))
    explanation = "ninja explain: output b.o older than most recent input b.h (1 vs 2)"
    state = OutOfDate(parse_reasons([explanation, "ninja explain: b.o is dirty"]), graph)
    assert state.why("lib") == ["lib", "b.o"]
    assert state.why("a.o") == [] and state.cause("a.o") is None
    assert state.commands == ["lib", "b.o"]


def test_the_critical_path_is_the_longest_chain_not_the_longest_command() -> None:
    graph = BuildGraph(
        (
            edge("lib", "a.o", "b.o"),
            edge("a.o", "a.c", order_only=("a.h",)),
            edge("a.h", "a.in"),
            edge("b.o", "b.c"),
        )
    )
    seconds = {"a.h": 2.0, "a.o": 2.0, "b.o": 3.0, "lib": 1.0}
    assert critical_path(graph, seconds) == ["a.h", "a.o", "lib"]
    assert critical_path(graph, {"b.o": 3.0, "lib": 1.0}) == ["b.o", "lib"]
    assert critical_path(BuildGraph(()), {}) == []


@given(st.lists(st.tuples(st.integers(0, 900), st.integers(1, 200)), max_size=40))
def test_jobs_of_one_lane_never_overlap(spans: list[tuple[int, int]]) -> None:
    entries = [LogEntry(f"{i}", s, s + n, 0, f"{i}") for i, (s, n) in enumerate(spans)]
    jobs = jobs_of([Round(0.0, tuple(entries))], Classifier({}, ()), 0.0)
    assert len(jobs) == len(spans)
    running = max((sum(b.start <= a.start < b.end for b in jobs) for a in jobs), default=0)
    assert len({job.lane for job in jobs}) == running  # with as few lanes as possible
    for a in jobs:
        assert not any(
            a.lane == b.lane and a.start < b.end and b.start < a.end for b in jobs if b != a
        )


def test_a_command_with_two_outputs_is_one_job() -> None:
    entries = (LogEntry("a.h", 0, 5, 0, "x"), LogEntry("a.cpp", 0, 5, 0, "x"))
    assert [j.output for j in jobs_of([Round(0.0, entries)], Classifier({}, ()), 0.0)] == ["a.h"]


def test_jobs_after_a_rebuilt_manifest_start_after_it() -> None:
    """After it rebuilds its manifest, Ninja restarts and counts milliseconds from that moment."""
    entries = (LogEntry("build.ninja", 0, 3000, 0, "x"), LogEntry("a.o", 50, 150, 0, "y"))
    manifest, compiled = jobs_of([Round(10.0, entries)], Classifier({}, ()), 8.0)
    assert (manifest.start, manifest.end) == (2.0, 5.0)
    assert (compiled.start, compiled.end) == (5.05, 5.15)


def test_a_new_source_is_the_cause_of_the_commands_that_cmake_adds(developed: Project) -> None:
    (developed.root / "src/extra.c").write_text("int tiny_extra(void) { return 1; }\n")
    developed.edit("build_config.toml", '"src/greet.c"', '"src/greet*.c", "src/ex*.c"')
    developed.run("build")
    (developed.root / "src/greet_more.c").write_text("int tiny_more(void) { return 2; }\n")
    developed.run("build")
    did = report(developed)
    causes = [cause["text"] for cause in did["causes"]]
    assert causes == ["CMake found a source added or removed"]
    assert any(job["output"].endswith("greet_more.c.o") for job in did["jobs"])


def test_kind_and_part_follow_from_the_rule() -> None:
    rules = {
        "x.o": "CXX_COMPILER__words_kernels_AVX2_Release",
        "m.so": "C_MODULE_LIBRARY_LINKER___C_Release",
        "t.o": "CXX_COMPILER__stranger_Debug",
        "g.h": "CUSTOM_COMMAND",
    }
    classify = Classifier(rules, ("words", "_C"))
    assert classify("x.o") == (Kind.COMPILE, "words")
    assert classify("m.so") == (Kind.LINK, "_C")
    assert classify("t.o") == (Kind.COMPILE, "stranger")
    assert classify("g.h") == (Kind.COMMAND, "")


def test_an_edit_is_the_cause_of_all_commands_that_it_triggers(developed: Project) -> None:
    before = report(developed)
    developed.edit("src/greet.c", "#include", "/* longer */ #include")
    os.utime(developed.root / "src/greet.h")
    developed.edit("words.yaml", "- world", "- there")
    developed.run("develop", TINY_LOUD="0")
    did = report(developed)
    assert did["result"] == "ok"
    assert did["last"]["began"] == pytest.approx(before["began"], abs=0.01) and (
        before["began"] < did["began"]
    )
    changes = {i["path"]: i["change"] for i in did["changes"]["inputs"]}
    assert changes == {"src/greet.c": "edited", "src/greet.h": "touched", "words.yaml": "edited"}
    option = {"name": "TINY_LOUD", "before": "ON", "now": "OFF", "origin": "environment"}
    assert did["changes"]["options"] == [option]
    causes = {c["text"]: c["commands"] for c in did["causes"]}
    assert causes["words.yaml changed (code generation: words)"] == 1
    assert causes["its command line changed (TINY_LOUD: ON -> OFF)"] >= 1
    assert did["critical_path"]
    assert {"compile tiny_words", "link", "codegen", "configure"} <= {
        c["name"] for c in did["categories"]
    }


def test_all_times_of_a_run_use_one_clock(developed: Project) -> None:
    did = report(developed)
    build = next(s for s in did["steps"] if s["name"] == "build")
    for job in did["jobs"]:
        assert build["start"] - 0.02 <= job["start"]
        assert job["start"] + job["seconds"] <= build["start"] + build["seconds"] + 0.02
    events = json.loads((developed.root / "build/trace.json").read_text())["traceEvents"]
    spans = {e["name"]: e for e in events if e["ph"] == "X"}
    assert {e["ph"] for e in events} == {"X", "M"}
    assert spans.keys() >= {"configure", "words", "lib/libtiny_words.so"}
    job = next(j for j in did["jobs"] if j["output"] == "lib/libtiny_words.so")
    assert spans["lib/libtiny_words.so"]["dur"] == pytest.approx(job["seconds"] * 1e6, abs=1)


def test_a_failed_build_has_a_report(developed: Project) -> None:
    page = developed.root / "build/report.html"
    page.unlink()
    developed.edit("src/greet.c", "#include", "#error broken here\n#include")
    assert developed.run("develop", check=False).returncode == 1
    did = report(developed)
    assert did["result"] == "failed"
    assert '"result":"failed"' in page.read_text()
    (job,) = (job for job in did["jobs"] if job["failed"])
    assert job["output"].endswith("src/greet.c.o") and job["category"] == "compile tiny_words"
    build = next(step for step in did["steps"] if step["name"] == "build")
    assert 0 < job["seconds"] <= build["seconds"]
    assert job["start"] >= build["start"]
    assert did["compiled"] == 0 and did["critical_path"] == []
    (span,) = (span for span in trace(developed) if span["name"] == job["output"])
    assert span["args"]["failed"] is True


def test_a_retried_command_has_a_row_for_each_attempt(developed: Project, tmp_path: Path) -> None:
    developed.edit("src/greet.c", "#include", "/* again */ #include")
    once = for_file("greet.c", '[ -e "$HERE/killed" ] || { touch "$HERE/killed"; kill -9 $$; }')
    developed.run("build", PATH=wrap_compilers(tmp_path / "compilers", once))
    did = report(developed)
    rows = [job for job in did["jobs"] if job["output"].endswith("greet.c.o")]
    assert [row["failed"] for row in rows] == [True, False]
    assert did["compiled"] == sum(job["category"].startswith("compile") for job in did["jobs"]) - 1
    assert rows[0]["start"] + rows[0]["seconds"] <= rows[1]["start"]


def trace(project: Project) -> list[dict[str, Any]]:
    """Check the events of build/trace.json against the Trace Event Format and return them."""
    document = json.loads((project.root / "build/trace.json").read_text())
    assert document.keys() == {"traceEvents", "displayTimeUnit"}
    assert document["displayTimeUnit"] == "ms"
    for event in document["traceEvents"]:
        check_event(event)
    return list(document["traceEvents"])


def check_event(event: dict[str, Any]) -> None:
    keys = {"ph", "name", "pid", "tid", "args"}
    assert isinstance(event["pid"], int) and event["pid"] > 0
    assert isinstance(event["tid"], int) and event["tid"] > 0
    assert isinstance(event["name"], str) and event["name"]
    if event["ph"] == "M":
        value = {"process_name": "name", "thread_name": "name", "thread_sort_index": "sort_index"}
        assert event.keys() == keys and event["args"].keys() == {value[event["name"]]}
    else:
        assert event["ph"] == "X" and event.keys() == keys | {"cat", "ts", "dur"}
        assert isinstance(event["ts"], int) and event["ts"] >= 0
        assert isinstance(event["dur"], int) and event["dur"] >= 0


def test_the_spans_of_one_row_of_the_trace_never_overlap(project: Project) -> None:
    """Perfetto drops a slice that starts during another slice of its thread and ends after it."""
    project.run("develop", MAX_JOBS="3")
    events = trace(project)
    named = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    rows: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        if event["ph"] == "X":
            rows.setdefault(event["tid"], []).append(event)
    assert rows.keys() <= named.keys()
    assert [named[1], named[2], named[3]] == ["steps", "code generation", "job slot 1"]
    for row in rows.values():
        row.sort(key=lambda event: event["ts"])
        for before, after in pairwise(row):
            assert before["ts"] + before["dur"] <= after["ts"], (before, after)


@given(st.lists(st.floats(0, 100), min_size=2, max_size=20).map(sorted))
def test_rounding_to_milliseconds_keeps_the_order(times: list[float]) -> None:
    spans = [on_clock(start, end) for start, end in pairwise(times)]
    for before, after in pairwise(spans):
        assert before["start"] + before["seconds"] <= after["start"] + 1e-9


def test_a_run_without_work_keeps_the_last_page(developed: Project) -> None:
    page = developed.root / "build/report.html"
    before = page.read_bytes()
    os.utime(developed.root / "tiny/__init__.py")
    developed.run("build")
    assert report(developed)["jobs"] == []
    assert page.read_bytes() == before


def test_names_are_escaped_in_the_page() -> None:
    hostile = "</script><script>alert(1)</script>"
    document = {"project": hostile, "version": "1", "jobs": [{"output": hostile}]}
    assert hostile not in render(document)


def test_the_page_loads_nothing_external() -> None:
    page = render({"project": "p", "version": "1"})
    assert not [
        w
        for w in ("http:", "https:", "src=", "@import", "url(")
        if w in page.replace("http://www.w3.org/2000/svg", "")
    ]
    assert "@data@" not in page and "@script@" not in page


def test_the_slowest_files_are_from_this_build(developed: Project, tmp_path: Path) -> None:
    slow = wrap_compilers(tmp_path / "slow", for_file("greet.c", "sleep 1"))
    developed.run("build", PATH=slow)  # recompiles everything, because the compiler is another one
    for n in range(6):
        (developed.root / f"src/extra{n}.c").write_text(
            f"int tiny_extra{n}(void) {{ return {n}; }}\n"
        )
    developed.edit("build_config.toml", '"src/greet.c"', '"src/greet.c", "src/extra*.c"')
    output = developed.run("build", PATH=slow).stdout
    assert len(re.findall(r" s  extra\d\.c \(tiny_words\)$", output, re.MULTILINE)) == 5
    assert "greet.c (tiny_words)" not in output
    did = report(developed)
    compiled = {job["output"] for job in did["jobs"] if job["category"].startswith("compile ")}
    assert len(compiled) == 6 and {file["output"] for file in did["slowest"]} == compiled
    assert did["slowest_of_tree"][0]["output"].endswith("src/greet.c.o")
