"""Arguments that setup.py accepts without a command, and the help for its topics."""

from __future__ import annotations

import pytest

from checkout import Checkout


def test_version_and_name_are_those_of_the_metadata(checkout: Checkout) -> None:
    assert checkout.setup("--version") == "0.1.0\n"
    assert checkout.setup("-V") == "0.1.0\n"
    assert checkout.setup("--version", env={"TINY_BUILD_VERSION": "2.0-rc1"}) == "2.0rc1\n"
    assert checkout.setup("--name") == "tiny-project\n"
    assert not (checkout.root / "build").exists()


@pytest.mark.parametrize("question", ["--help-commands", "--help", "help"])
def test_help_lists_the_commands(checkout: Checkout, question: str) -> None:
    output = checkout.setup(question)
    assert "\n  develop " in output and "\n  sdist " in output


def test_both_spellings_of_help_for_a_command_agree(checkout: Checkout) -> None:
    assert checkout.setup("--help", "sdist") == checkout.setup("sdist", "--help")


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_each_topic_has_its_own_help(checkout: Checkout, word: str) -> None:
    output = checkout.setup("explain", "word", word)
    assert output == "usage: setup.py explain word NUMBER\n\nwhich word has a number\n"
    assert "explain option NAME" in checkout.setup("explain", "option", word)
    assert "did you mean 'word'" in checkout.setup("explain", "wordd", word, code=2)


def test_help_of_explain_lists_its_topics(checkout: Checkout) -> None:
    output = checkout.setup("explain", "--help")
    assert output.startswith("usage: setup.py explain")
    assert "explain word NUMBER" in output and "explain rebuild" in output


def test_an_argument_before_the_command_is_reported_with_its_place(checkout: Checkout) -> None:
    output = checkout.setup("-q", "develop", code=2)
    assert "arguments come after the command: python setup.py develop -q" in output
