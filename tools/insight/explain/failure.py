"""The answer to `setup.py explain failure`: the last recorded failure of this tree."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tools.setup_helpers.ninja import mitigation
from tools.setup_helpers.state.logs import recall

if TYPE_CHECKING:
    from . import Question


def explain_failure(question: Question) -> str:
    """Show the full command and output, which the terminal abbreviated."""
    record = recall(question.build_dir)
    lines = _failure(record) if record else ["no build of this tree has failed"]
    for output, made in mitigation.read(question.build_dir).items():
        lines.append(f"{output} is built {made.how}, because the compiler crashed otherwise")
    return "\n".join(lines)


def _failure(record: dict[str, Any]) -> list[str]:
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(record["time"]))
    lines = [f"{record['message']} ({when}, {record['setup']})"]
    if command := record.get("command"):
        lines += ["", "command:", f"  {command}"]
    if output := record.get("output"):
        lines += ["", "output:", *(f"  {line}" for line in output)]
    if likely := record.get("likely_cause"):
        lines += ["", f"likely cause: {likely}"]
    elif not (command or output) and (cause := record.get("cause")):
        lines += ["", *(f"  {line}" for line in cause.splitlines()), ""]
    if hint := record.get("hint"):
        lines.append(f"what to do: {hint}")
    if log := record.get("log"):
        lines.append(f"log: {log}")
    return lines
