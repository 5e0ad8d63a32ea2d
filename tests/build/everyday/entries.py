"""Edits to the inputs of code generation: entries of YAML files, templates, the generator."""

from __future__ import annotations

import re
from pathlib import Path

from .edit import NOTHING, Edit, Limits, Workspace, insert_line, replace_in

PHRASES, REPLIES, WORDS = "phrases.yaml", "replies.yaml", "words.yaml"
# One of the kernels includes the header of this phrase, so it must not be removed.
KEPT_PHRASE = "thanks"
NAME_LISTS = {"phrases/Phrases.h": 1, "phrases/Table.c": 1, "replies/names.py": 1}


class EntryFile:
    """A YAML list as blocks of text. A comment belongs to the entry above it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.head, *self.blocks = re.split(r"(?m)^(?=- )", path.read_text(encoding="utf-8"))

    def save(self) -> None:
        self._path.write_text(self.head + "".join(self.blocks), encoding="utf-8")

    def names(self) -> list[str]:
        """Return the value of the first key of each entry."""
        return [re.split(r"[:\s]+", block[2:].strip())[1] for block in self.blocks]

    def index(self, name: str) -> int:
        return self.names().index(name)


def open_entries(workspace: Workspace, name: str) -> EntryFile:
    return EntryFile(workspace.root / name)


def removable(workspace: Workspace) -> list[str]:
    return [name for name in open_entries(workspace, PHRASES).names() if name != KEPT_PHRASE]


def unanswered(workspace: Workspace) -> list[str]:
    answered = open_entries(workspace, REPLIES).names()
    return [name for name in open_entries(workspace, PHRASES).names() if name not in answered]


def kernels(workspace: Workspace) -> dict[str, Path]:
    """Return the file that defines each kernel."""
    found = {}
    for path in sorted((workspace.root / "src/kernels").glob("*.c")):
        for name in re.findall(r"int tiny_kernel_(\w+)\(", path.read_text(encoding="utf-8")):
            found[name] = path
    return found


def comment(name: str, mark: str = "#", before: str = "") -> Edit:
    """Return an edit that inserts a comment or a blank line in front of a line that starts so."""

    def apply(workspace: Workspace) -> Limits:
        line = workspace.rng.choice([f"{mark} note {workspace.number()}\n", "\n"])
        insert_line(workspace, workspace.root / name, line, before=before)
        return NOTHING

    return Edit(f"comment or blank line in {name}", apply)


def reorder(workspace: Workspace) -> Limits:
    name = workspace.rng.choice([PHRASES, REPLIES, WORDS])
    file = open_entries(workspace, name)
    workspace.rng.shuffle(file.blocks)
    file.save()
    workspace.note(f"{name}: {', '.join(file.names() if name != WORDS else file.blocks)}")
    return Limits({"src/words.c": 1}) if name == WORDS else NOTHING


def add_phrase(workspace: Workspace) -> Limits:
    file = open_entries(workspace, PHRASES)
    name, kernel = f"phrase_{workspace.number()}", workspace.rng.choice(["", *kernels(workspace)])
    block = f"- phrase: {name}\n  text: say {name}\n" + (f"  kernel: {kernel}\n" if kernel else "")
    file.blocks.insert(workspace.rng.randrange(len(file.blocks) + 1), block)
    file.save()
    workspace.note(name)
    return Limits({"phrases/ops/*.h": 1, "phrases/Register_*.c": 1, **NAME_LISTS})


def change_phrase(workspace: Workspace) -> Limits:
    file = open_entries(workspace, PHRASES)
    place = workspace.rng.randrange(len(file.blocks))
    text = f"text: words {workspace.number()}"
    file.blocks[place] = re.sub(r"text: .*", text, file.blocks[place])
    file.save()
    workspace.note(file.names()[place])
    return Limits({"phrases/Register_*.c": 1})


def rename_phrase(workspace: Workspace) -> Limits:
    old, new = workspace.rng.choice(removable(workspace)), f"phrase_{workspace.number()}"
    replace_in(workspace.root / PHRASES, f"- phrase: {old}\n", f"- phrase: {new}\n")
    workspace.note(f"{old} to {new}")
    generated = {"phrases/ops/*.h": 2, "phrases/Register_*.c": 2, **NAME_LISTS}
    if old in open_entries(workspace, REPLIES).names():
        replace_in(workspace.root / REPLIES, f"- to: {old}\n", f"- to: {new}\n")
        generated["replies/Replies_*.c"] = 2
    return Limits(generated)


def remove_phrase(workspace: Workspace) -> Limits:
    name = workspace.rng.choice(removable(workspace))
    generated = {"phrases/ops/*.h": 1, "phrases/Register_*.c": 1, **NAME_LISTS}
    for path, pattern in ((PHRASES, ""), (REPLIES, "replies/Replies_*.c")):
        file = open_entries(workspace, path)
        if name in file.names():
            del file.blocks[file.index(name)]
            file.save()
            generated |= {pattern: 1} if pattern else {}
    workspace.note(name)
    return Limits(generated)


def add_reply(workspace: Workspace) -> Limits:
    name, file = workspace.rng.choice(unanswered(workspace)), open_entries(workspace, REPLIES)
    file.blocks.append(f"- to: {name}\n  reply: answer {workspace.number()}\n")
    file.save()
    workspace.note(name)
    return Limits({"replies/Replies_*.c": 1})


def change_reply(workspace: Workspace) -> Limits:
    file = open_entries(workspace, REPLIES)
    place = workspace.rng.randrange(len(file.blocks))
    text = f"reply: answer {workspace.number()}"
    file.blocks[place] = re.sub(r"reply: .*", text, file.blocks[place])
    file.save()
    workspace.note(file.names()[place])
    return Limits({"replies/Replies_*.c": 1})


def remove_reply(workspace: Workspace) -> Limits:
    file = open_entries(workspace, REPLIES)
    place = workspace.rng.randrange(len(file.blocks))
    workspace.note(file.names()[place])
    del file.blocks[place]
    file.save()
    return Limits({"replies/Replies_*.c": 1})


def change_word(workspace: Workspace) -> Limits:
    file = open_entries(workspace, WORDS)
    word = f"- word {workspace.number()}\n"
    if workspace.rng.random() < 0.5 and len(file.blocks) > 2:
        file.blocks[workspace.rng.randrange(len(file.blocks))] = word
    else:
        file.blocks.append(word)
    file.save()
    return Limits({"src/words.c": 1})


def comment_in_template(workspace: Workspace) -> Limits:
    insert_line(workspace, workspace.pick("templates/*"), f"//! note {workspace.number()}\n")
    return NOTHING


def change_template(workspace: Workspace) -> Limits:
    path = workspace.pick("templates/*")
    insert_line(workspace, path, f"/* note {workspace.number()} */\n")
    return Limits({"phrases/ops/*.h": 99} if path.suffix == ".h" else {"phrases/Register_*.c": 2})


def comment_in_generator(workspace: Workspace) -> Limits:
    insert_line(
        workspace,
        workspace.pick("generator/*s.py"),
        f"# note {workspace.number()}\n",
        before="def ",
    )
    return NOTHING


def change_generator(workspace: Workspace) -> Limits:
    path = workspace.root / "generator/phrases.py"
    text = path.read_text(encoding="utf-8")
    head = f'HEAD = "/* Made by generator/phrases.py ({workspace.number()}) from {{}}. */\\n"\n'
    path.write_text(re.sub(r"(?m)^HEAD = .*\n", lambda _: head, text), encoding="utf-8")
    return Limits({"phrases/Phrases.h": 1, "phrases/Table.c": 1, "replies/Replies_*.c": 2})


def has_replies(workspace: Workspace) -> bool:
    return bool(open_entries(workspace, REPLIES).blocks)


EDITS = (
    comment(PHRASES),
    comment(REPLIES),
    comment(WORDS),
    comment("build_config.toml"),
    Edit("entries reordered", reorder),
    Edit("entry added", add_phrase),
    Edit("entry changed", change_phrase),
    Edit("entry renamed", rename_phrase, lambda workspace: bool(removable(workspace))),
    Edit("entry removed", remove_phrase, lambda workspace: bool(removable(workspace))),
    Edit("entry of a second file added", add_reply, lambda workspace: bool(unanswered(workspace))),
    Edit("entry of a second file changed", change_reply, has_replies),
    Edit("entry of a second file removed", remove_reply, has_replies),
    Edit("entry of a plain stage changed", change_word),
    Edit("comment in a template", comment_in_template),
    Edit("text of a template", change_template),
    Edit("comment in a generator", comment_in_generator),
    Edit("behaviour of a generator", change_generator),
)
