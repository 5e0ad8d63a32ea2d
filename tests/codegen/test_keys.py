"""The generator takes the dispatch keys from the lists of c10/core/DispatchKey.h."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from operator_files import NATIVE, ROOT
from staged_tree import STAGES, StagedTree

from tools.base.errors import BuildError
from tools.codegen import keys

HEADER = ROOT / "c10/core/DispatchKey.h"
BACKENDS = "C10_FORALL_BACKEND_COMPONENTS"
LAST_BACKEND = "  _(Meta, extra)\n"

USES_KEY = """
from tools.codegen import keys
for known in (keys.DISPATCH_KEYS, keys.AUTOGRAD_KEYS, keys.STRUCTURED_KEYS, keys.GUARDED_KEYS):
    print(*sorted(key for key in known if key.endswith("Basalt")))
"""


def test_every_runtime_key_is_known() -> None:
    assert {"CPU", "SparseCsrCUDA", "QuantizedCPU", "NestedTensorMeta"} <= keys.DISPATCH_KEYS
    assert {"MkldnnCPU", "BackendSelect", "AutogradOther", "Undefined"} <= keys.DISPATCH_KEYS
    assert {"AutocastMPS", "PythonDispatcher", *keys.ALIAS_KEYS} <= keys.DISPATCH_KEYS
    markers = {"Dense", "AutogradFunctionality", "Sparse", "InvalidBit", "EndOfFunctionalityKeys"}
    assert not markers & keys.DISPATCH_KEYS


def test_properties_of_keys() -> None:
    assert {"AutogradCPU", "AutogradCUDA", "AutogradNestedTensor"} <= keys.AUTOGRAD_KEYS
    assert {"CPU", "CUDA", "MPS", "XPU", "MTIA", "PrivateUse1"} <= keys.STRUCTURED_KEYS
    assert not {"Meta", "SparseCPU"} & keys.STRUCTURED_KEYS
    assert {"CUDA", "SparseCUDA", "PrivateUse1", "QuantizedXPU"} <= keys.GUARDED_KEYS
    assert not {"CPU", "Meta", "SparseCPU", "AutogradCUDA"} & keys.GUARDED_KEYS


def test_an_added_back_end_has_its_keys(tmp_path: Path) -> None:
    for source in ("base", "codegen"):
        copy = tmp_path / "tools" / source
        shutil.copytree(ROOT / "tools" / source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "tools/__init__.py", tmp_path / "tools")
    header = tmp_path / HEADER.relative_to(ROOT)
    header.parent.mkdir(parents=True)
    text = HEADER.read_text()
    assert LAST_BACKEND in text
    header.write_text(text.replace(LAST_BACKEND, "  _(Basalt, extra) \\\n" + LAST_BACKEND, 1))
    command = [sys.executable, "-c", USES_KEY]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    every, autograd, structured, guarded = (line.split() for line in run.stdout.splitlines())
    own = ["Basalt", "NestedTensorBasalt", "QuantizedBasalt", "SparseBasalt", "SparseCsrBasalt"]
    assert every == sorted(["AutogradBasalt", *own])
    assert autograd == ["AutogradBasalt"]
    assert structured == ["Basalt"]
    assert guarded == sorted(own)


def test_an_edit_of_the_lists_generates_again(tmp_path: Path) -> None:
    tree = StagedTree(tmp_path)
    (tmp_path / "c10").unlink()
    header = tree.path(HEADER)
    header.parent.mkdir(parents=True)
    shutil.copy(HEADER, header)
    assert tree.run() == set(STAGES)
    assert not tree.run()
    tree.substitute(HEADER, r"^  _\(Meta, extra\)$", "  _(Basalt, extra) _(Meta, extra)")
    assert tree.run() == set(STAGES)


def test_a_missing_list_is_an_error() -> None:
    for text in ("", f"#define {BACKENDS}(_, extra)\n", "#define C10_OTHER(_) _(CPU)\n"):
        with pytest.raises(BuildError, match=f"DispatchKey.h: the list {BACKENDS} is missing"):
            keys.declared(text, BACKENDS)


def test_keys_fit_into_a_set() -> None:
    text = HEADER.read_text()
    backends, functionalities = (
        keys.declared(text, name) for name in (BACKENDS, "C10_FORALL_FUNCTIONALITIES")
    )
    assert len(backends) + len(functionalities) <= 64


def test_every_key_of_the_operators_is_declared() -> None:
    used = {
        key.strip()
        for entry in yaml.safe_load(NATIVE.read_text())
        for names in entry.get("dispatch", {})
        for key in names.split(",")
    }
    assert used <= keys.DISPATCH_KEYS
