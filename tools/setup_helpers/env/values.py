"""Parse the text of an option according to its type."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from tools.base.errors import did_you_mean

from ..table.architectures import parse_architectures
from ..table.config import Option, OptionType
from ..table.predicates import Value

ON = frozenset({"1", "on", "yes", "true", "y"})
OFF = frozenset({"0", "off", "no", "false", "n"})


def switch_text(text: str) -> str:
    """Return ON or OFF for any of their spellings; empty for other texts."""
    folded = text.strip().casefold()
    return "ON" if folded in ON else "OFF" if folded in OFF else ""


def parse_value(option: Option, text: str) -> Value:
    """Parse the text of an option. Raise ValueError that says what is accepted. Only strings may be empty."""
    if any("\udc80" <= letter <= "\udcff" for letter in text):  # how Python spells other bytes
        raise ValueError("not UTF-8")
    match option.type:
        case OptionType.BOOL | OptionType.AUTO:
            if option.type is OptionType.AUTO and text.strip().casefold() == "auto":
                return "auto"
            if switch := switch_text(text):
                return switch == "ON"
            raise ValueError(
                "not a boolean; use 1/0, ON/OFF, YES/NO, TRUE/FALSE"
                + (" or auto" if option.type is OptionType.AUTO else "")
            )
        case OptionType.CHOICE:
            by_fold = {choice.casefold(): choice for choice in option.choices}
            folded = text.casefold()
            if folded not in by_fold:  # accept 1 for ON where ON is a choice
                folded = switch_text(text).casefold() or folded
            if folded in by_fold:
                return by_fold[folded]
            there = ", ".join(option.available_choices)
            raise ValueError(f"one of {there}{did_you_mean(text, option.choices, 2)}")
        case OptionType.INTEGER:
            if not (text.strip().isascii() and text.strip().isdigit()):
                raise ValueError("not a whole number of 0 or more")
            return int(text)
        case OptionType.PATH:
            path = os.path.expanduser(text)
            if path and not os.path.exists(path):
                raise ValueError("no such file or folder")
            return str(Path(path)) if path else ""
        case OptionType.ARCHITECTURES:
            return parse_architectures(text)
        case OptionType.FLAGS:
            try:
                shlex.split(text)
            except ValueError as error:
                raise ValueError(
                    f"{str(error).lower()}: the text is split as a shell would"
                ) from None
            return text
        case OptionType.STRING:
            return text


def typed(option: Option, value: Value) -> Value:
    """Convert a default or forced value to the option's type."""
    if option.is_switch and isinstance(value, str):
        return value == "ON"
    if option.type is OptionType.INTEGER and isinstance(value, str):
        return int(value) if value else 0
    return value
