"""torch.package: imports that are found, packages in folders, resources, and modules of torch.fx."""

from __future__ import annotations

import importlib.resources
import inspect
import io
import json
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import torch
from torch import fx, nn
from torch.package import PackageExporter, PackageImporter, PackagingError, analyze
from torch.package.find_file_dependencies import find_files_source_depends_on


@pytest.fixture
def shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Yield an imported package of two modules."""
    folder = tmp_path / "shapes_demo"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "__import__('inner', globals(), fromlist=['AREA'], level=1)\n"
        "def double(x):\n    return 2 * x\n\n\nclass Shape:\n    sides = 4\n"
    )
    (folder / "inner.py").write_text("AREA = 9\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__("shapes_demo")
    for name in ("shapes_demo", "shapes_demo.inner"):
        sys.modules.pop(name, None)


def packaged(path: Any, source: str = "", objects: dict[str, Any] | None = None) -> Any:
    """Write a package with a module `main` and objects, and return where it is."""
    with PackageExporter(path) as exporter:
        exporter.intern("**")
        exporter.save_source_string("main", source)
        exporter.save_text("notes", "a.txt", "hello")
        for name, value in (objects or {}).items():
            exporter.save_pickle("objects", name, value)
    return path


def test_imports_are_pairs_of_modules_and_names() -> None:
    source = """
import a.b
from c import d as e, f
from . import g
from .h import *
__import__("z", level=1)
__import__("y", fromlist=["q"])
__import__(unknown, "things", more, names)
"""
    assert find_files_source_depends_on(source, "pa.pb") == [
        ("a.b", None),
        ("c", "d"),
        ("c", "f"),
        ("pa.pb", "g"),
        ("pa.pb.h", None),
        ("pa.pb.z", None),
        ("y", "q"),
    ]


def test_modules_that_do_not_exist_are_not_needed() -> None:
    with PackageExporter(io.BytesIO()) as exporter:
        exporter.save_source_string("main", "try:\n    import missing_demo\nexcept: pass")
    assert exporter.interned_modules() == ["main"]
    with (
        pytest.raises(ModuleNotFoundError, match="missing_demo"),
        PackageExporter(io.BytesIO()) as exporter,
    ):
        exporter.save_module("missing_demo")


def test_parents_that_no_pattern_matches_are_empty_packages(shapes: Any) -> None:
    file = io.BytesIO()
    with PackageExporter(file) as exporter:
        exporter.extern("shapes_demo.inner")
        exporter.save_source_string("main", "import shapes_demo.inner, os.path")
    importer = PackageImporter(file)
    main = importer.import_module("main")
    assert main.shapes_demo is not shapes and main.shapes_demo.inner is shapes.inner
    assert main.os is os


def test_problems_with_imports_and_mocks_are_reported(shapes: Any) -> None:
    for build, message in (
        (lambda e: e.save_source_string("main", "from .... import x"), "beyond top-level package"),
        (
            lambda e: e.save_pickle("o", "o.pkl", shapes.Shape()),
            "mocked out, but is still being used",
        ),
    ):
        with (
            pytest.raises(PackagingError, match=message),
            PackageExporter(io.BytesIO()) as exporter,
        ):
            exporter.mock("shapes_demo")
            build(exporter)  # type: ignore[no-untyped-call]


def test_relative_imports_by_function_are_followed(shapes: Any) -> None:
    with PackageExporter(io.BytesIO()) as exporter:
        exporter.intern("**")
        exporter.save_module("shapes_demo")
    assert exporter.interned_modules() == ["shapes_demo", "shapes_demo.inner"]


def test_code_reaches_its_package_and_resources() -> None:
    source = "import importlib.resources, torch_package_importer, notes\n"
    source += "text = torch_package_importer.load_text('notes', 'a.txt')\n"
    source += "same = importlib.resources.files(notes).joinpath('a.txt').read_text()\n"
    importer = PackageImporter(packaged(io.BytesIO(), source))
    main = importer.import_module("main")
    assert (main.text, main.same) == ("hello", "hello")
    reader = importer.get_resource_reader("notes")
    assert reader is not None
    assert list(reader.contents()) == ["a.txt"] and reader.is_resource("a.txt")
    assert importer.get_resource_reader("nothing") is None
    for call in (reader.resource_path, reader.open_resource):
        with pytest.raises(FileNotFoundError):
            call("b.txt")


def test_a_package_may_be_unpacked_to_a_folder(shapes: Any, tmp_path: Path) -> None:
    value = {"tensor": torch.arange(3), "class": shapes.Shape}
    path = packaged(tmp_path / "demo.pt", "import notes", {"o.pkl": value})
    zipfile.ZipFile(path).extractall(tmp_path / "unpacked")
    importer = PackageImporter(str(tmp_path / "unpacked" / "demo"))
    loaded = importer.load_pickle("objects", "o.pkl")
    assert loaded["tensor"].tolist() == [0, 1, 2] and loaded["class"].sides == 4
    notes = importer.import_module("main").notes
    assert importlib.resources.files(notes).joinpath("a.txt").read_text() == "hello"
    reader = importer.get_resource_reader("notes")
    assert reader is not None and Path(reader.resource_path("a.txt")).read_text() == "hello"
    assert importer.zip_reader.has_record("shapes_demo/inner.py")


def test_inspect_finds_the_source_of_classes(shapes: Any) -> None:
    importer = PackageImporter(packaged(io.BytesIO(), objects={"o.pkl": shapes.Shape}))
    shape = importer.import_module("shapes_demo").Shape
    assert inspect.getsource(shape) == "class Shape:\n    sides = 4\n"
    assert inspect.getfile(shape).endswith(">.shapes_demo/__init__.py")
    assert inspect.getfile(PackageImporter) == sys.modules[PackageImporter.__module__].__file__


def test_graph_modules_are_packaged_as_code(shapes: Any) -> None:
    root, x = nn.Module(), torch.randn(2)
    root.linear = nn.Linear(2, 2)
    graph = fx.Graph()
    product = graph.call_module("linear", (graph.placeholder("x"),))
    graph.output(graph.call_function(shapes.double, (product,)))
    traced = fx.GraphModule(root, graph, "Doubled")
    file = packaged(io.BytesIO(), objects={"both.pkl": [traced, traced]})
    importer = PackageImporter(file)
    first, second = importer.load_pickle("objects", "both.pkl")
    assert first is second and type(first).__name__ == "Doubled"
    assert torch.equal(first(x), 2 * root.linear(x))
    assert importer.import_module("shapes_demo") is not shapes
    assert importer.zip_reader.has_record("fx-generated/_0.py")


def test_modules_that_a_program_uses() -> None:
    assert "json.encoder" in analyze.trace_dependencies(json.dumps, [([1],), ({},)])
    assert sys.getprofile() is None


def test_how_broken_modules_are_reached(shapes: Any) -> None:
    with pytest.raises(PackagingError) as raised, PackageExporter(io.BytesIO()) as exporter:
        exporter.save_source_string("one", "import shapes_demo")
        exporter.save_source_string("two", "import one")
    found = analyze.find_first_use_of_broken_modules(raised.value)
    assert found == {"shapes_demo": ["two", "one", "shapes_demo"]}
    with pytest.raises(AssertionError, match="must be a PackagingError, got int"):
        analyze.find_first_use_of_broken_modules(3)  # type: ignore[arg-type]
