"""The stage kernels: the sources of a selective build, with only the kernels of its operators."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tools.autograd.model import Derivatives
from tools.base.globs import find_files
from tools.code_analyzer.gen_selected_dtypes_header import DIRECTORY, HEADER, header_text
from tools.code_analyzer.groups import GroupedFile, groups_of
from tools.code_analyzer.source_graph import SourceGraph, reduced, without_dtypes, words
from tools.codegen.emit.register import registrations
from tools.codegen.functional import called_by_replays
from tools.codegen.model import Operators
from tools.codegen.selection import Selection
from tools.drivers.context import Context, inputs, selected

_KERNELS = ("aten/src/ATen/native/*.cpp", "aten/src/ATen/native/cpu/*.cpp")
_FORMULAS = ("torch/csrc/autograd/FunctionsManual*.cpp",)
_AUTOCAST = ("aten/src/ATen/Autocast*.cpp",)
_HEADERS = ("aten/src/ATen/native/**/*.h",)
_MACROS = "aten/src/ATen/TensorMeta.h"
_OTHERS = (
    "aten/src/ATen/**/*.cpp", "aten/src/ATen/**/*.h", "torch/csrc/**/*.cpp", "torch/csrc/**/*.h",
    "torch/library.h", "c10/**/*.cpp",
)  # fmt: skip
_NOT_OTHERS = (
    *_KERNELS, *_FORMULAS, *_AUTOCAST, *_HEADERS, "aten/src/ATen/cuda/**", "aten/src/ATen/native/cuda/**",
    "aten/src/ATen/templates/**", "c10/cuda/**", "torch/csrc/cuda/**", "**/test/**",
)  # fmt: skip
_TEMPLATES = ("aten/src/ATen/templates/*", "tools/autograd/templates/*")
_GROUP_SIZE = 60_000
_CALL = re.compile(r"\b(\w+)\s*(?:\(|::call\b|::redispatch\b|::entry\b)|(?<=\bat::)\w+")
_PASTING = re.compile(r"#\s*define\b(?:[^\n]|\\\n)*_ops::")
_COMPLETED = ("copy_to_out", "copy_argument")
"""What generated kernels call."""
_ROW = re.compile(r"^ *[A-Z]+\((\w+)\),", re.MULTILINE)
"""An operator in the lists of autocast."""
_MARKS = ("native::", "ATen/native/", "namespace native", "FunctionsManual")
"""Texts of the files that use kernels, or functions of formulas, without the dispatcher."""


@dataclass(frozen=True)
class SelectedSources:
    """The sources of a selective build."""

    files: Mapping[str, str]
    """Texts by place, relative to the build directory."""
    groups: Sequence[Sequence[str]]
    """Sources that are compiled together."""
    called: frozenset[str]
    """The names of the functions that all sources call."""


def selected_sources(
    root: Path, model: Operators, derivatives: Derivatives, selection: Selection
) -> SelectedSources:
    """Return the kernels that the selected operators need, reduced to the selected dtypes."""
    others, headers = _others(root), _headers(root)
    graph = source_graph(root)
    formulas = _used_by_formulas(derivatives, selection)
    needed = graph.needed({*kernel_names(model, selection), *formulas})
    dtypes = selection.built_dtypes
    files = {}
    for file in graph.sources:
        if file.name in needed:
            text = reduced(file, needed[file.name])
            files[_place(file.name)] = _text(file.name, without_dtypes(text, dtypes))
    built = {f.unambiguous for f in model.functions if selection.has(f)}
    for name, text in _read(root, _AUTOCAST).items():
        kept = _ROW.sub(lambda row: row[0] if row[1] in built else "", text)
        if _ROW.search(kept):
            files[_place(name)] = _text(name, kept)
    grouped = _groups(files, lambda name: "/cpu/" in name)
    grouped += _groups(files, lambda name: "/cpu/" not in name)
    grouped += _groups(others, lambda name: name.endswith(".cpp"))
    texts = [*files.values(), *headers.values(), *others.values()]
    texts += _read(root, _TEMPLATES).values()
    called = frozenset[str]().union(formulas, *map(_calls, texts))
    for file in graph.headers:
        text = without_dtypes(file.text, dtypes)
        if file.name != _MACROS and text != file.text:
            files[_place(file.name)] = _text(file.name, text)
    return SelectedSources(files, grouped, called)


def source_graph(root: Path) -> SourceGraph:
    """Return the graph of the checkout's kernels and of the functions of autograd's formulas."""
    others = _others(root).values()
    using = (text for text in others if any(mark in text for mark in _MARKS))
    return SourceGraph.of(_read(root, (*_KERNELS, *_FORMULAS)), _headers(root), using)


def _others(root: Path) -> Mapping[str, str]:
    return _read(root, _OTHERS, _NOT_OTHERS)


def _headers(root: Path) -> Mapping[str, str]:
    return _read(root, (*_HEADERS, _MACROS), ("aten/src/ATen/native/cuda/**",))


def _read(root: Path, patterns: Iterable[str], excluded: Iterable[str] = ()) -> Mapping[str, str]:
    found = find_files(root, patterns, excluded)
    return {name: (root / name).read_text(encoding="utf-8") for name in found}


def _groups(texts: Mapping[str, str], chosen: Callable[[str], bool]) -> list[list[str]]:
    files = (GroupedFile.of(name, texts[name]) for name in texts if chosen(name))
    return groups_of(files, _GROUP_SIZE)


def _calls(text: str) -> frozenset[str]:
    """Return the names of the functions that a text calls, perhaps by pasting names together."""
    return (
        words(text)
        if _PASTING.search(text)
        else frozenset(match[1] or match[0] for match in _CALL.finditer(text))
    )


def kernel_names(model: Operators, selection: Selection) -> Iterator[str]:
    """Return the names by which the registrations of the operators call kernels."""
    for key, rows in registrations(model).items():
        for row in rows:
            if key == "CUDA" or not selection.has(row.function):
                continue
            if row.function.completed_from is not None:
                yield from _COMPLETED
            if row.kernel is not None:
                yield from (row.kernel.name, f"structured_{row.kernel.name}")
            group = model.group_of.get(row.function.full_name)
            if group is not None:
                yield group.meta_name


def _used_by_formulas(derivatives: Derivatives, selection: Selection) -> Iterator[str]:
    for node in derivatives.restricted(selection.trains).nodes:
        for derivative in node.derivatives:
            yield from words(derivative.formula)
        for forward in node.forward_derivatives:
            yield from words(forward.formula)


def _text(name: str, text: str) -> str:
    head = f"// @generated by tools.drivers.kernels from {name} for SELECTED_OP_LIST\n"
    return f'{head}#include <{HEADER}>\n#line 1 "{name}"\n{text}'


def _place(name: str) -> str:
    """Return where a file's copy lies, so that the same #include finds it."""
    return f"{DIRECTORY}/{name.removeprefix('aten/src/')}"


