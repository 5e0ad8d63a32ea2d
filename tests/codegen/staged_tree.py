"""A checkout with a few of the tree's operators, whose files the build's own stages generate."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from operator_files import DEPRECATED, DERIVATIVES, DOCS, NATIVE, ROOT, TAGS

from tools.setup_helpers.code_generation.stage_runner import run_stages
from tools.setup_helpers.table.config_reader import load

STAGES = ("aten", "autograd", "python", "jit", "pyi")
_LINKED = ("c10", "torch", "aten/src/ATen/core", "tools/codegen", "tools/jit", "tools/pyi")
_COPIED = ("aten/src/ATen/templates", "tools/autograd/templates")
_RECORDS = ("codegen.json", "generated_sources.cmake")
_ROOTS = (
    "abs",
    "add",
    "addcmul",
    "any",
    "zeros",
    "max",
    "clamp",
    "copy",
    "exp",
    "mul",
    "neg",
    "sum",
    "view",
)
_CALLED = ("reshape", "expand", "value_selecting_reduction_backward")
"""Operators that the derivatives of these operators call."""


@dataclass(frozen=True)
class Edited:
    """The effect on the files of a run after an edit."""

    written: frozenset[str]
    deleted: frozenset[str]
    ran: frozenset[str]
    """The stages that were not up to date."""
    before: Mapping[str, str]
    after: Mapping[str, str]

    def only_mentions(self, *words: str) -> bool:
        """Return whether every changed file has, or had, one of the words in its path or text."""
        word = re.compile("|".join(words))
        texts = {p: p + self.before.get(p, "") + self.after.get(p, "") for p in self.changed}
        return all(word.search(text) for text in texts.values())

    @property
    def changed(self) -> frozenset[str]:
        return self.written | self.deleted


class StagedTree:
    """A checkout with its own YAML files and templates, and the files generated from it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.build = root / "build"
        headers = (path.relative_to(ROOT) for path in ROOT.glob("aten/src/ATen/*.h"))
        for linked in (*map(Path, _LINKED), *headers):
            (root / linked).parent.mkdir(parents=True, exist_ok=True)
            (root / linked).symlink_to(ROOT / linked)
        for folder in _COPIED:
            shutil.copytree(ROOT / folder, root / folder)
        for source in ROOT.glob("tools/autograd/*.py"):
            shutil.copy(source, root / "tools/autograd")
        for source in (ROOT / "build_config.toml", ROOT / "version.txt", NATIVE, TAGS):
            self._copy(source)
        for source in (DERIVATIVES, DEPRECATED, DOCS):
            self._copy(source)
        self._keep_some()
        config = load(root)
        rows = tuple(stage for stage in config.stages if stage.name in STAGES)
        self.config = replace(config, stages=rows)

    def _copy(self, source: Path) -> None:
        copy = self.root / source.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)

    def _keep_some(self) -> None:
        """Keep only the operators of a few names, and their entries in the other files."""
        wanted = re.compile(rf"- func: (?:{'|'.join(_ROOTS + _CALLED)})_?[.(]")
        native = [entry for entry in entries(NATIVE) if wanted.match(entry)]
        schemas = {entry.partition("\n")[0].removeprefix("- func: ") for entry in native}
        self.write(NATIVE, "".join(native))
        declared = (d for d in entries(DERIVATIVES) if _name(d) in schemas)
        self.write(DERIVATIVES, "".join(declared))
        documented = re.compile(rf"- (?:{'|'.join(_ROOTS + _CALLED)})_?:")
        self.write(DOCS, "".join(d for d in entries(DOCS) if documented.match(d)))
        old = re.compile(r"- name: (?:add|addcmul)_?\(")
        self.write(DEPRECATED, "".join(d for d in entries(DEPRECATED) if old.match(d)))

    def path(self, file: Path) -> Path:
        """Return this tree's copy of one of the checkout's files."""
        return self.root / file.relative_to(ROOT)

    def read(self, file: Path) -> str:
        return self.path(file).read_text(encoding="utf-8")

    def write(self, file: Path, text: str) -> None:
        self.path(file).write_text(text, encoding="utf-8")

    def substitute(self, file: Path, pattern: str, text: str, count: int = 0) -> None:
        """Replace matches of a regular expression; there must be at least one."""
        edited, found = re.subn(pattern, text, self.read(file), count=count, flags=re.MULTILINE)
        assert found, f"{pattern} is not in {file.name}"
        self.write(file, edited)

    def run(self, build: Path | None = None) -> frozenset[str]:
        """Generate, and return the stages that ran."""
        results = run_stages(self.config, {"BUILD_PYTHON": True}, {}, build or self.build)
        return frozenset(result.name for result in results if result.reason)

    def files(self, build: Path | None = None) -> Mapping[str, str]:
        folder = build or self.build
        return {
            str(path.relative_to(folder)): path.read_text(encoding="utf-8")
            for path in folder.rglob("*")
            if path.is_file() and path.name not in _RECORDS
        }

    def after(self, edit: Callable[[StagedTree], None]) -> Edited:
        """Edit and generate; the files must equal a clean run's, and no others may be touched."""
        before, texts = self._times(), self.files()
        edit(self)
        ran = self.run()
        after, now = self._times(), self.files()
        clean = self.root / "clean"
        self.run(clean)
        assert now == self.files(clean)
        shutil.rmtree(clean)
        written = frozenset(path for path, time in after.items() if before.get(path) != time)
        rewritten = sorted(path for path in written if texts.get(path) == now[path])
        assert not rewritten, f"written with the bytes they had: {rewritten}"
        return Edited(written, frozenset(before.keys() - after.keys()), ran, texts, now)

    def _times(self) -> dict[str, int]:
        return {path: (self.build / path).stat().st_mtime_ns for path in self.files()}


def entries(file: Path) -> list[str]:
    """Return the entries of a YAML file, each with the text up to the next entry."""
    pieces = re.split(r"^(?=- )", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [piece for piece in pieces if piece.startswith("- ")]


def _name(derivative: str) -> str:
    return derivative.partition("\n")[0].removeprefix("- name: ")
