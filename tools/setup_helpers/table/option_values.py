"""An option's text, read as its type."""

from __future__ import annotations

import shlex
from pathlib import Path

from ..suggest import did_you_mean
from .config import Option, OptionType
from .predicates import Value

ON = frozenset({"1", "on", "yes", "true", "y"})
OFF = frozenset({"0", "off", "no", "false", "n"})


def parse_value(option: Option, text: str) -> Value:
    """Raises ValueError that says what is accepted."""
    match option.type:
        case OptionType.BOOL | OptionType.AUTO:
            folded = text.strip().casefold()
            if option.type is OptionType.AUTO and folded in ("auto", ""):
                return "auto"
            if folded in ON:
                return True
            if folded in OFF or folded == "":
                return False
            raise ValueError(
                "not a boolean; use 1/0, ON/OFF, YES/NO, TRUE/FALSE"
                + (" or auto" if option.type is OptionType.AUTO else "")
            )
        case OptionType.CHOICE:
            by_fold = {choice.casefold(): choice for choice in option.choices}
            if not text or text.casefold() in by_fold:
                return by_fold.get(text.casefold(), option.default)
            there = ", ".join(option.available_choices)
            raise ValueError(f"one of {there}{did_you_mean(text, option.choices, 2)}")
        case OptionType.INTEGER:
            if text and not (text.strip().isascii() and text.strip().isdigit()):
                raise ValueError("not a whole number from 0 on")
            return int(text) if text else typed(option, option.default)
        case OptionType.PATH:
            if text and not Path(text).expanduser().exists():
                raise ValueError("no such file or folder")
            return str(Path(text).expanduser()) if text else ""
        case OptionType.FLAGS:
            try:
                shlex.split(text)
            except ValueError as error:
                raise ValueError(f"{str(error).lower()}: it is split as a shell does") from None
            return text
        case OptionType.STRING:
            return text


def typed(option: Option, value: Value) -> Value:
    """A default or forced value in the option's type."""
    if option.is_switch and isinstance(value, str):
        return value == "ON"
    if option.type is OptionType.INTEGER and isinstance(value, str):
        return int(value) if value else 0
    return value
