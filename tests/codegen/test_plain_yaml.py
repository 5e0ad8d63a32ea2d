"""The reader for plain entries agrees with libyaml, or rejects the entry."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_files import DOCS

from tools.codegen.errors import Problem
from tools.codegen.plain_yaml import plain_entry
from tools.codegen.yaml_reader import read_by_libyaml, read_entries


def items(text: str) -> list[str]:
    return [piece for piece in re.split(r"^(?=- )", text, flags=re.MULTILINE) if piece[:2] == "- "]


def check(item: str) -> bool:
    """Check the property for one item; return whether the plain reader accepted it."""
    entry = plain_entry(item.split("\n"), 1)
    if entry is None:
        return False
    problems: list[Problem] = []
    assert [entry] == read_by_libyaml(item, "f", problems)
    assert not problems
    return True


def test_our_entries_are_plain(native_text: str) -> None:
    taken = [check(item) for item in items(native_text)]
    assert sum(taken) > 0.9 * len(taken)


def test_our_docstrings_are_plain() -> None:
    assert all(map(check, items(DOCS.read_text())))


@pytest.mark.peer
def test_entries_of_pytorch_are_plain(peer_packaged: Path) -> None:
    native = items((peer_packaged / "native_functions.yaml").read_text())
    derivatives = items((peer_packaged.parents[1] / "autograd/derivatives.yaml").read_text())
    assert sum(map(check, native)) > 0.9 * len(native)
    assert sum(map(check, derivatives)) > 0.5 * len(derivatives)


@pytest.mark.parametrize(
    "item",
    [
        "- a: 'quoted'",
        '- a: "quoted"',
        "- a: &anchor b",
        "- a: *alias",
        "- a: !tag b",
        "- a: |-\n    text",
        "- a: |\n  text",
        "- a: |\n     text",
        "- a: |\n\n    text",
        "- a: |\n    text\n  b: c",
        "- a: |\n    text \n",
        "- a: |\n    text\n# A remark.\n",
        "- a: >\n    text",
        "- a: b\n    c",
        "- a: b: c",
        "- a: b:",
        "- a: {b: c}",
        "- a: [b, [c]]",
        "- a: [b,c]",
        "- a: - b",
        "- a:\n    - b",
        "- a:\n    b:\n      c: d",
        "- a:\n    b: c\n      d: e",
        "- a:\n",
        "- a: b\n  a: c",
        "- a:\n    b: c\n    b: d",
        "- a: b\n c: d",
        "- a: b\n   c: d",
        "- a: b\n--- \n",
        "- a: b\n...\n",
        "- a: b\n- c: d",
        "- a: b\tc",
        "- a: é",
        "- a: ? b",
        "- a",
        "-  a: b",
    ],
)
def test_other_items_are_left_to_libyaml(item: str) -> None:
    assert plain_entry(item.split("\n"), 1) is None


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_mutated_items_are_read_as_by_libyaml(native_text: str, seed: int) -> None:
    source = random.Random(seed)
    chosen = source.choices(items(native_text), k=3)
    text = "".join(chosen)
    for _ in range(source.randint(1, 3)):
        at = source.randrange(len(text) + 1)
        noise = "".join(source.choices(" \n:#-,[]{}'\"&*!|>%@`abc.", k=source.randint(0, 3)))
        text = text[:at] + noise + text[at + source.randint(0, 3) :]
    found: list[Problem] = []
    expected: list[Problem] = []
    assert read_entries(text, "f", found) == read_by_libyaml(text, "f", expected)
    assert found == expected
