"""The generated table of operators by signature."""

from __future__ import annotations

import re

from collected import files_of

from tools.codegen.model import Operators


def test_every_operator_has_one_row(model: Operators) -> None:
    files = files_of(model, "register_aten_ops")
    rows = [
        name
        for text in files.values()
        for name in re.findall(r"^  \{.*&at::_ops::(\w+)::entry\},$", text, re.M)
    ]
    assert sorted(rows) == sorted(function.unambiguous for function in model.functions)


def test_overloads_are_in_the_order_of_the_operator_file(model: Operators) -> None:
    text = "".join(files_of(model, "register_aten_ops").values())
    declared = [f.unambiguous for f in model.functions if f.func.name.name.base == "sum"]
    places = [text.index(f"&at::_ops::{name}::entry") for name in declared]
    assert len(places) > 2 and places == sorted(places)
