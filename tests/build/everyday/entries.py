"""Edits of what is generated from: entries of YAML files, templates, the generator."""

from __future__ import annotations

import re
from pathlib import Path

from .edit import NOTHING, Desk, Due, Edit, insert_line, replace_in

PHRASES, REPLIES, WORDS = "phrases.yaml", "replies.yaml", "words.yaml"
# A kernel of the project includes the header of this phrase.
KEPT = "thanks"
OF_NAMES = {"phrases/Phrases.h": 1, "phrases/Table.c": 1, "replies/names.py": 1}


class EntryFile:
    """A YAML list as blocks of text: comments stay with the entry above them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.head, *self.blocks = re.split(r"(?m)^(?=- )", path.read_text(encoding="utf-8"))

    def save(self) -> None:
        self._path.write_text(self.head + "".join(self.blocks), encoding="utf-8")

    def names(self) -> list[str]:
        """What follows the first key of each entry."""
        return [re.split(r"[:\s]+", block[2:].strip())[1] for block in self.blocks]

    def index(self, name: str) -> int:
        return self.names().index(name)


def open_entries(desk: Desk, name: str) -> EntryFile:
    return EntryFile(desk.root / name)


def removable(desk: Desk) -> list[str]:
    return [name for name in open_entries(desk, PHRASES).names() if name != KEPT]


def unanswered(desk: Desk) -> list[str]:
    answered = open_entries(desk, REPLIES).names()
    return [name for name in open_entries(desk, PHRASES).names() if name not in answered]


def kernels(desk: Desk) -> dict[str, Path]:
    """Each kernel's file."""
    found = {}
    for path in sorted((desk.root / "src/kernels").glob("*.c")):
        for name in re.findall(r"int tiny_kernel_(\w+)\(", path.read_text(encoding="utf-8")):
            found[name] = path
    return found


def comment(name: str, mark: str = "#") -> Edit:
    """A comment or a blank line, at any place of a file."""

    def apply(desk: Desk) -> Due:
        line = desk.chosen.choice([f"{mark} note {desk.number()}\n", "\n"])
        insert_line(desk, desk.root / name, line)
        return NOTHING

    return Edit(f"comment or blank line in {name}", apply)


def reorder(desk: Desk) -> Due:
    name = desk.chosen.choice([PHRASES, REPLIES, WORDS])
    file = open_entries(desk, name)
    desk.chosen.shuffle(file.blocks)
    file.save()
    desk.note(f"{name}: {', '.join(file.names() if name != WORDS else file.blocks)}")
    return Due({"src/words.c": 1}) if name == WORDS else NOTHING


def add_phrase(desk: Desk) -> Due:
    file = open_entries(desk, PHRASES)
    name, kernel = f"phrase_{desk.number()}", desk.chosen.choice(["", *kernels(desk)])
    block = f"- phrase: {name}\n  text: say {name}\n" + (f"  kernel: {kernel}\n" if kernel else "")
    file.blocks.insert(desk.chosen.randrange(len(file.blocks) + 1), block)
    file.save()
    desk.note(name)
    return Due({"phrases/ops/*.h": 1, "phrases/Register_*.c": 1, **OF_NAMES})


def change_phrase(desk: Desk) -> Due:
    file = open_entries(desk, PHRASES)
    place = desk.chosen.randrange(len(file.blocks))
    text = f"text: words {desk.number()}"
    file.blocks[place] = re.sub(r"text: .*", text, file.blocks[place])
    file.save()
    desk.note(file.names()[place])
    return Due({"phrases/Register_*.c": 1})


def rename_phrase(desk: Desk) -> Due:
    old, new = desk.chosen.choice(removable(desk)), f"phrase_{desk.number()}"
    replace_in(desk.root / PHRASES, f"- phrase: {old}\n", f"- phrase: {new}\n")
    desk.note(f"{old} to {new}")
    limits = {"phrases/ops/*.h": 2, "phrases/Register_*.c": 2, **OF_NAMES}
    if old in open_entries(desk, REPLIES).names():
        replace_in(desk.root / REPLIES, f"- to: {old}\n", f"- to: {new}\n")
        limits["replies/Replies_*.c"] = 2
    return Due(limits)


