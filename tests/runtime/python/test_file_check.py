"""torch.testing.FileCheck: which texts fulfil which assertions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from torch.testing import FileCheck

TEXT = "a b c\nd e f\na b\ng h\n"
HOLDING: list[Callable[[FileCheck], FileCheck]] = [
    lambda c: c.check("b").check_next("e").check_same("f").check_count("a", 1),
    lambda c: c.check("b").check_next("d").check_next("a"),
    lambda c: c.check("g").check_not("a"),
    lambda c: c.check_count("a", 2, exactly=True),
    lambda c: c.check_count("z", 0, exactly=True),
    lambda c: c.check_dag("g").check_dag("a").check_dag("e"),
    lambda c: c.check_dag("d").check_dag("a").check("g"),
    lambda c: c.check_regex("a.*c").check_not("zz").check("d"),
]
FAILING: list[tuple[Callable[[FileCheck], FileCheck], str]] = [
    (lambda c: c.check("zz"), 'Expected to find "zz" but did not find it'),
    (lambda c: c.check("e").check("c"), 'find "c" but did not find it\nSearched string:\n f'),
    (lambda c: c.check("b").check_next("g"), "From CHECK-NEXT: g"),
    (lambda c: c.check("b").check_same("e"), "From CHECK-SAME: e"),
    (lambda c: c.check("b").check_not("e").check("g"), 'not find "e" but found it\nSearched'),
    (lambda c: c.check("d").check_not("a"), "a b\n~ <--- HERE\ng h"),
    (lambda c: c.check_count("a", 1, exactly=True), "From CHECK-NOT: a"),
    (lambda c: c.check_count("a", 3), "From CHECK-COUNT-3: a"),
    (lambda c: c.check_dag("d").check_dag("zz"), "From CHECK-DAG: zz"),
    (lambda c: c.check_dag("d").check_not("e").check_dag("g"), "From CHECK-NOT: e"),
    (lambda c: c.check_regex("x.y"), 'regex "x.y"'),
    (lambda c: c.check_source_highlighted("b"), '"b" highlighted'),
    (lambda c: c, "No checks have been added"),
]


@pytest.mark.parametrize("number", range(len(HOLDING)))
def test_assertions_that_hold(number: int) -> None:
    HOLDING[number](FileCheck()).run(TEXT)


@pytest.mark.parametrize("number", range(len(FAILING)))
def test_assertions_that_fail_show_the_searched_text(number: int) -> None:
    build, message = FAILING[number]
    with pytest.raises(RuntimeError) as raised:
        build(FileCheck()).run(TEXT)
    assert message in str(raised.value)


def test_highlighted_text_has_tildes_below_all_of_it() -> None:
    FileCheck().check_source_highlighted("bcd").run("a bcd\n  ~~~ <--- HERE\n")
    with pytest.raises(RuntimeError, match="highlighted"):
        FileCheck().check_source_highlighted("bcd").run("a bcd\n  ~~ <--- HERE\n")


def test_assertions_in_comments() -> None:
    checks = "# CHECK: a b\n# a comment\nx #CHECK-NEXT: d e\n# CHECK-COUNT-2: h\n"
    with pytest.raises(RuntimeError, match="From CHECK-COUNT-2: h"):
        FileCheck().run(checks, TEXT)
    FileCheck().run(checks, TEXT + "h")
    for wrong in ("# CHECK-FOO: a", "# CHECK-COUNT-x: a", "# CHECK-COUNT: a"):
        with pytest.raises(RuntimeError, match="Could not parse check"):
            FileCheck().run(wrong, TEXT)


def test_assertions_that_were_never_made_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    forgotten = FileCheck().check("a").check_count("b", 2)
    del forgotten
    assert capsys.readouterr().out == (
        "You have not run this instance of FileCheck!\n"
        "FileCheck checks:\n\tCHECK: a\n\tCHECK-COUNT-2: b\n"
    )
