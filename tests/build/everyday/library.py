"""The campaign on the library of this repository itself: a clone, built with the machine's compiler cache."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ..fixture_project import ROOT, Project, make_environment
from . import places
from .campaign import deck
from .checkout import Checkout, Machine, Way
from .clean_builds import CleanBuilds, Expected
from .edit import ANYTHING, NOTHING, SOURCES, Desk, Due, Edit, insert_line
from .entries import comment
from .looks import Layout, Observer
from .walk import Verdict, Walk

LAYOUT = Layout("torch", ("aten", "torch"), ("bin", "lib", "stubs"))
NATIVE = "aten/src/ATen/native"
FUNCTIONS = f"{NATIVE}/native_functions.yaml"
DERIVATIVES = "tools/autograd/derivatives.yaml"
TEMPLATES = ("aten/src/ATen/templates/Reg*.cpp", "tools/autograd/templates/*Type.cpp")
STEPS = 60
# A whole clean build takes a minute even with a warm cache; the generated files are compared every time.
WHOLE_EVERY = 6

OPERATOR = """- func: {name}(Tensor self, int count={count}) -> Tensor
  variants: {variants}
  dispatch:
    CompositeExplicitAutograd: {name}

"""
DERIVATIVE = """- name: {name}(Tensor self, int count={count}) -> Tensor
  self: maybe_multiply(grad, count)

"""
KERNEL = """#include <ATen/core/Tensor.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/{name}_native.h>

namespace at::native {{
Tensor {name}(const Tensor& self, int64_t count) {{
  return at::mul(self, count);
}}
}}  // namespace at::native
"""
OVERLOAD = """- func: {name}.sum(Tensor self, Tensor other) -> Tensor
  variants: function
  dispatch:
    CompositeExplicitAutograd: {name}_sum

"""
OVERLOAD_KERNEL = """
#include <ATen/ops/add.h>