def remove_phrase(desk: Desk) -> Due:
    name = desk.chosen.choice(removable(desk))
    limits = {"phrases/ops/*.h": 1, "phrases/Register_*.c": 1, **OF_NAMES}
    for path, pattern in ((PHRASES, ""), (REPLIES, "replies/Replies_*.c")):
        file = open_entries(desk, path)
        if name in file.names():
            del file.blocks[file.index(name)]
            file.save()
            limits |= {pattern: 1} if pattern else {}
    desk.note(name)
    return Due(limits)


def add_reply(desk: Desk) -> Due:
    name, file = desk.chosen.choice(unanswered(desk)), open_entries(desk, REPLIES)
    file.blocks.append(f"- to: {name}\n  reply: answer {desk.number()}\n")
    file.save()
    desk.note(name)
    return Due({"replies/Replies_*.c": 1})


def change_reply(desk: Desk) -> Due:
    file = open_entries(desk, REPLIES)
    place = desk.chosen.randrange(len(file.blocks))
    text = f"reply: answer {desk.number()}"
    file.blocks[place] = re.sub(r"reply: .*", text, file.blocks[place])
    file.save()
    desk.note(file.names()[place])
    return Due({"replies/Replies_*.c": 1})


def remove_reply(desk: Desk) -> Due:
    file = open_entries(desk, REPLIES)
    place = desk.chosen.randrange(len(file.blocks))
    desk.note(file.names()[place])
    del file.blocks[place]
    file.save()
    return Due({"replies/Replies_*.c": 1})


def change_word(desk: Desk) -> Due:
    file = open_entries(desk, WORDS)
    word = f"- word {desk.number()}\n"
    if desk.chosen.random() < 0.5 and len(file.blocks) > 2:
        file.blocks[desk.chosen.randrange(len(file.blocks))] = word
    else:
        file.blocks.append(word)
    file.save()
    return Due({"src/words.c": 1})


def comment_in_template(desk: Desk) -> Due:
    insert_line(desk, desk.pick("templates/*"), f"//! note {desk.number()}\n")
    return NOTHING


def change_template(desk: Desk) -> Due:
    path = desk.pick("templates/*")
    insert_line(desk, path, f"/* note {desk.number()} */\n")
    return Due({"phrases/ops/*.h": 99} if path.suffix == ".h" else {"phrases/Register_*.c": 2})


def comment_in_generator(desk: Desk) -> Due:
    insert_line(desk, desk.pick("generator/*s.py"), f"# note {desk.number()}\n", before="def ")
    return NOTHING


def change_generator(desk: Desk) -> Due:
    path = desk.root / "generator/phrases.py"
    text = path.read_text(encoding="utf-8")
    head = f'HEAD = "/* Made by generator/phrases.py ({desk.number()}) from {{}}. */\\n"\n'
    path.write_text(re.sub(r"(?m)^HEAD = .*\n", lambda _: head, text), encoding="utf-8")
    return Due({"phrases/Phrases.h": 1, "phrases/Table.c": 1, "replies/Replies_*.c": 2})


def has_replies(desk: Desk) -> bool:
    return bool(open_entries(desk, REPLIES).blocks)


EDITS = (
    comment(PHRASES),
    comment(REPLIES),
    comment(WORDS),
    comment("build_config.toml"),
    Edit("entries reordered", reorder),
    Edit("entry added", add_phrase),
    Edit("entry changed", change_phrase),
    Edit("entry renamed", rename_phrase, lambda desk: bool(removable(desk))),
    Edit("entry removed", remove_phrase, lambda desk: bool(removable(desk))),
    Edit("entry of a second file added", add_reply, lambda desk: bool(unanswered(desk))),
    Edit("entry of a second file changed", change_reply, has_replies),
    Edit("entry of a second file removed", remove_reply, has_replies),
    Edit("entry of a plain stage changed", change_word),
    Edit("comment in a template", comment_in_template),
    Edit("text of a template", change_template),
    Edit("comment in a generator", comment_in_generator),
    Edit("behaviour of a generator", change_generator),
)
