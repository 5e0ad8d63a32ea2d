"""Arguments that setup.py accepts without a command, and the help for its topics."""

from __future__ import annotations

import re

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


@pytest.mark.parametrize("question", ["--help", "-h", "help"])
def test_all_spellings_of_help_for_a_command_agree(checkout: Checkout, question: str) -> None:
    assert checkout.setup(question, "sdist") == checkout.setup("sdist", "--help")
    assert checkout.setup(question, "explain", "word") == checkout.setup("explain", "word", "-h")


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


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("develop", "TINY_LOUD=0"), "TINY_LOUD=0; did you mean '-D TINY_LOUD=0'?"),
        (("test", "-k", "words"), "-k; did you mean '-- -k', for pytest?"),
        (("develop", "--wiat"), "--wiat; did you mean '--wait'?"),
        (("install", "--user"), "--user\n"),
        (("develop", "--profile-compile=-3"), "not a whole number of 0 or more: '-3'"),
        (("explain", "failure", "now"), "explain failure takes no argument, such as 'now'"),
    ],
)
def test_a_mistake_in_an_argument_is_answered_with_what_was_meant(
    checkout: Checkout, words: tuple[str, ...], meant: str
) -> None:
    assert meant in checkout.setup(*words, code=2)


def test_each_command_describes_itself(checkout: Checkout) -> None:
    commands = re.findall(r"^  (\w+) ", checkout.setup("--help"), re.MULTILINE)
    assert len(commands) > 10
    for command in commands:
        output = checkout.setup(command, "--help")
        assert output.startswith(f"usage: setup.py {command} ")
        assert re.search(r"^[A-Z][^\n]* [^\n]*\n", output.partition("\n\n")[2])
        assert "\narguments:\n" in output
        assert f"\nexample:\n  $ python setup.py {command}" in output


def test_help_shows_the_options_that_matter_for_the_command(checkout: Checkout) -> None:
    assert "\n  TINY_BUILD_VERSION " in checkout.setup("bdist_wheel", "--help")
    assert "\n  BUILD_DIR  " in checkout.setup("clean", "--help")
    assert "TINY_BUILD_VERSION" not in checkout.setup("clean", "--help")


def test_help_does_not_need_a_valid_table(checkout: Checkout) -> None:
    checkout.edit("build_config.toml", "[project]", "[project")
    assert "\narguments:\n" in checkout.setup("develop", "--help")