namespace at::native {{
Tensor {name}_sum(const Tensor& self, const Tensor& other) {{
  return at::add(self, other);
}}
}}  // namespace at::native
"""


class LibraryCheckout(Checkout):
    """Built with the machine's own programs, for the cache's sake."""

    def key(self) -> str:
        """Include the commit, which the package reports."""
        return self.git("rev-parse", "HEAD") + super().key()

    def variables(self, **environ: str) -> dict[str, str]:
        own = super().variables()
        path = {"PATH": Project.variables(self)["PATH"]}
        kept = {k: v for k, v in os.environ.items() if k.startswith("CCACHE_")}
        return {**{k: v for k, v in own.items() if k != "CCACHE_DIR"}, **path, **kept, **environ}


class LibraryCleanBuilds(CleanBuilds):
    """Of a clone at the same commit, since the package tells which that is."""

    def copy_sources(self, checkout: Checkout) -> None:
        target = self.checkout.root
        command = ["git", "clone", "--quiet", "--shared", str(checkout.root), str(target)]
        subprocess.run(command, check=True)
        for entry in target.iterdir():
            if entry.name != ".git":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        checkout.copy_sources(target)

    def build(self, checkout: Checkout, way: Way) -> Expected:
        """With the compiler cache: the campaign on the fixture project is the one that goes without."""
        self.checkout.settings = checkout.settings
        return self.made(way)


def operators(desk: Desk) -> list[str]:
    text = (desk.root / FUNCTIONS).read_text(encoding="utf-8")
    return re.findall(r"(?m)^- func: (everyday_\d+)\(", text)


def insert_entry(path: Path, desk: Desk, block: str, kind: str) -> None:
    """In front of an entry that is there."""
    text = path.read_text(encoding="utf-8")
    places = [match.start() for match in re.finditer(rf"(?m)^- {kind}: ", text)]
    place = desk.chosen.choice(places)
    path.write_text(text[:place] + block + text[place:], encoding="utf-8")


def drop_entries(path: Path, name: str) -> None:
    """All overloads of an operator."""
    text = path.read_text(encoding="utf-8")
    blocks = re.split(r"(?m)^(?=- )", text)
    mine = re.compile(rf"- (func|name): {name}[.(]")
    path.write_text("".join(b for b in blocks if not mine.match(b)), encoding="utf-8")


def kernel_of(desk: Desk, name: str) -> Path:
    return desk.root / NATIVE / f"Everyday_{name.partition('_')[2]}.cpp"


def add_operator(variants: str) -> Callable[[Desk], Due]:
    def apply(desk: Desk) -> Due:
        name = f"everyday_{desk.number()}"
        entry = {"name": name, "count": desk.chosen.randrange(9), "variants": variants}
        insert_entry(desk.root / FUNCTIONS, desk, OPERATOR.format(**entry), "func")
        insert_entry(desk.root / DERIVATIVES, desk, DERIVATIVE.format(**entry), "name")
        kernel_of(desk, name).write_text(KERNEL.format(**entry), encoding="utf-8")
        desk.note(name)
        return SOURCES_OF_OPERATORS

    return apply


def add_overload(desk: Desk) -> Due:
    name = desk.chosen.choice(without_overload(desk))
    insert_entry(desk.root / FUNCTIONS, desk, OVERLOAD.format(name=name), "func")
    with kernel_of(desk, name).open("a", encoding="utf-8") as file:
        file.write(OVERLOAD_KERNEL.format(name=name))
    derivative = f"- name: {name}.sum(Tensor self, Tensor other) -> Tensor\n  self, other: grad\n\n"
    derivative = derivative.replace("self, other: grad", "self: grad\n  other: grad")
    insert_entry(desk.root / DERIVATIVES, desk, derivative, "name")
    desk.note(name)
    return SOURCES_OF_OPERATORS


def without_overload(desk: Desk) -> list[str]:
    text = (desk.root / FUNCTIONS).read_text(encoding="utf-8")
    return [name for name in operators(desk) if f"{name}.sum(" not in text]


def change_operator(desk: Desk) -> Due:
    """Another default."""
    name, count = desk.chosen.choice(operators(desk)), desk.chosen.randrange(10, 99)
    for path in (FUNCTIONS, DERIVATIVES):
        text = (desk.root / path).read_text(encoding="utf-8")
        pattern = rf"({name}\(Tensor self, int count=)\d+"
        (desk.root / path).write_text(re.sub(pattern, rf"\g<1>{count}", text), encoding="utf-8")
    desk.note(name)
    return SOURCES_OF_OPERATORS


def rename_operator(desk: Desk) -> Due:
    old, new = desk.chosen.choice(operators(desk)), f"everyday_{desk.number()}"
    kernel_of(desk, old).rename(kernel_of(desk, new))
    for path in (desk.root / FUNCTIONS, desk.root / DERIVATIVES, kernel_of(desk, new)):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(old, new), encoding="utf-8")
    desk.note(f"{old} to {new}")
    return SOURCES_OF_OPERATORS


def remove_operator(desk: Desk) -> Due:
    name = desk.chosen.choice(operators(desk))
    drop_entries(desk.root / FUNCTIONS, name)
    drop_entries(desk.root / DERIVATIVES, name)
    kernel_of(desk, name).unlink()
    desk.note(name)
    return SOURCES_OF_OPERATORS


def comment_in_template(desk: Desk) -> Due:
    """For readers of the template: no generated file has it."""
    path = desk.pick(desk.chosen.choice(TEMPLATES))
    insert_line(desk, path, f"// note {desk.number()}\n", before="//@section")
    return NOTHING


def comment_in_generator(desk: Desk) -> Due:
    insert_line(
        desk, desk.pick("tools/codegen/emit/*.py"), f"# note {desk.number()}\n", before="def "
    )
    return NOTHING


def change_kernel(desk: Desk) -> Due:
    path = desk.pick(f"{NATIVE}/Fill*.cpp")
    with path.open("a", encoding="utf-8") as file:
        file.write(f"// note {desk.number()}\n")
    return SOURCES


def add_kernel(desk: Desk) -> Due:
    number = desk.number()
    path = desk.root / NATIVE / f"Unused_{number}.cpp"
    path.write_text(f"namespace at::native {{\nint unused_{number} = {number};\n}}\n", "utf-8")
    desk.note(path)
    return SOURCES


def delete_kernel(desk: Desk) -> Due:
    desk.pick(f"{NATIVE}/Unused_*.cpp").unlink()
    return SOURCES


def change_header(name: str) -> Edit:
    """A note on a line that is there: the compiler cache knows what the compiler would see."""

    def apply(desk: Desk) -> Due:
        path = desk.root / name
        text = path.read_text(encoding="utf-8")
        line = f"#pragma once // note {desk.number()}"
        path.write_text(re.sub(r"(?m)^#pragma once.*$", line, text, count=1), encoding="utf-8")
        return SOURCES

    return Edit(f"{name} edited", apply)


def touch(desk: Desk) -> Due:
    for pattern in ("c10/util/*.h", f"{NATIVE}/*.cpp", FUNCTIONS, "tools/codegen/*.py"):
        os.utime(desk.pick(pattern))
    return NOTHING


def change_module(desk: Desk) -> Due:
    path = desk.root / "torch" / "everyday.py"
    if path.exists() and desk.chosen.random() < 0.4:
        path.unlink()
    else:
        path.write_text(f'"""Number {desk.number()}."""\n', encoding="utf-8")
    return NOTHING


def change_option(desk: Desk) -> Due:
    desk.checkout.settings = desk.checkout.settings.with_options(
        PYTORCH_BUILD_VERSION="" if "PYTORCH_BUILD_VERSION" in options(desk) else "7.7.7"
    )
    return ANYTHING


def change_flags(desk: Desk) -> Due:
    """Of the few files of C."""
    flags = "" if "CFLAGS" in options(desk) else "-DEVERYDAY=1"
    desk.checkout.settings = desk.checkout.settings.with_options(CFLAGS=flags)
    return SOURCES


def other_commit_and_back(desk: Desk) -> Due:
    """The edits are committed first, so the package reports a new commit."""
    places.other_commit_and_back(desk)
    return Due({"torch/version.py": 1}, compiles=False)


def options(desk: Desk) -> dict[str, str]:
    return desk.checkout.settings.options


def has_operators(desk: Desk) -> bool:
    return bool(operators(desk))


# A new operator comes with headers of its own; of each family one shard and the files of all change.
SOURCES_OF_OPERATORS = Due({"*/ops/*": 12, "*": 60})
EDITS = (
    comment(FUNCTIONS),
    comment(DERIVATIVES),
    comment("tools/autograd/deprecated.yaml"),
    comment(f"{NATIVE}/tags.yaml"),
    comment(f"{NATIVE}/operator_docs.yaml"),
    comment("build_config.toml"),
    Edit("comment in a template", comment_in_template),
    Edit("comment in a generator", comment_in_generator),
    Edit("operator added as a function", add_operator("function")),
    Edit("operator added as a method", add_operator("function, method")),
    Edit("overload added", add_overload, lambda desk: bool(without_overload(desk))),
    Edit("default of an operator changed", change_operator, has_operators),
    Edit("operator renamed", rename_operator, has_operators),
    Edit("operator removed", remove_operator, has_operators),
    Edit("kernel edited", change_kernel),
    Edit("kernel added", add_kernel),
    Edit("kernel deleted", delete_kernel, lambda d: any((d.root / NATIVE).glob("Unused_*.cpp"))),
    change_header("c10/util/safe_numerics.h"),
    change_header("aten/src/ATen/TensorIterator.h"),
    Edit("touched without a change", touch),
    Edit("Python file added, edited or deleted", change_module),
    Edit("another commit checked out", places.other_commit),
    Edit("another commit and back", other_commit_and_back),
    Edit("option changed", change_option),
    Edit("CFLAGS changed", change_flags),
    Edit("tree copied", places.copy_tree),
    Edit("nothing edited", places.nothing),
)


@dataclass
class LibraryWalk:
    """One walk in a clone."""

    folder: Path
    seed: int

    def walk(self) -> Walk:
        root = self.folder / "place" / "checkout"
        command = ["git", "clone", "--quiet", "--shared", str(ROOT), str(root)]
        subprocess.run(command, check=True)
        machine = Machine.set_up(self.folder / "machine")
        checkout = LibraryCheckout(root, make_environment(self.folder / "environment"), machine)
        clean = LibraryCheckout(
            self.folder / "clean" / "checkout", make_environment(self.folder / "other"), machine
        )
        observer = Observer(LAYOUT)
        name = f"seed {self.seed}, library"
        desk = Desk(checkout, self.folder, random.Random(name))
        places.name_author(desk)
        places.commit(desk)
        add_operator("function")(desk)
        places.commit(desk)
        clean_builds = LibraryCleanBuilds(clean, observer)
        return Walk(name, desk, clean_builds, observer, whole_every=WHOLE_EVERY)

    def campaign(self, steps: int, report: Callable[[Verdict], None]) -> list[Verdict]:
        return self.walk().go([*islice(deck(self.seed, EDITS), steps)], steps, report)
