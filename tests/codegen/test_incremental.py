"""Incremental runs give the same bytes as a clean run and do only the work that a change requires."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import re
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from collected import files_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from operator_files import DERIVATIVES, NATIVE, ROOT, TAGS

from tools.autograd.load_derivatives import load_derivatives
from tools.base import file_manager
from tools.base.generation import STATE
from tools.codegen import cache
from tools.codegen.errors import InputError
from tools.codegen.parse import parse_schema
from tools.codegen.read import read_operators
from tools.codegen.schema import FunctionSchema
from tools.drivers.cli import main

NEW = (
    "- func: abc(Tensor self, int n=1) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: abc\n"
)


class Tree:
    """An operator file, optionally with derivatives, and the files generated from it."""

    def __init__(
        self, folder: Path, entries: list[str], derivatives: list[str] | None = None
    ) -> None:
        self.source = folder / "native_functions.yaml"
        self.out = folder / "out"
        self.entries = list(entries)
        self.derivatives = derivatives

    def run(self, *more: str) -> str:
        """Run code generation and return its output."""
        self.source.write_text("".join(self.entries), encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            arguments = ["--native-functions", str(self.source), "--tags", str(TAGS)]
            if self.derivatives is not None:
                formulas = self.source.with_name("derivatives.yaml")
                formulas.write_text("".join(self.derivatives), encoding="utf-8")
                arguments += ["--derivatives", str(formulas)]
            assert main(["generate", *arguments, "--out", str(self.out), *more]) == 0
        return printed.getvalue()

    def files(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.out)): path.read_text(encoding="utf-8")
            for path in self.out.rglob("*")
            if path.is_file() and path.name not in (STATE, cache.FILE)
        }

    def times(self) -> dict[str, int]:
        return {path: (self.out / path).stat().st_mtime_ns for path in self.files()}

    def clean(self) -> dict[str, str]:
        """Return the files of a clean run."""
        operators = read_operators("".join(self.entries), TAGS.read_text())
        if self.derivatives is None:
            return dict(files_of(operators))
        derivatives = load_derivatives("".join(self.derivatives), operators)
        return dict(files_of(operators, derivatives=derivatives))

    def written_by(self, change: Callable[[], None]) -> set[str]:
        """Return the files that a run after `change` writes or deletes."""
        before = self.times()
        change()
        self.run()
        assert self.files() == self.clean()
        return {path for path, _ in before.items() ^ self.times().items()}

    def replace(self, start: str, old: str, new: str) -> None:
        """Edit the entry that starts with `start`."""
        (at,) = [i for i, entry in enumerate(self.entries) if entry.startswith(f"- func: {start}(")]
        assert old in self.entries[at]
        self.entries[at] = self.entries[at].replace(old, new)


@pytest.fixture(scope="session")
def entries() -> list[str]:
    """Return some of the project's operators: every kind of entry, and all entries of each name."""
    text = NATIVE.read_text(encoding="utf-8")
    roots = ("abs", "add", "any", "zeros", "max", "clamp", "copy", "linalg_inv_ex", "view")
    chosen = re.compile(rf"- func: ({'|'.join(roots)})_?[.(]")
    pieces = re.split(r"^(?=- )", text, flags=re.MULTILINE)
    return [piece for piece in pieces if chosen.match(piece)]


@pytest.fixture(scope="session")
def derivatives() -> list[str]:
    """Return the tree's derivatives, including those of operators that are not in `entries`."""
    text = DERIVATIVES.read_text(encoding="utf-8")
    return [p for p in re.split(r"^(?=- )", text, flags=re.MULTILINE) if p.startswith("- ")]


def of_declared(derivatives: list[str], entries: list[str]) -> list[str]:
    """Return the derivatives whose operator is declared with the same schema."""
    schemas = {entry.partition("\n")[0].removeprefix("- func: ") for entry in entries}
    return [d for d in derivatives if d.partition("\n")[0].removeprefix("- name: ") in schemas]


