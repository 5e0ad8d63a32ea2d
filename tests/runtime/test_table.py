"""The sample table covers every operator that native_functions.yaml declares."""

from __future__ import annotations

from pathlib import Path

import yaml

from samples import TABLE

DECLARED = Path(__file__).parents[2] / "aten" / "src" / "ATen" / "native" / "native_functions.yaml"


def base(func: str) -> str:
    """Return the base name: `add_.Tensor(...) -> ...` is a form of `add`."""
    name = func.split("(")[0].split(".")[0]
    return name if name.startswith("__") or not name.endswith("_") else name[:-1]


def test_every_operator_has_samples() -> None:
    entries = yaml.safe_load(DECLARED.read_text())
    # Without kernels in this tree (`dispatch: {}`), tests/extensions has the tests.
    declared = {base(entry["func"]) for entry in entries if entry.get("dispatch") != {}}
    sampled = {operator.name for operator in TABLE}
    covered = sampled | {name for operator in TABLE for name in operator.covers}
    assert declared <= covered, f"no samples: {sorted(declared - covered)}"
    assert covered <= declared, f"no such operator: {sorted(covered - declared)}"


def test_rows_have_distinct_titles() -> None:
    titles = [operator.title for operator in TABLE]
    repeated = {title for title in titles if titles.count(title) > 1}
    assert not repeated
