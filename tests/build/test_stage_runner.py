"""The stage runner of code generation."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.base.errors import BuildError
from tools.base.generation import recorded_outputs
from tools.setup_helpers.generation import stage_runner
from tools.setup_helpers.generation.stages import StageResult, describe_runs
from tools.setup_helpers.table.config import Config
from tools.setup_helpers.table.config_reader import parse_config

TABLE = """
[project]
distribution = "p"
package = "p"
version_file = "version.txt"
[options.LOUD]
help = ""
[options.OTHER]
help = ""
[[stage]]
name = "first"
entry = "{module}:first"
inputs = ["words.txt", "more/*.txt"]
directory = "out"
options = ["LOUD"]
[[stage]]
name = "second"
entry = "{module}:second"
inputs = ["other.txt"]
directory = "out/second"
after = ["first"]
job = "rest"
[[library]]
name = "lib"
generated = ["out/**/*.cpp"]
generated_kernels = ["out/b.cpp"]
[[library.group]]
name = "quiet"
sources = []
generated = ["out/second/*.cpp"]
"""

MODULE = """
from pathlib import Path
def first(context):
    context.shared["parsed"] = True
    for path in [context.root / "words.txt", *sorted((context.root / "more").glob("*.txt"))]:
        for word in path.read_text().split():
            if word == "wrong":
                raise InputError("words.txt:1:1: wrong")
            text = word.upper() if context.options["LOUD"] == "ON" else word
            context.files.write(f"out/{word}.cpp", text)
    if context.everything:
        context.files.write("out/Everything.txt", "all")
def second(context):
    context.files.write("out/second/parsed.txt", str("parsed" in context.shared))
    context.files.write("out/second/x.cpp", (context.root / "other.txt").read_text())
class InputError(Exception):
    pass