@pytest.fixture
def tree(tmp_path: Path, entries: list[str], monkeypatch: pytest.MonkeyPatch) -> Tree:
    monkeypatch.setattr(cache, "_WORTH_WRITING", 1)
    tree = Tree(tmp_path, entries)
    tree.run()
    return tree


def test_nothing_changed_writes_nothing(tree: Tree) -> None:
    def nothing() -> None:
        os.utime(tree.source)

    assert tree.written_by(nothing) == set()


def test_second_run_does_not_read_the_operators(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tools.drivers.cli._collect_files", lambda *_: pytest.fail("generates again")
    )
    times = tree.times()
    assert "up to date" in tree.run()
    assert tree.times() == times
    assert tree.files() == tree.clean()


def test_edited_comment_formats_and_writes_nothing(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.drivers.generate.generate", lambda *_: pytest.fail("generates"))

    def add_comment() -> None:
        tree.entries[3] = "# A remark.\n\n" + tree.entries[3]

    assert tree.written_by(add_comment) == set()


def test_edited_operator_writes_only_files_that_mention_it(tree: Tree) -> None:
    def edit() -> None:
        tree.replace("abs", "abs(Tensor self)", "abs(Tensor self, *, bool checked=False)")

    before = tree.files()
    written = tree.written_by(edit)
    files = tree.files()
    assert {"aten/src/ATen/ops/abs.h", "aten/src/ATen/core/TensorMethods.inc"} <= written
    assert written <= files.keys()
    assert [path for path in written if "abs" not in before.get(path, "") + files[path]] == []


def test_removed_operator_leaves_no_files_and_no_mentions(tree: Tree) -> None:
    tree.entries.append(NEW)
    tree.run()
    assert any("abc" in Path(path).name for path in tree.files())
    written = tree.written_by(lambda: tree.entries.remove(NEW))
    assert "aten/src/ATen/ops/abc_ops.h" in written
    assert not any("abc" in path or "abc(" in text for path, text in tree.files().items())


def test_only_changed_files_are_formatted(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    formatted: list[str] = []
    add = file_manager.FileManager.add

    def spy(self: object, path: str, ingredients: str, text: Callable[[], str]) -> None:
        add(self, path, ingredients, lambda: formatted.append(path) or text())  # type: ignore

    monkeypatch.setattr(file_manager.FileManager, "add", spy)
    written = tree.written_by(lambda: tree.entries.append(NEW))
    assert written <= set(formatted)
    assert len(set(formatted) - written) <= 3, set(formatted) - written


@pytest.mark.parametrize("harm", ["edited", "deleted"])
def test_damaged_file_is_restored(tree: Tree, harm: str) -> None:
    path = "aten/src/ATen/ops/add_ops.h"

    def damage() -> None:
        (tree.out / path).write_text("mine") if harm == "edited" else (tree.out / path).unlink()

    assert tree.written_by(damage) == {path}


def with_another_format(data: bytes) -> bytes:
    """Return a record of another version, with a valid checksum."""
    body = data[data.index(b'"record": ') + len(b'"record": ') : -len(b"}\n")]
    body = re.sub(rb'"format":\d+', b'"format":0', body)
    return b'{"crc": "%08x", "record": %b}\n' % (zlib.crc32(body), body)


RECORDS: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "not JSON": lambda data: b"\x00" * 100,
    "another path": lambda data: data.replace(b"ops/add.h", b"ops/odd.h"),
    "another format": with_another_format,
    "other JSON": lambda data: b'{"generate": []}',
}


@pytest.mark.parametrize("kind", RECORDS)
def test_damaged_record_gives_a_full_run(tree: Tree, kind: str) -> None:
    record = tree.out / STATE
    keep = tree.out / "mine.txt"
    keep.write_text("not generated")
    whole = record.read_bytes()
    record.write_bytes(RECORDS[kind](whole))
    assert record.read_bytes() != whole
    tree.entries = [entry for entry in tree.entries if not entry.startswith("- func: any")]
    assert tree.run().startswith("first time")
    assert {**tree.clean(), "mine.txt": "not generated"} == tree.files()
    assert "up to date" in tree.run()
    assert {**tree.clean(), "mine.txt": "not generated"} == tree.files()


MEMORIES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "not a cache": lambda data: b"\x80" * 100,
    "another generator": lambda data: data.replace(data.split(b" ")[2], b"0" * 32),
    "other values": lambda data: data.replace(b"add", b"odd"),
    "a program": lambda data: with_checksum(data, pickle.dumps((os.getcwd, {}))),
    "other types": lambda data: with_checksum(data, pickle.dumps(frozenset([1]))),
}


