"""The stubs of names that packages get at run time follow the packages' tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from operator_files import ROOT

from tools.base.globs import find_files
from tools.codegen.names import PYTHON_MODULES
from tools.pyi.late_names import SOURCES, late_names
from tools.pyi.python_source import Package, PythonSource
from tools.setup_helpers.table.config_reader import load


def test_every_file_read_is_an_input_of_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[str] = set()
    text_of = Path.read_text

    def read_text(path: Path, encoding: str | None = None) -> str:
        read.add(str(path.relative_to(ROOT)))
        return text_of(path, encoding=encoding)

    monkeypatch.setattr(Path, "read_text", read_text)
    late_names(Package(ROOT), dict.fromkeys((None, *PYTHON_MODULES), ()))
    assert len(read) > 20
    assert read <= set(find_files(ROOT, SOURCES))
    (stage,) = (stage for stage in load(ROOT).stages if stage.name == "pyi")
    assert set(SOURCES) <= set(stage.inputs)


def test_tables_are_evaluated_without_the_rest_of_the_module(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        "import missing\n\n_PARTS = ('a', 'b')\n\n"
        "def _twice(names):\n    return {name: name * 2 for name in names}\n\n"
        "TABLE: missing.Table = {**_twice(_PARTS), **dict.fromkeys(given, 'c')}\n"
        "missing.run(TABLE)\n"
    )
    table = PythonSource(path).value("TABLE", given=("x",))
    assert table == {"a": "aa", "b": "bb", "x": "c"}


def test_only_what_a_table_says_need_be_known(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("from torch import _C\n\nTABLE = {'a': _C.int8}\nNAMES = tuple(TABLE)\n")
    assert PythonSource(path).value("NAMES") == ("a",)
    with pytest.raises(LookupError, match=r"module\.py has no table HOMES"):
        PythonSource(path).value("HOMES")


def test_second_names_need_the_first() -> None:
    operators = {**dict.fromkeys((None, *PYTHON_MODULES), ()), None: ("abs",)}
    text = late_names(Package(ROOT), operators)[""]
    assert "absolute = _VariableFunctions.abs\n" in text
    assert "arccos = " not in text


def test_signatures_of_tables_are_definitions() -> None:
    texts = late_names(Package(ROOT), dict.fromkeys((None, *PYTHON_MODULES), ()))
    assert "def det(input: Tensor) -> Tensor: ..." in texts[""].splitlines()
    assert "def get_device(input: Tensor) -> _int: ..." in texts[""].splitlines()
    assert "from torch.nn.modules._convolutions3d import Conv3d as Conv3d" in texts["nn"]
    assert "from torch import nn as nn" in texts[""].splitlines()
