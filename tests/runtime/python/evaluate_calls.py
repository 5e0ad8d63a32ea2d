"""Evaluate expressions in this interpreter: `python evaluate_calls.py EXPRESSIONS OUTCOMES`.

Reads a JSON object whose keys are expressions and writes one that gives each expression's outcome:
the repr of its value or its exception, and its warnings.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from pathlib import Path

import torch
import torch.nn.functional as F

NAMES = {"torch": torch, "F": F, "nan": float("nan"), "inf": float("inf")}


def plain(message: object) -> str:
    """Return a warning's text without the place in PyTorch's own sources."""
    return re.sub(r" \(Triggered internally at .*\)$", "", str(message))


def outcome(expression: str) -> str:
    """Return what a program sees of an expression, as text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            text = repr(eval(expression, dict(NAMES)))  # the expressions are this project's own
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
    shown = [f"{warning.category.__name__}: {plain(warning.message)}" for warning in caught]
    return "\n".join([text, *shown])


def main(expressions: Path, outcomes: Path) -> None:
    torch.set_warn_always(True)
    found = {expression: outcome(expression) for expression in json.loads(expressions.read_text())}
    outcomes.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