"""


class Tree:
    """A tree with two stages, and a count of their runs."""

    def __init__(self, root: Path, module: str) -> None:
        self.root = root
        self.build = root / "build"
        self.module = module
        (root / "more").mkdir()
        (root / "words.txt").write_text("a b")
        (root / "other.txt").write_text("other")
        self.config: Config = parse_config(TABLE.replace("{module}", module), root)

    def run(self, loud: bool = False, **how: Any) -> dict[str, StageResult]:
        values = {"LOUD": loud, "OTHER": False}
        texts = {k: "ON" if v else "OFF" for k, v in values.items()}
        results = stage_runner.run_stages(self.config, values, texts, self.build, **how)
        return {r.name: r for r in results}

    def made(self) -> list[str]:
        return sorted(
            str(p.relative_to(self.build)) for p in (self.build / "out").rglob("*") if p.is_file()
        )


@pytest.fixture
def tree(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Tree]:
    module = f"stages_of_{abs(hash(request.node.name))}"
    (tmp_path / f"{module}.py").write_text(MODULE)
    sys.path.insert(0, str(tmp_path))
    yield Tree(tmp_path, module)
    sys.path.remove(str(tmp_path))
    sys.modules.pop(module, None)


def test_stages_run_in_order_and_share_a_context(tree: Tree) -> None:
    results = tree.run()
    assert list(results) == ["first", "second"]
    assert (tree.build / "out/second/parsed.txt").read_text() == "True"
    assert tree.made() == ["out/a.cpp", "out/b.cpp", "out/second/parsed.txt", "out/second/x.cpp"]


def test_a_second_run_does_nothing(tree: Tree) -> None:
    tree.run()
    before = {p: p.stat().st_mtime_ns for p in tree.build.rglob("*")}
    assert [r.reason for r in tree.run().values()] == ["", ""]
    assert {p: p.stat().st_mtime_ns for p in tree.build.rglob("*")} == before


def test_files_of_a_run_that_was_killed_are_known(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(stage_runner.FileManager, "entries", killed)  # all of its files are written
    with pytest.raises(KeyboardInterrupt):
        tree.run()
    assert tree.made() == ["out/a.cpp", "out/b.cpp"]
    assert set(tree.made()) <= set(recorded_outputs(tree.build))
    monkeypatch.undo()
    assert tree.run()["first"].reason == "its last run did not end"
    assert [r.reason for r in tree.run().values()] == ["", ""]


def test_only_the_stage_whose_input_changed_runs(tree: Tree) -> None:
    tree.run()
    (tree.root / "other.txt").write_text("changed")
    results = tree.run()
    assert results["first"].reason == ""
    assert results["second"].reason == "other.txt changed"
    assert results["second"].changed == 2  # only its own file, and `parsed` is False


def test_touching_an_input_runs_nothing(tree: Tree) -> None:
    tree.run()
    os.utime(tree.root / "words.txt", ns=(1, 1))
    assert [r.reason for r in tree.run().values()] == ["", ""]


def test_a_new_file_that_matches_is_an_input(tree: Tree) -> None:
    tree.run()
    (tree.root / "more/new.txt").write_text("c")
    assert tree.run()["first"].reason == "more/new.txt changed"
    assert "out/c.cpp" in tree.made()


def test_only_listed_options_count(tree: Tree) -> None:
    tree.run()
    assert tree.run(loud=True)["first"].reason == "LOUD changed"
    assert (tree.build / "out/a.cpp").read_text() == "A"
    assert tree.run(loud=True)["second"].reason == ""


def test_removing_a_word_deletes_its_file(tree: Tree) -> None:
    tree.run()
    (tree.root / "words.txt").write_text("a")
    assert tree.run()["first"].deleted == 1
    assert "out/b.cpp" not in tree.made()


def test_removing_a_stage_deletes_its_files(tree: Tree) -> None:
    tree.run()
    text = TABLE.replace("{module}", tree.module)
    start, end = text.index('[[stage]]\nname = "second"'), text.index("[[library]]")
    tree.config = parse_config(text[:start] + text[end:], tree.root)
    tree.run()
    assert tree.made() == ["out/a.cpp", "out/b.cpp"]


@pytest.mark.parametrize("harm", ["delete", "edit"])
def test_a_damaged_output_is_regenerated(tree: Tree, harm: str) -> None:
    tree.run()
    path = tree.build / "out/a.cpp"
    path.unlink() if harm == "delete" else path.write_text("mine")
    assert "out/a.cpp" in tree.run()["first"].reason
    assert path.read_text() == "a"


def test_a_lost_record_deletes_unknown_files_in_the_owned_folder(tree: Tree) -> None:
    tree.run()
    (tree.build / "out/stale.cpp").write_text("")
    (tree.build / "codegen.json").unlink()
    tree.run()
    assert tree.made() == ["out/a.cpp", "out/b.cpp", "out/second/parsed.txt", "out/second/x.cpp"]


def test_an_error_in_any_stage_writes_nothing(tree: Tree) -> None:
    tree.run()
    (tree.root / "other.txt").write_text("changed")
    (tree.root / "words.txt").write_text("c wrong")
    made = tree.made()
    with pytest.raises(BuildError) as error:
        tree.run()
    assert error.value.exit_code == 2 and "words.txt:1:1" in error.value.cause
    assert tree.made() == made
    assert (tree.build / "out/second/x.cpp").read_text() == "other"


def test_force_and_everything(tree: Tree) -> None:
    tree.run()
    assert tree.run(forced=["first"])["first"].changed == 0
    tree.run(everything=True)
    assert "out/Everything.txt" in tree.made()
    assert tree.run(everything=True)["first"].reason == ""


def test_a_job_runs_its_stages_and_leaves_the_files_of_others_alone(tree: Tree) -> None:
    assert set(tree.run(job="rest")) == {"second"}
    assert tree.made() == ["out/second/parsed.txt", "out/second/x.cpp"]
    tree.run()
    (tree.root / "words.txt").write_text("c")
    (tree.root / "other.txt").write_text("changed")
    assert tree.run(job="rest")["second"].reason == "other.txt changed"
    assert "out/a.cpp" in tree.made() and "out/c.cpp" not in tree.made()
    assert tree.run()["first"].reason == "words.txt changed"
    assert "out/a.cpp" not in tree.made() and "out/c.cpp" in tree.made()


def test_source_lists_name_the_generated_files(tree: Tree) -> None:
    tree.run()
    text = (tree.build / "generated_sources.cmake").read_text()
    lists = dict(re.findall(r'set\(([\w/]+)((?:\n  "[^"]+")*)\)', text))
    assert {name: re.findall(r"/out/([^\"]+)", listed) for name, listed in lists.items()} == {
        "GENERATED_SOURCES_lib": ["a.cpp"],
        "GENERATED_KERNELS_lib": ["b.cpp"],
        "GENERATED_SOURCES_lib/quiet": ["second/x.cpp"],
    }
    before = (tree.build / "generated_sources.cmake").stat().st_mtime_ns
    (tree.root / "words.txt").write_text("a  b")  # the same files from other input bytes
    tree.run()
    assert (tree.build / "generated_sources.cmake").stat().st_mtime_ns == before


def test_the_bytes_depend_only_on_the_inputs(
    tree: Tree, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tree.run()
    first = {p: (tree.build / p).read_bytes() for p in tree.made()}
    tree.build = tmp_path_factory.mktemp("elsewhere") / "b"
    tree.run()
    assert {p: (tree.build / p).read_bytes() for p in tree.made()} == first


def test_a_missing_entry_point_is_reported_clearly(tree: Tree) -> None:
    tree.config = parse_config(TABLE.replace("{module}", "no_such_module"), tree.root)
    with pytest.raises(BuildError, match="no no_such_module:first"):
        tree.run()


def test_stages_that_ran_for_the_same_reason_share_a_line() -> None:
    ran = (
        ("aten", "a.yaml changed", 3),
        ("jit", "", 0),
        ("pyi", "a.yaml changed", 1),
        ("c", "LOUD changed", 0),
    )
    results = [StageResult(name, reason, 0.0, 9, changed, 0) for name, reason, changed in ran]
    assert list(describe_runs(results)) == [
        "aten, pyi: a.yaml changed, 4 written",
        "c: LOUD changed, 0 written",
    ]
    assert not list(describe_runs(results[1:2]))
