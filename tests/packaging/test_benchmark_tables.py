"""The tables that the benchmarks write into docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def benchmarks_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


def test_the_page_has_marks_for_every_table() -> None:
    import cuda_compile
    import cuda_resources
    import cuda_sizes
    import edit_bench
    import same_bytes

    import build_bench
    from documents import marks_missing
    from op_tables import FORMS

    document = (ROOT / "docs/benchmarks.md").read_text()
    assert marks_missing(document, [*FORMS, build_bench.MARK, edit_bench.MARK]) == []
    document = (ROOT / "docs/building.md").read_text()
    assert marks_missing(document, [same_bytes.MARK]) == []
    document = (ROOT / "docs/cuda.md").read_text()
    marks = [*cuda_compile.TABLES, *cuda_resources.TABLES, cuda_sizes.MARK]
    assert marks_missing(document, marks) == []


def test_kernels_of_cuda_are_grouped_by_what_they_do() -> None:
    from cuda_resources import Kernel, by_family, table

    strided = Kernel("_ZN2at6native5loops14strided_kernelILb1E", "90", registers=40)
    reduction = Kernel("_ZN2at6native13reduce_kernelILi4E", "90", registers=64)
    other = Kernel("_ZN2at6native9im2colE", "90", registers=20)
    families = by_family({"Im2Col.cu": [other], "Sum.cu": [reduction, strided]})
    assert families == {
        "element-wise, strided": [strided],
        "reductions": [reduction],
        "others": [other],
    }
    assert table(families, 128, "kind").splitlines()[-1] == (
        "| all 3 | 3 | 40 | 64 | unknown | 0 | 0 | 0 | 50% |"
    )


def test_kernels_of_cuda_are_grouped_by_architecture() -> None:
    from cuda_resources import Kernel, by_architecture

    kernels = [Kernel("sum", architecture) for architecture in ("120", "90", "75")]
    groups = by_architecture({"Sum.cu": kernels, "Mean.cu": [Kernel("mean", "90")]})
    assert list(groups) == ["7.5", "9.0", "12.0"]
    assert [kernel.name for kernel in groups["9.0"]] == ["sum", "mean"]


def test_a_table_replaces_only_the_text_between_its_marks() -> None:
    from documents import marks_missing, put_table

    document = "a\n<!-- x: begin -->\nold\ntable\n<!-- x: end -->\nb\n<!-- y: begin -->\nz\n"
    assert put_table(document, "x", r"new \1") == (
        "a\n<!-- x: begin -->\nnew \\1\n<!-- x: end -->\nb\n<!-- y: begin -->\nz\n"
    )
    assert marks_missing(document, ["x", "y", "z"]) == ["y", "z"]


def test_the_verdict_names_rows_over_budget_and_rows_that_failed() -> None:
    from op_tables import family_table, verdict
    from peer import Row, Timing

    rows = [
        ("f", Timing(Row("fast", "", ""), ours=1.0, theirs=4.0)),
        ("f", Timing(Row("slow", "", ""), ours=4.0, theirs=1.0)),
        ("g", Timing(Row("broken", "", ""), error="PyTorch: no such operator")),
    ]
    assert verdict(rows, 1.18) == (
        "All 3 rows: mean 1.00; 1 over 1.18: `slow` (4.00). Failed: broken."
    )
    assert "| f | 2 | 1.00 | 4.00 | `slow` |" in family_table(rows)


def test_a_row_is_limited_by_its_bytes_or_its_products() -> None:
    from limits import Limits

    limits = Limits([(1e4, 2e11), (1e8, 1e10)], single=1e12, double=5e11)
    work = {"bytes": 10**8, "operations": 0, "double": False}
    assert limits.seconds(work) == pytest.approx(1e-2)
    assert limits.seconds(work | {"bytes": 1000}) == pytest.approx(5e-9)
    assert limits.seconds(work | {"operations": 10**12}) == pytest.approx(1)
    assert limits.seconds(work | {"operations": 10**12, "double": True}) == pytest.approx(2)


def test_edits_over_their_budget_are_named() -> None:
    from build_sides import FrontEnd
    from edit_bench import Cost, Edit, over_budget, render

    def do(_: object) -> float:
        return 0.0

    fast, slow = Edit("fast", do, budget=2.0), Edit("slow", do, budget=1.0)
    costs = {edit: {FrontEnd.name: Cost([0.5, 1.5, 9.0], [3, 3, 4])} for edit in (fast, slow)}
    assert over_budget(costs) == ["slow"]
    assert render(costs, [])[-1] == "| slow | 1 s |"


def test_different_bytes_and_misses_of_a_filled_cache_are_named() -> None:
    from same_bytes import Build, misses, table

    same, other = ("c10", "cpu", "wheel"), ("c10", "cpu", "other")
    builds = [
        Build("none", "build", same, 0, 0),
        Build("ccache", "build", same, 0, 9),
        Build("ccache", "x/build", same, 9, 9),
        Build("ccache", "x/y/build", other, 7, 9),
        Build("sccache", "build", same, 0, 9),
    ]
    assert misses(builds) == [
        "ccache in x/y/build has other bytes than none in build",
        "ccache in x/y/build missed 2 times",
    ]
    assert table(builds)[4] == "| `ccache` | `x/build` | c10 | cpu | wheel | 9 of 9 |"


def test_a_python_over_the_budget_and_other_bytes_are_misses() -> None:
    import package_bench
    from package_bench import Build

    builds = [Build("3.11", 100.0), Build("3.12", 29.0), Build("3.13", 31.0)]
    assert package_bench.misses(builds[:2], {"a.whl": "1"}, {"a.whl": "1"}) == []
    found = package_bench.misses(builds, {"a.whl": "1"}, {"a.whl": "2"})
    assert found == [
        "Python 3.13 takes 31% of the first; budget 30%",
        "a.whl has other bytes",
    ]
    lines = package_bench.tables(builds, {"a.whl": b"x" * 1_500_000})
    assert "| 3.12 | 29 | 29% |" in lines and "| `a.whl` | 1.5 |" in lines


class Replies:
    """A worker whose bursts take the given times."""

    def __init__(self, bursts: Iterable[float]) -> None:
        self._bursts: Iterator[float] = iter(bursts)
        self.timed = 0

    def ask(self, do: str, **row: Any) -> dict[str, Any]:
        if do == "time":
            self.timed += 1
            return {"nanoseconds": next(self._bursts)}
        return {"error": "not counted"} if do == "work" else {}


@pytest.mark.parametrize(
    ("bursts", "timed", "ratio"),
    [
        ([10.0, 10.1, 10.2], 3, 1.01),
        ([20.0, 10.0, 10.0, 10.0, 10.0], 5, 1.0),
        ([10.0, 20.0] * 6, 12, 1.5),
    ],
    ids=["agreeing", "one-disturbed", "never-agreeing"],
)
def test_rows_whose_bursts_differ_have_more(bursts: list[float], timed: int, ratio: float) -> None:
    from peer import Row, compare

    ours, theirs = Replies(bursts), Replies([10.0] * 12)
    timing = compare(ours, theirs, Row("row", "", ""), rounds=3)  # type: ignore[arg-type]
    assert (ours.timed, theirs.timed) == (timed, timed)
    assert timing.ratio == pytest.approx(ratio)
