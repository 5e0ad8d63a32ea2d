"""The one code generation stage: a C table of the words in words.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class InputError(Exception):
    """A user's mistake in the inputs or in a request."""


def words(context: Any) -> None:
    """Write src/words.c below the build directory."""
    import yaml

    entries = yaml.safe_load((context.root / "words.yaml").read_text(encoding="utf-8"))
    rows = "".join(f'    "{word}",\n' for word in entries)
    context.files.write(
        "src/words.c",
        "/* Made by generator/stages.py from words.yaml. */\n"
        f"const char* const tiny_words[] = {{\n{rows}    0,\n}};\n",
    )


def explain_word(root: Path, build_dir: Path, words: list[str]) -> str:
    """Answer `explain word NUMBER`."""
    import yaml

    known = yaml.safe_load((root / "words.yaml").read_text(encoding="utf-8"))
    if len(words) != 1 or not words[0].isdigit() or int(words[0]) >= len(known):
        raise InputError(f"explain word takes a number from 0 to {len(known) - 1}")
    return str(known[int(words[0])])
