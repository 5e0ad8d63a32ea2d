"""All facts about all operators agree with those of PyTorch's own generator, on its own files."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tools.drivers.cli import main

Records = Mapping[str, Mapping[str, Any]]

EXACT = [
    "schema",
    "dispatch",
    "variants",
    "structured",
    "structured_delegate",
    "python_module",
    "device_guard",
    "tags",
    "composite_implicit",
    "composite_explicit",
    "cpp",
    "cpp_faithful",
    "cpp_method",
]
NEARLY = ["dispatcher", "native", "python", "python_out", "python_deprecated"]
NEARLY += ["autograd", "autograd_dispatch"]
BEYOND = ["autograd_derived"]
"""The facts that a variant takes from another operator's entry."""

KNOWN = {
    ("python", "requires_grad_"): "PyTorch's generator refuses the argument `requires_grad`",
    ("autograd_derived", "_foreach_zero"): "differentiable here, and not in PyTorch",
}
"""Every known difference, and its reason."""


def _is_known(field: str, name: str) -> bool:
    # PyTorch differentiates an in-place foreach operator per tensor, with the Nodes of the
    # operator that it applies; here the list has one Node, as in the functional form.
    by_tensor = name.startswith("_foreach_") and name.partition(".")[0].endswith("_")
    return (field, name) in KNOWN or (field == "autograd_derived" and by_tensor)


@pytest.fixture(scope="module")
def peer_facts() -> Records:
    peer = os.environ.get("TORCH_PEER")
    if not peer:
        pytest.skip("set TORCH_PEER to a Python that has torch 2.13.0")
    program = str(Path(__file__).with_name("peer_facts.py"))
    found = subprocess.run([peer, program], capture_output=True, text=True, check=True)
    records: dict[str, dict[str, Any]] = json.loads(found.stdout)
    return records


@pytest.fixture(scope="module")
def own_facts(peer_packaged: Path, tmp_path_factory: pytest.TempPathFactory) -> Records:
    output = tmp_path_factory.mktemp("facts") / "facts.json"
    autograd = peer_packaged.parents[1] / "autograd"
    arguments = ["facts", "--native-functions", str(peer_packaged / "native_functions.yaml")]
    arguments += ["--tags", str(peer_packaged / "tags.yaml")]
    arguments += ["--derivatives", str(autograd / "derivatives.yaml")]
    arguments += ["--deprecated", str(autograd / "deprecated.yaml")]
    assert main([*arguments, "-o", str(output)]) == 0
    records: dict[str, dict[str, Any]] = json.loads(output.read_text())
    for record in records.values():
        record.setdefault("python_deprecated", [])
    return records


def _comparable(name: str, field: str, value: Any) -> Any:
    """Sort what a foreach Node saves: PyTorch keeps it in a set, whose order varies."""
    if value is None or field != "autograd_derived" or not name.startswith("_foreach_"):
        return value
    return {
        part: sorted(content) if part.startswith("saved") else content
        for part, content in value.items()
    }


@pytest.mark.peer
def test_every_operator_agrees(
    own_facts: Records, peer_facts: Records, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(own_facts) and set(own_facts) == set(peer_facts)
    assert len(own_facts) == 3101
    equal: Counter[str] = Counter()
    differences: set[tuple[str, str]] = set()
    for name, record in peer_facts.items():
        for field, value in record.items():
            own_records = _comparable(name, field, own_facts[name][field])
            if own_records == _comparable(name, field, value):
                equal[field] += 1
            else:
                differences.add((field, name))
    with capsys.disabled():
        print()
        for field in (*EXACT, *NEARLY, *BEYOND):
            print(f"  {field:<20} {equal[field]:>5} of {len(own_facts)}")
    assert set(equal) == {*EXACT, *NEARLY, *BEYOND}
    assert {d for d in differences if not _is_known(*d)} == set()
    assert set(KNOWN) <= differences
    assert all(equal[field] == len(own_facts) for field in EXACT)
    assert all(equal[field] >= 0.995 * len(own_facts) for field in NEARLY)


@pytest.mark.peer
def test_every_entry_of_derivatives_is_compared(own_facts: Records, peer_facts: Records) -> None:
    def entries(records: Records) -> tuple[int, int, int]:
        own = sum(record["autograd"] is not None for record in records.values())
        keys = sum(len(record["autograd_dispatch"]) for record in records.values())
        foreach = sum(
            record["autograd_derived"] is not None
            and name.startswith("_foreach_")
            and not name.partition(".")[0].endswith("_")
            for name, record in records.items()
        )
        return own, keys, foreach

    # 687 in the file and 37 for the copies of views, one of which has no default formulas
    assert entries(peer_facts) == (723, 23, 62)
    assert entries(own_facts) == (723, 23, 63)
