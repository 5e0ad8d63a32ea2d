"""Every mistake is reported at its place, all in one pass, and nothing is written."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from operator_files import TAGS

from tools.codegen.cli import main
from tools.codegen.errors import InputError
from tools.codegen.model import Operators
from tools.codegen.read import read_operators

TAG_FILE = "- tag: core\n  desc: A tag.\n- tag: pointwise\n  desc: Another.\n"
FINE = "- func: ok(Tensor self) -> Tensor\n"

# What is written, the line and column that are blamed, and a part of the message.
MISTAKES = [
    ("- func: f(Tensr self) -> Tensor\n", 1, 11, 'unknown type "Tensr" (did you mean "Tensor"?)'),
    ("- func: f(Tensor self -> Tensor\n", 1, 10, "this parenthesis is not closed"),
    ("- func: f(Tensor self)\n", 1, 23, 'expected " -> "'),
    ("- func: f(Tensor self, Tensor self) -> Tensor\n", 1, 24, 'a second argument named "self"'),
    ("- func: f(Tensor(A!) self) -> Tensor\n", 1, 18, "is not an alias annotation"),
    ("- func: f_(Tensor self) -> Tensor\n", 1, 9, "an in-place operator writes its self"),
    ("- func: f(int  x) -> Tensor\n", 1, 11, '"int " is not a type'),
    ("- func: f(str x='a) -> Tensor\n", 1, 17, "this string is not closed"),
    (FINE + "  varients: method\n", 2, 3, 'unknown field "varients" (did you mean "variants"?)'),
    (FINE + "  variants: methods\n", 2, 13, 'unknown variant "methods" (did you mean "method"?)'),
    (FINE + "  dispatch:\n    CPV: ok\n", 3, 5, 'unknown dispatch key "CPV" (did you mean'),
    (FINE + "  dispatch:\n    CPU: o-k\n", 3, 10, "is not the name of a C++ function"),
    (FINE + "  tags: [core, pointwize]\n", 2, 16, 'unknown tag "pointwize" (did you mean'),
    (FINE + "  structured: yes\n", 2, 15, "True or False"),
    (FINE + "  structured: True\n", 1, 9, "only an out= operator can be structured"),
    (FINE + "  structured_delegate: nope.out\n", 2, 24, 'no structured operator "nope.out"'),
    (FINE + "  device_check: Never\n", 2, 17, 'unknown device_check "Never"'),
    (FINE + "  cpp_no_default_args: [slef]\n", 2, 25, 'no argument "slef" (did you mean "self"?)'),
    (FINE + FINE, 2, 9, '"ok" is already declared at line 1'),
    ("- fnc: f() -> ()\n", 1, 3, 'unknown field "fnc" (did you mean "func"?)'),
    ("- func: f(int x) -> int\n  variants: method\n", 2, 13, "a method needs an argument named"),
    (FINE + "  tags: [core\n", 3, 1, "this is not YAML"),
    ("func: f() -> ()\n", 1, 1, "this file is a list of entries"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), MISTAKES)
def test_mistake_is_blamed_at_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_operators(text, TAG_FILE, native_functions_file="f.yaml")
    assert any(
        (p.line, p.column) == (line, column) and message in p.message for p in caught.value.problems
    ), str(caught.value)


def test_all_mistakes_come_in_one_pass() -> None:
    text = "- func: f(Tensr self) -> Tensor\n" + FINE + "  tags: croe\n- func: g(\n"
    with pytest.raises(InputError) as caught:
        read_operators(text, TAG_FILE)
    assert [problem.line for problem in caught.value.problems] == [1, 3, 4]


def test_message_underlines_the_offending_text() -> None:
    with pytest.raises(InputError) as caught:
        read_operators("- func: f(Tensr self) -> Tensor\n", TAG_FILE, native_functions_file="f")
    assert str(caught.value).splitlines() == [
        'f:1:11: unknown type "Tensr" (did you mean "Tensor"?)',
        "    - func: f(Tensr self) -> Tensor",
        "              ^~~~~",
    ]


def test_tag_mistakes_are_blamed_on_the_tag_file() -> None:
    with pytest.raises(InputError) as caught:
        read_operators(FINE, "- tga: core\n  desc: x\n", tags_file="t.yaml")
    assert {problem.file for problem in caught.value.problems} == {"t.yaml"}


def test_command_exits_with_2_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("- func: f(Tensr self) -> Tensor\n")
    out = tmp_path / "out"
    arguments = ["--native-functions", str(broken), "--tags", str(TAGS), "--out", str(out)]
    assert main(["generate", *arguments]) == 2
    assert "broken.yaml:1:11" in capsys.readouterr().err
    assert not out.exists()


def test_bytes_that_are_not_text_are_located(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_bytes(b"- func: f() -> ()\n# \xff\n")
    arguments = ["--native-functions", str(broken), "--tags", str(TAGS), "-o", str(tmp_path / "o")]
    assert main(["facts", *arguments]) == 2
    assert "broken.yaml:2:3: this is not UTF-8" in capsys.readouterr().err


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_mutated_file_gives_a_model_or_problems(native_text: str, seed: int) -> None:
    random_source = random.Random(seed)
    start = random_source.randrange(len(native_text) - 3000)
    text = native_text[native_text.index("\n- func", start) + 1 :][:2000]
    for _ in range(random_source.randint(1, 4)):
        text = mutate(text, random_source)
    try:
        assert isinstance(read_operators(text, TAGS.read_text()), Operators)
    except InputError as error:
        assert error.problems


def mutate(text: str, source: random.Random) -> str:
    """One small accident: a piece removed, doubled, moved, or replaced by noise."""
    at = source.randrange(len(text) + 1)
    end = min(len(text), at + source.randint(0, 40))
    noise = "".join(
        chr(source.choice([9, 10, 33, 39, 40, 58, 91, 123, 0x7F, 0x2028, 65]))
        for _ in range(source.randint(1, 4))
    )
    match source.randrange(5):
        case 0:
            return text[:at] + text[end:]
        case 1:
            return text[:end] + text[at:]
        case 2:
            return text[:at] + noise + text[end:]
        case 3:
            return text[:at]
        case _:
            other = source.randrange(len(text) + 1)
            return text[:at] + text[other : other + 30] + text[at:]
