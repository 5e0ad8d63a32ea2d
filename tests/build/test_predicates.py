"""The conditions in build_config.toml."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.setup_helpers.table import predicates as p

VALUES = {"A": True, "B": False, "TEXT": "OMP", "EMPTY": "", "linux": True}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A", True),
        ("not A", False),
        ("A and B", False),
        ("A or B", True),
        ("B or A and B", False),
        ("(B or A) and not B", True),
        ("not not A", True),
        ('TEXT == "OMP"', True),
        ("TEXT != 'OMP'", False),
        ('A == "ON" and B == "OFF"', True),
        ("EMPTY", False),
        ("TEXT and linux", True),
        ("not (A and B)", True),
    ],
)
def test_evaluation(text: str, expected: bool) -> None:
    assert p.evaluate(p.parse(text), VALUES) is expected


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("A and", 6, "expected a name"),
        ("A B", 3, "expected 'and' or 'or'"),
        ("(A or B", 8, "missing ')'"),
        ("A == OMP", 6, "quoted value"),
        ("A && B", 3, "unexpected '&'"),
        ("", 1, "expected a name"),
        ("and A", 1, "expected a name"),
    ],
)
def test_a_mistake_names_its_column(text: str, column: int, message: str) -> None:
    with pytest.raises(
        p.PredicateError, match=message.replace("(", r"\(").replace(")", r"\)")
    ) as error:
        p.parse(text)
    assert error.value.column == column


def test_names_are_listed_in_order() -> None:
    assert list(p.names(p.parse('C and not (A or B == "x")'))) == ["C", "A", "B"]


def test_the_false_part_of_a_condition_is_named() -> None:
    assert p.first_false(p.parse("A and B and TEXT"), VALUES) == "B"


_ATOMS = st.one_of(
    st.sampled_from(["A", "B", "TEXT"]).map(p.Name),
    st.builds(
        p.Equals, st.sampled_from(["A", "TEXT"]), st.sampled_from(["OMP", "ON"]), st.booleans()
    ),
)
_TREES = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        inner.map(p.Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda x: p.And(tuple(x))),
        st.lists(inner, min_size=2, max_size=3).map(lambda x: p.Or(tuple(x))),
    ),
    max_leaves=8,
)


@given(_TREES)
def test_printing_keeps_the_meaning(tree: p.Predicate) -> None:
    again = p.parse(str(tree))
    assert p.evaluate(again, VALUES) is p.evaluate(tree, VALUES)
    assert str(p.parse(str(again))) == str(again)
