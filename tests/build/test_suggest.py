"""Suggestions for misspelt names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.base.errors import did_you_mean, edit_distance, nearest

_WORDS = st.text(alphabet="abc_", max_size=7)


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ("", "", 0),
        ("abc", "abc", 0),
        ("abc", "acb", 1),
        ("abc", "ab", 1),
        ("abc", "xbc", 1),
        ("ab", "cd", 2),
    ],
)
def test_distance(a: str, b: str, distance: int) -> None:
    assert edit_distance(a, b, 5) == distance


@given(_WORDS, _WORDS)
def test_distance_is_symmetric_and_zero_only_for_equals(a: str, b: str) -> None:
    assert edit_distance(a, b, 9) == edit_distance(b, a, 9)
    assert (edit_distance(a, b, 9) == 0) == (a == b)


@given(_WORDS, _WORDS, st.integers(0, 4))
def test_a_limit_only_cuts_the_distance_off(a: str, b: str, limit: int) -> None:
    assert edit_distance(a, b, limit) == min(edit_distance(a, b, 20), limit + 1)


def test_nearest_prefers_the_closest_and_ignores_case() -> None:
    assert nearest("USE_CUDDN", ["USE_CUDA", "USE_CUDNN"]) == "USE_CUDNN"
    assert nearest("use_openmp", ["USE_OPENMP"]) == "USE_OPENMP"


def test_short_names_suggest_nothing() -> None:
    assert nearest("CX", ["CXX", "CC"]) is None


def test_half_of_a_name_has_to_match() -> None:
    assert nearest("foo", ["word"], 3) is None
    assert nearest("add.h", ["dl.c"], 3) is None
    assert nearest("dveelop", ["develop"], 3) == "develop"
    assert nearest("tset", ["test"], 3) == "test"


def test_message_with_a_suggestion() -> None:
    assert did_you_mean("USE_CUDDN", ["USE_CUDNN"]) == "; did you mean 'USE_CUDNN'?"
    assert did_you_mean("elephant", ["USE_CUDNN"]) == ""
