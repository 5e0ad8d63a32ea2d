"""The generator knows the dispatch keys that c10/core/DispatchKey.h declares, and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tools.codegen import keys

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "c10" / "core" / "DispatchKey.h"


def declared(macro: str) -> list[list[str]]:
    """Return the arguments of each row of one of the header's lists."""
    text = HEADER.read_text().replace("\\\n", " ")
    definition = re.search(rf"#define {macro}\(_.*?\)\s+(.*)", text)
    assert definition, macro
    rows = re.findall(r"_\(([^()]*)\)", definition.group(1))
    return [[part.strip() for part in row.split(",")] for row in rows]


BACKENDS = [row[0] for row in declared("C10_FORALL_BACKEND_COMPONENTS")]
PER_BACKEND = dict(declared("C10_FORALL_FUNCTIONALITY_KEYS"))
FUNCTIONALITIES = [row[0] for row in declared("C10_FORALL_FUNCTIONALITIES")]
ALIASES = [row[0] for row in declared("C10_FORALL_ALIAS_KEYS")]


def test_the_generator_knows_the_same_keys() -> None:
    runtime = [prefix + backend for prefix in PER_BACKEND.values() for backend in BACKENDS]
    alone = [name for name in FUNCTIONALITIES if name not in PER_BACKEND]
    assert {"Undefined", *runtime, *alone, *ALIASES} == keys.DISPATCH_KEYS
    assert set(keys.ALIAS_KEYS) == set(ALIASES)
    assert keys._BACKENDS == BACKENDS
    assert list(keys._FUNCTIONALITIES) == list(PER_BACKEND.values())


def test_autograd_keys_are_the_back_ends() -> None:
    assert {f"Autograd{name}" for name in BACKENDS} | {"AutogradNestedTensor"} == keys.AUTOGRAD_KEYS


def test_keys_fit_into_a_set() -> None:
    assert len(BACKENDS) + len(FUNCTIONALITIES) <= 64


@pytest.mark.parametrize("name", ["native_functions.yaml"])
def test_every_key_of_the_operators_is_declared(name: str) -> None:
    text = (ROOT / "aten" / "src" / "ATen" / "native" / name).read_text()
    used = {
        key.strip()
        for entry in yaml.safe_load(text)
        for names in entry.get("dispatch", {})
        for key in names.split(",")
    }
    assert used <= keys.DISPATCH_KEYS
