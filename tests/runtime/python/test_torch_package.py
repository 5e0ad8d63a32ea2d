"""torch.package: objects travel with their code, in archives that PyTorch reads and writes, too."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import textwrap
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import torch
from torch.package import (
    EmptyMatchError,
    GlobGroup,
    PackageExporter,
    PackageImporter,
    PackagingError,
    is_from_package,
    sys_importer,
)

PEER = os.environ.get("TORCH_PEER")

SOURCES = {
    "demo_models/__init__.py": "from .net import Net\nfrom demo_helpers import scale\n",
    "demo_models/net.py": """
        import math
        import torch
        from torch import nn
        from . import sizes
        import demo_helpers as helpers

        class Net(nn.Module):
            class Options:
                width = 3
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(sizes.INPUTS, 3)
                self.register_buffer("shifted", self.fc.weight.detach()[1:])
            def forward(self, x):
                return helpers.scale(self.fc(x)) * math.pi
        """,
    "demo_models/sizes.py": "INPUTS = 2\n",
    "demo_helpers.py": "import demo_logging\n\ndef scale(x):\n    return 2 * x\n",
    "demo_logging.py": "class Logger:\n    pass\n",
    "demo_broken.py": "import not_installed_anywhere\n",
}


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    for name, source in SOURCES.items():
        path = tmp_path / "sources" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
    monkeypatch.syspath_prepend(str(tmp_path / "sources"))
    yield importlib.import_module("demo_models")
    for name in [name for name in sys.modules if name.startswith("demo_")]:
        del sys.modules[name]


def export(models: ModuleType, path: Path, protocol: int = 3) -> torch.nn.Module:
    torch.manual_seed(0)
    net = models.Net()
    with PackageExporter(path) as exporter:
        exporter.intern(["demo_models.**", "demo_helpers"])
        exporter.mock("demo_logging")
        exporter.save_pickle("model", "net.pkl", net, pickle_protocol=protocol)
        exporter.save_pickle("model", "options.pkl", net.Options, pickle_protocol=protocol)
        exporter.save_text("model.notes", "a.txt", "größer")
        exporter.save_binary("model", "b.bin", b"\0\1")
        assert exporter.interned_modules() == [
            *("demo_models.net", "demo_models", "demo_helpers", "demo_models.sizes")
        ] or set(exporter.interned_modules()) == {
            *("demo_models.net", "demo_models", "demo_helpers", "demo_models.sizes")
        }
        assert exporter.mocked_modules() == ["demo_logging"]
        assert {"math", "torch", "torch.nn"} <= set(exporter.externed_modules())
    return net


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_a_model_runs_from_its_package_without_its_modules(
    models: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: int
) -> None:
    net = export(models, tmp_path / "net.pt", protocol)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if not p.endswith("sources")])
    for name in [name for name in sys.modules if name.startswith("demo_")]:
        monkeypatch.delitem(sys.modules, name)
    package = PackageImporter(tmp_path / "net.pt")
    loaded = package.load_pickle("model", "net.pkl")
    x = torch.ones(4, 2)
    assert torch.equal(loaded(x), net(x))
    assert (
        loaded.shifted.untyped_storage().data_ptr() == loaded.fc.weight.untyped_storage().data_ptr()
    )
    assert package.load_pickle("model", "options.pkl").width == 3
    assert package.load_text("model.notes", "a.txt") == "größer"
    assert package.load_binary("model", "b.bin") == b"\0\1"
    assert type(loaded).__module__ == f"{package.id()}.demo_models.net"
    assert is_from_package(loaded) and not is_from_package(net)
    assert package.import_module("demo_models").scale(3) == 6
    assert "demo_models" not in sys.modules


def test_two_packages_do_not_share_modules(models: ModuleType, tmp_path: Path) -> None:
    export(models, tmp_path / "net.pt")
    first, second = PackageImporter(tmp_path / "net.pt"), PackageImporter(tmp_path / "net.pt")
    assert first.import_module("demo_models.net") is first.import_module("demo_models.net")
    assert first.import_module("demo_models.net") is not second.import_module("demo_models.net")
    assert first.import_module("torch.nn") is torch.nn


def test_an_object_of_a_package_is_packaged_again(models: ModuleType, tmp_path: Path) -> None:
    net = export(models, tmp_path / "net.pt")
    package = PackageImporter(tmp_path / "net.pt")
    loaded = package.load_pickle("model", "net.pkl")
    with pytest.raises(pickle.PicklingError, match=r"from the package <torch_package_\d+>"):
        PackageExporter(tmp_path / "again.pt").save_pickle("model", "net.pkl", loaded)
    with PackageExporter(tmp_path / "again.pt", importer=(package, sys_importer)) as exporter:
        exporter.mock("demo_logging")
        exporter.intern(["demo_*", "demo_models.**"])
        exporter.save_pickle("model", "net.pkl", loaded)
    again = PackageImporter(tmp_path / "again.pt").load_pickle("model", "net.pkl")
    assert torch.equal(again(torch.ones(2)), net(torch.ones(2)))


def test_a_mocked_module_can_be_imported_but_not_used(models: ModuleType, tmp_path: Path) -> None:
    export(models, tmp_path / "net.pt")
    logging = PackageImporter(tmp_path / "net.pt").import_module("demo_logging")
    assert repr(logging.Logger).endswith(".demo_logging.Logger>")
    with pytest.raises(NotImplementedError, match=r"Logger was mocked .* but it is called"):
        logging.Logger()


def test_errors_of_the_code_are_the_code_s_own(models: ModuleType, tmp_path: Path) -> None:
    with PackageExporter(tmp_path / "e.pt") as exporter:
        exporter.save_source_string("failing", "def f():\n    return 1 / 0\n")
        exporter.save_source_string("importing", "import failing.no\n", dependencies=False)
    package = PackageImporter(tmp_path / "e.pt")
    with pytest.raises(ZeroDivisionError) as raised:
        package.import_module("failing").f()
    assert "return 1 / 0" in str(raised.getrepr(style="native"))
    with pytest.raises(ModuleNotFoundError, match=r'"failing\.no"'):
        package.import_module("importing")


def exporting(path: Path, *rules: str) -> None:
    with PackageExporter(path, debug=True) as exporter:
        for rule in rules:
            exec(f"exporter.{rule}", {"exporter": exporter})


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        (["add_dependency('demo_models')"], PackagingError, "Extern, mock, or intern it"),
        (
            ["deny('demo_*')", "add_dependency('demo_models')"],
            PackagingError,
            "denied by a pattern",
        ),
        (["save_module('not_there')"], ModuleNotFoundError, "No module named 'not_there'"),
        (["save_module('demo_broken')"], ModuleNotFoundError, "No module named 'not_installed"),
        (["save_source_string('a', 'import demo_models')"], PackagingError, "Imported by: a"),
        (["save_module('numpy._core._multiarray_umath')"], PackagingError, "C extension module"),
        (["save_source_string('a', 'def')"], PackagingError, "resolution failed"),
        (["intern('demo_x', allow_empty=False)"], EmptyMatchError, "allow_empty=False"),
        (["save_module(3)"], TypeError, "expects a string"),
        (["save_text('a', 'b/c', '')"], ValueError, "without folders"),
        (["save_text('a', 'b', '')"] * 2, ValueError, "already has a file a/b"),
        (["save_pickle('a', 'b', lambda: 0)"], pickle.PicklingError, "was not found"),
        (["get_rdeps('math')"], ValueError, "does not need"),
        (["all_paths('a', 'b')"], ValueError, "not in the digraph"),
    ],
)
def test_what_cannot_be_packaged_is_named(
    models: ModuleType, tmp_path: Path, rules: list[str], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        exporting(tmp_path / "x.pt", *rules)


def test_a_package_is_asked_for_what_it_has(models: ModuleType, tmp_path: Path) -> None:
    export(models, tmp_path / "net.pt")
    package = PackageImporter(tmp_path / "net.pt")
    tree = package.file_structure(include="**/*.py")
    assert tree.has_file("demo_models/net.py") and not tree.has_file("model")
    assert str(tree).splitlines() == [
        "─── net.pt",
        "    ├── demo_models",
        "    │   ├── __init__.py",
        "    │   ├── net.py",
        "    │   └── sizes.py",
        "    ├── _mock.py",
        "    ├── demo_helpers.py",
        "    └── demo_logging.py",
    ]
    assert package.python_version() == ".".join(map(str, sys.version_info[:3]))
    for call in (
        lambda: package.import_module("os"),
        lambda: package.load_binary("nothing", "a"),
    ):
        with pytest.raises(ModuleNotFoundError, match="self-contained archive"):
            call()
    with pytest.raises(RuntimeError, match=r"model/zzz"):
        package.load_binary("model", "zzz")
    with pytest.raises(ImportError, match="'math' but that module has been disallowed"):
        PackageImporter(tmp_path / "net.pt", module_allowed=lambda name: name != "math")
    with pytest.raises(RuntimeError, match="zip archive"):
        PackageImporter(Path(__file__))


def test_the_graph_tells_why_a_module_is_there(models: ModuleType, tmp_path: Path) -> None:
    with PackageExporter(tmp_path / "g.pt") as exporter:
        seen: list[str] = []
        handle = exporter.register_intern_hook(lambda _, name: seen.append(name))
        exporter.register_extern_hook(lambda _, name: seen.append(name)).remove()
        exporter.intern(["demo_*", "demo_models.**"])
        exporter.save_module("demo_models.net")
        assert exporter.get_rdeps("demo_logging") == ["demo_helpers"]
        dot = exporter.all_paths("demo_models.net", "demo_logging")
        assert '"demo_models.net" -> "demo_helpers";' in dot
        assert '"demo_helpers" -> "demo_logging";' in dot and "math" not in dot
        assert handle.id is not None
        ids = [exporter.get_unique_id() for _ in range(2)]
    assert ids == ["0", "1"]
    assert sorted(seen) == sorted(exporter.interned_modules())


def test_folders_of_sources_become_packages(models: ModuleType, tmp_path: Path) -> None:
    with PackageExporter(tmp_path / "f.pt") as exporter:
        exporter.extern("demo_helpers")
        exporter.save_source_file("renamed", str(tmp_path / "sources" / "demo_models"))
    package = PackageImporter(tmp_path / "f.pt")
    assert package.import_module("renamed.net").sizes.INPUTS == 2
    assert package.import_module(".sizes", "renamed").INPUTS == 2


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("a.**", "a", True),
        ("a.**", "a.b.c", True),
        ("a.*", "a.b", True),
        ("a.*", "a.b.c", False),
        ("**", "x", True),
        ("**.c", "a.b.c", True),
        ("a.**.c", "a.c", True),
        ("a*", "abc", True),
        ("a*", "a.b", False),
    ],
)
def test_patterns(pattern: str, name: str, matches: bool) -> None:
    assert GlobGroup(pattern).matches(name) == matches
    assert not GlobGroup(pattern, exclude=["x.y", name]).matches(name)


def test_two_stars_are_a_part() -> None:
    with pytest.raises(ValueError, match="entire path segment"):
        GlobGroup("a**")


@pytest.mark.peer
@pytest.mark.skipif(not PEER, reason="set TORCH_PEER to a Python that has torch==2.13.0")
def test_pytorch_reads_our_packages_and_we_read_its(models: ModuleType, tmp_path: Path) -> None:
    assert PEER
    net = export(models, tmp_path / "ours.pt")
    program = """
        import sys, torch
        from torch.package import PackageExporter, PackageImporter, sys_importer
        package = PackageImporter("ours.pt")
        net = package.load_pickle("model", "net.pkl")
        torch.save(net(torch.ones(2)), "answer.pt")
        with PackageExporter("theirs.pt", importer=(package, sys_importer)) as exporter:
            exporter.mock("demo_logging")
            exporter.intern(["demo_models.**", "demo_helpers"])
            exporter.save_pickle("model", "net.pkl", net)
            exporter.save_text("model", "a.txt", package.load_text("model.notes", "a.txt"))
        """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    command = [PEER, "-W", "ignore", "-c", textwrap.dedent(program)]
    subprocess.run(command, check=True, cwd=tmp_path, env=environment)
    expected = net(torch.ones(2)).detach()
    assert torch.allclose(torch.load(tmp_path / "answer.pt").detach(), expected)
    package = PackageImporter(tmp_path / "theirs.pt")
    assert torch.equal(package.load_pickle("model", "net.pkl")(torch.ones(2)).detach(), expected)
    assert package.load_text("model", "a.txt") == "größer"
    assert "theirs/.data/version" in zipfile.ZipFile(tmp_path / "theirs.pt").namelist()