def with_checksum(like: bytes, body: bytes) -> bytes:
    """Return a cache file with a valid checksum."""
    generator = like.split(b" ")[2].decode()
    return b"\n".join([cache._head(generator, body), body])


@pytest.mark.parametrize("kind", MEMORIES)
def test_damaged_cache_is_ignored(tree: Tree, kind: str) -> None:
    file = tree.out / cache.FILE
    file.write_bytes(MEMORIES[kind](file.read_bytes()))

    def add() -> None:
        tree.entries.append(NEW)

    assert "aten/src/ATen/ops/abc.h" in tree.written_by(add)


def test_cached_entries_are_not_read_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def spy(text: str) -> FunctionSchema:
        read.append(text)
        return parse_schema(text)

    monkeypatch.setattr("tools.codegen.entry.parse_schema", spy)
    tree.entries.append(NEW)
    tree.run()
    assert [text.partition("(")[0] for text in read] == ["abc"]


def test_mistake_among_cached_entries_has_its_position(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    tree.entries.insert(0, "# A remark.\n")
    again = next(entry for entry in tree.entries if entry.startswith("- func: abs("))
    tree.entries.append(again)
    tree.source.write_text("".join(tree.entries), encoding="utf-8")
    arguments = ["--native-functions", str(tree.source), "--tags", str(TAGS)]
    assert main(["generate", *arguments, "--out", str(tree.out)]) == 2
    text = "".join(tree.entries)
    first, second = (
        text.count("\n", 0, m.start()) + 1 for m in re.finditer(r"- func: abs\(", text)
    )
    error = capsys.readouterr().err
    assert f':{second}:9: "abs" is already declared at line {first}' in error


def test_record_of_another_folder_is_not_trusted(tree: Tree, tmp_path: Path) -> None:
    other = Tree(tmp_path, tree.entries)
    other.out = tmp_path / "other"
    other.out.mkdir()
    (other.out / STATE).write_bytes((tree.out / STATE).read_bytes())
    other.run()
    assert other.files() == tree.files()


def test_generating_one_family_keeps_the_others(tree: Tree) -> None:
    before = tree.times()
    tree.entries.append(NEW)
    tree.run("--only", "operators")
    changed = {path for path, _ in before.items() ^ tree.times().items()}
    assert {Path(path).name.partition("_")[0] for path in changed} == {"Operators"}
    tree.run()
    assert tree.files() == tree.clean()


@pytest.mark.parametrize("stop_at", [0, 1, 7])
def test_next_run_repairs_interrupted_writing(
    tree: Tree, stop_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(1000))
    replace = os.replace

    def interrupted(*arguments: str) -> None:
        if next(calls) == stop_at:
            raise KeyboardInterrupt
        replace(*arguments)

    tree.entries.append(NEW)
    tree.replace("zeros", "CompositeExplicitAutograd: zeros", "CompositeExplicitAutograd: nulls")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            tree.run()
    tree.run()
    assert tree.files() == tree.clean()


@pytest.mark.parametrize("delay", [0.15, 0.3, 0.4])
def test_next_run_repairs_a_killed_run(tree: Tree, tmp_path: Path, delay: float) -> None:
    fresh = Tree(tmp_path / "fresh", tree.entries)
    fresh.source.parent.mkdir()
    fresh.source.write_text("".join(fresh.entries), encoding="utf-8")
    arguments = ["--native-functions", str(fresh.source), "--tags", str(TAGS)]
    command = [sys.executable, "-m", "tools.codegen", "generate", *arguments, "--out"]
    process = subprocess.Popen([*command, str(fresh.out)], cwd=ROOT, stdout=subprocess.DEVNULL)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    fresh.run()
    assert {p: t for p, t in fresh.files().items() if not p.endswith(".tmp")} == tree.files()


def edits() -> st.SearchStrategy[list[tuple[str, int, int]]]:
    kinds = st.sampled_from(sorted({**EDITS, **DERIVATIVE_EDITS}))
    return st.lists(st.tuples(kinds, st.integers(0, 10**6), st.integers(0, 10**6)), max_size=6)


def _cut(entries: list[str], one: int, other: int) -> None:
    del entries[one]


def _swap(entries: list[str], one: int, other: int) -> None:
    entries[one], entries[other] = entries[other], entries[one]


def _add_comment(entries: list[str], one: int, other: int) -> None:
    entries[one] += "# A remark.\n"


def _argument(entries: list[str], one: int, other: int) -> None:
    entries[one] = entries[one].replace("(Tensor self", f"(Tensor self, int extra_{other}=0", 1)


def _copy(entries: list[str], one: int, other: int) -> None:
    name = re.match(r"- func: (\w+)", entries[one])
    assert name is not None
    renamed = re.sub(rf"\b{name[1]}\b", f"z{other}_{name[1]}", entries[one])
    entries.insert(other, renamed)


def _kernel(entries: list[str], one: int, other: int) -> None:
    entries[one] = re.sub(r"(?m)^(    \w+: \w+)$", rf"\1_{other}", entries[one], count=1)


def _variant(entries: list[str], one: int, other: int) -> None:
    entries[one] = entries[one].replace("variants: function, method", "variants: method")


def _restore(entries: list[str], one: int, other: int) -> None:
    """Restore an operator to its original form. The test provides the implementation."""


def _formula(entries: list[str], one: int, other: int) -> None:
    entries[one] = re.sub(r"(?m)^  self: .*$", f"  self: grad * {other}", entries[one])


DERIVATIVE_EDITS = {
    "cut derivative": _cut,
    "swap derivatives": _swap,
    "comment on a derivative": _add_comment,
    "formula": _formula,
}
EDITS = {
    "cut": _cut,
    "swap": _swap,
    "comment": _add_comment,
    "argument": _argument,
    "copy": _copy,
    "kernel": _kernel,
    "variant": _variant,
    "restore": _restore,
}


@pytest.fixture(scope="module")
def edited(
    tmp_path_factory: pytest.TempPathFactory, entries: list[str], derivatives: list[str]
) -> Iterator[tuple[Tree, list[str], list[str]]]:
    known = of_declared(derivatives, entries)
    tree = Tree(tmp_path_factory.mktemp("edited"), entries, known)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "_WORTH_WRITING", 1)
        tree.run()
        yield tree, entries, known


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(several=edits())
def test_incremental_output_equals_clean_output(
    edited: tuple[Tree, list[str], list[str]], several: list[tuple[str, int, int]]
) -> None:
    tree, *originals = edited
    assert tree.derivatives is not None
    for kind, one, other in several:
        lists = originals if kind == "restore" else (tree.entries, tree.derivatives)
        operators, formulas = map(list, lists)
        changed = formulas if kind in DERIVATIVE_EDITS else operators
        if changed:
            edit = DERIVATIVE_EDITS.get(kind) or EDITS[kind]
            edit(changed, one % len(changed), other % len(changed))
        formulas = of_declared(formulas, operators)
        try:
            declared = read_operators("".join(operators), TAGS.read_text())
            load_derivatives("".join(formulas), declared)
        except InputError:
            continue  # invalid inputs are covered by test_mutations
        tree.entries, tree.derivatives = operators, formulas
    times, before = tree.times(), tree.files()
    tree.run()
    after = tree.files()
    assert after == tree.clean()
    kept = {path for path in before if after.get(path) == before[path]}
    assert {path: tree.times()[path] for path in kept} == {path: times[path] for path in kept}