def _groups_text(groups: Sequence[Sequence[str]]) -> str:
    lines = ["# @generated by tools.drivers.kernels: sources that are compiled together\n"]
    for files in groups:
        if len(files) > 1:  # named for the first, so that other groups keep their objects
            name = re.sub(r"\W", "_", files[0].partition(".")[0])
            lines.append(f"set_source_files_properties(\n  {_paths(files)}\n")
            lines.append(f"  PROPERTIES UNITY_GROUP {name})\n")
    return "".join(lines)


def _paths(files: Sequence[str]) -> str:
    folders = {True: "${CMAKE_BINARY_DIR}", False: "${CMAKE_SOURCE_DIR}"}
    return "\n  ".join(f'"{folders[file.startswith(DIRECTORY)]}/{file}"' for file in files)


def _sources(context: Context, selection: Selection) -> SelectedSources:
    """Return the sources, computed once per run."""
    sources = context.shared.get("selected sources")
    if not isinstance(sources, SelectedSources):
        built = inputs(context)
        assert built.derivatives is not None  # the tree always has the file
        sources = selected_sources(context.root, built.operators, built.derivatives, selection)
        context.shared["selected sources"] = sources
    return sources


def selected_with_calls(context: Context) -> Selection | None:
    """Return the operators of a selective build, and the functions that its sources call.

    Those sources include the generated classes of views.
    """
    selection = selected(context)
    if selection is None:
        return None
    called = _sources(context, selection).called
    return selection.with_calls({*called, *called_by_replays(inputs(context).operators)})


def stage(context: Context) -> None:
    """Generate the sources of a selective build, under selected/."""
    selection = selected(context)
    if selection is None:
        return  # the build compiles the sources themselves
    sources = _sources(context, selection)
    texts = {
        **sources.files,
        f"{DIRECTORY}/{HEADER}": header_text(selection),
        f"{DIRECTORY}/groups.cmake": _groups_text(sources.groups),
    }
    for name, text in texts.items():
        context.files.add(name, text, partial(str, text))
