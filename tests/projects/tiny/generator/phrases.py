"""Generate phrases and replies incrementally: each file depends only on the entries it mentions."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

Entry = dict[str, str]
HEAD = "/* Made by generator/phrases.py from {}. */\n"


def digest(value: object) -> str:
    """Return a digest of parsed YAML, which ignores comments and the order of keys."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def read_entries(context: Any, name: str) -> list[Entry]:
    """Return the entries of a YAML file, which is read once per run."""
    import yaml

    if name not in context.shared:
        text = (context.root / name).read_text(encoding="utf-8")
        context.shared[name] = yaml.safe_load(text) or []
    entries: list[Entry] = context.shared[name]
    return entries


def read_template(root: Path, name: str) -> str:
    """Return a template without the comments that are for its editors."""
    lines = (root / "templates" / name).read_text(encoding="utf-8").splitlines(True)
    return "".join(line for line in lines if not line.startswith("//!"))


def fill(template: str, **values: str) -> str:
    """Replace each ${NAME} of the template."""
    for name, value in values.items():
        template = template.replace(f"${{{name}}}", value)
    return template


def shard(entries: list[Entry], key: str, number: int, count: int) -> list[Entry]:
    """Return the entries of one shard. A new entry changes one shard and moves no other entry."""
    return [e for e in entries if int(digest(e[key])[:8], 16) % count == number]


def phrases(context: Any) -> None:
    """Write phrases/: a header for each phrase, a common header, the functions and the table."""
    declared = read_entries(context, "phrases.yaml")
    if context.files.unchanged(digest(declared)):
        return
    entries = sorted(declared, key=lambda entry: entry["phrase"])
    names = [entry["phrase"] for entry in entries]

    def add(path: str, facts: object, text: Callable[[], str]) -> None:
        context.files.add(f"phrases/{path}", digest(facts), text)

    header = read_template(context.root, "phrase.h")
    for name in names:
        add(f"ops/{name}.h", name, partial(fill, header, name=name))
    includes = [f'#include "ops/{name}.h"\n' for name in names]
    add("Phrases.h", names, lambda: HEAD.format("phrases.yaml") + "".join(includes))
    add("Table.c", names, lambda: table_text(names))
    template = read_template(context.root, "Register.c")
    count = context.limits["shards"]
    for number in range(count):
        chosen = shard(entries, "phrase", number, count)
        add(f"Register_{number}.c", chosen, partial(register_text, template, chosen))


def table_text(names: list[str]) -> str:
    """Return the text of the table, the only source that mentions every phrase."""
    rows = "".join(f'    {{"{name}", tiny_say_{name}}},\n' for name in names)
    return (
        HEAD.format("phrases.yaml") + '#include "phrases/Phrases.h"\n\n'
        "struct tiny_phrase {\n  const char* name;\n  int (*say)(char*, int);\n};\n"
        f"const struct tiny_phrase tiny_phrases[] = {{\n{rows}    {{0, 0}},\n}};\n"
    )


def register_text(template: str, entries: list[Entry]) -> str:
    """Return the source of one shard of functions."""
    names = [entry["phrase"] for entry in entries]
    kernels = sorted({entry.get("kernel", "plain") for entry in entries})
    return fill(
        template,
        includes="".join(f'#include "phrases/ops/{name}.h"\n' for name in names),
        kernels="".join(f"int tiny_kernel_{name}(const char*, char*, int);\n" for name in kernels),
        functions="".join(map(function_text, entries)),
    )


def function_text(entry: Entry) -> str:
    """Return the function of one phrase."""
    return (
        f"\nint tiny_say_{entry['phrase']}(char* out, int size) {{\n"
        f'  return tiny_kernel_{entry.get("kernel", "plain")}("{entry["text"]}", out, size);\n}}\n'
    )


def replies(context: Any) -> None:
    """Write replies/: the replies in shards, and the names of the phrases for Python."""
    declared, answers = (read_entries(context, name) for name in ("phrases.yaml", "replies.yaml"))
    if context.files.unchanged(digest([declared, answers])):
        return
    names = sorted(entry["phrase"] for entry in declared)
    unknown = [entry["to"] for entry in answers if entry["to"] not in names]
    if unknown:
        raise ValueError(f"replies.yaml answers phrases that do not exist: {', '.join(unknown)}")
    entries = sorted(answers, key=lambda entry: entry["to"])
    please = ", please" if context.options["TINY_POLITE"] == "ON" else ""
    count = context.limits["shards"]
    for number in range(count):
        chosen = shard(entries, "to", number, count)
        text = partial(replies_text, number, chosen, please)
        context.files.add(f"replies/Replies_{number}.c", digest(chosen), text)
    lines = "".join(f'    "{name}",\n' for name in names)
    context.files.add(
        "replies/names.py",
        digest(names),
        lambda: f'"""The phrases; made from phrases.yaml."""\n\nNAMES = (\n{lines})\n',
    )


def replies_text(number: int, entries: list[Entry], please: str) -> str:
    """Return the source of one shard of replies."""
    rows = "".join(f'    "{entry["reply"]}{please}",\n' for entry in entries)
    return (
        HEAD.format("phrases.yaml and replies.yaml")
        + "".join(f'#include "phrases/ops/{entry["to"]}.h"\n' for entry in entries)
        + f"\nconst char* const tiny_replies_{number}[] = {{\n{rows}    0,\n}};\n"
    )
