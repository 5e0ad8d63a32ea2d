"""The campaign on torch itself: a clone of this repository, built with a compiler cache."""

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
from .campaign import shuffled_edits
from .checkout import BuildMethod, Checkout, Machine
from .clean_builds import CleanBuilds, Expected
from .edit import ANYTHING, NOTHING, SOURCES, Edit, Limits, Workspace, insert_line
from .entries import comment
from .file_states import Layout, Observer
from .walk import Verdict, Walk

LAYOUT = Layout("torch", ("aten", "torch"), ("bin", "lib", "stubs"))
NATIVE = "aten/src/ATen/native"
FUNCTIONS = f"{NATIVE}/native_functions.yaml"
DERIVATIVES = "tools/autograd/derivatives.yaml"
TEMPLATES = ("aten/src/ATen/templates/Reg*.cpp", "tools/autograd/templates/*Type.cpp")
STEPS = 60
# A full clean build takes a minute even with a warm cache. Generated files are compared at every step.
FULL_EVERY = 6

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
    """A checkout built with the machine's own PATH, to share its compiler cache."""

    def key(self) -> str:
        """Include the commit, which the package reports."""
        return self.git("rev-parse", "HEAD") + super().key()

    def variables(self, **environ: str) -> dict[str, str]:
        own = super().variables()
        path = {"PATH": Project.variables(self)["PATH"]}
        kept = {k: v for k, v in os.environ.items() if k.startswith("CCACHE_")}
        return {**{k: v for k, v in own.items() if k != "CCACHE_DIR"}, **path, **kept, **environ}


class LibraryCleanBuilds(CleanBuilds):
    """Clean builds in a clone at the same commit, because the package contains the commit's hash."""

    def copy_sources(self, checkout: Checkout) -> None:
        target = self.checkout.root
        command = ["git", "clone", "--quiet", "--shared", str(checkout.root), str(target)]
        subprocess.run(command, check=True)
        for entry in target.iterdir():
            if entry.name != ".git":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        checkout.copy_sources(target)

    def build(self, checkout: Checkout, method: BuildMethod) -> Expected:
        """Build with the compiler cache. Only the campaign on the fixture project does without it."""
        self.checkout.settings = checkout.settings
        return self.run(method)


def operators(workspace: Workspace) -> list[str]:
    text = (workspace.root / FUNCTIONS).read_text(encoding="utf-8")
    return re.findall(r"(?m)^- func: (everyday_\d+)\(", text)


def insert_entry(path: Path, workspace: Workspace, block: str, kind: str) -> None:
    """Insert an entry in front of a random existing one."""
    text = path.read_text(encoding="utf-8")
    places = [match.start() for match in re.finditer(rf"(?m)^- {kind}: ", text)]
    place = workspace.rng.choice(places)
    path.write_text(text[:place] + block + text[place:], encoding="utf-8")


def drop_entries(path: Path, name: str) -> None:
    """Remove all overloads of an operator."""
    text = path.read_text(encoding="utf-8")
    blocks = re.split(r"(?m)^(?=- )", text)
    mine = re.compile(rf"- (func|name): {name}[.(]")
    path.write_text("".join(b for b in blocks if not mine.match(b)), encoding="utf-8")


def kernel_of(workspace: Workspace, name: str) -> Path:
    return workspace.root / NATIVE / f"Everyday_{name.partition('_')[2]}.cpp"


def add_operator(variants: str) -> Callable[[Workspace], Limits]:
    def apply(workspace: Workspace) -> Limits:
        name = f"everyday_{workspace.number()}"
        entry = {"name": name, "count": workspace.rng.randrange(9), "variants": variants}
        insert_entry(workspace.root / FUNCTIONS, workspace, OPERATOR.format(**entry), "func")
        insert_entry(workspace.root / DERIVATIVES, workspace, DERIVATIVE.format(**entry), "name")
        kernel_of(workspace, name).write_text(KERNEL.format(**entry), encoding="utf-8")
        workspace.note(name)
        return SOURCES_OF_OPERATORS

    return apply


def add_overload(workspace: Workspace) -> Limits:
    name = workspace.rng.choice(without_overload(workspace))
    insert_entry(workspace.root / FUNCTIONS, workspace, OVERLOAD.format(name=name), "func")
    with kernel_of(workspace, name).open("a", encoding="utf-8") as file:
        file.write(OVERLOAD_KERNEL.format(name=name))
    derivative = f"- name: {name}.sum(Tensor self, Tensor other) -> Tensor\n  self, other: grad\n\n"
    derivative = derivative.replace("self, other: grad", "self: grad\n  other: grad")
    insert_entry(workspace.root / DERIVATIVES, workspace, derivative, "name")
    workspace.note(name)
    return SOURCES_OF_OPERATORS


def without_overload(workspace: Workspace) -> list[str]:
    text = (workspace.root / FUNCTIONS).read_text(encoding="utf-8")
    return [name for name in operators(workspace) if f"{name}.sum(" not in text]


def change_operator(workspace: Workspace) -> Limits:
    """Change the default of an argument."""
    name, count = workspace.rng.choice(operators(workspace)), workspace.rng.randrange(10, 99)
    for path in (FUNCTIONS, DERIVATIVES):
        text = (workspace.root / path).read_text(encoding="utf-8")
        pattern = rf"({name}\(Tensor self, int count=)\d+"
        (workspace.root / path).write_text(
            re.sub(pattern, rf"\g<1>{count}", text), encoding="utf-8"
        )
    workspace.note(name)
    return SOURCES_OF_OPERATORS


def rename_operator(workspace: Workspace) -> Limits:
    old, new = workspace.rng.choice(operators(workspace)), f"everyday_{workspace.number()}"
    kernel_of(workspace, old).rename(kernel_of(workspace, new))
    for path in (
        workspace.root / FUNCTIONS,
        workspace.root / DERIVATIVES,
        kernel_of(workspace, new),
    ):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(old, new), encoding="utf-8")
    workspace.note(f"{old} to {new}")
    return SOURCES_OF_OPERATORS


def remove_operator(workspace: Workspace) -> Limits:
    name = workspace.rng.choice(operators(workspace))
    drop_entries(workspace.root / FUNCTIONS, name)
    drop_entries(workspace.root / DERIVATIVES, name)
    kernel_of(workspace, name).unlink()
    workspace.note(name)
    return SOURCES_OF_OPERATORS


def comment_in_template(workspace: Workspace) -> Limits:
    """Insert a comment that is not copied into the generated files."""
    path = workspace.pick(workspace.rng.choice(TEMPLATES))
    insert_line(workspace, path, f"// note {workspace.number()}\n", before="//@section")
    return NOTHING


def comment_in_generator(workspace: Workspace) -> Limits:
    insert_line(
        workspace,
        workspace.pick("tools/codegen/emit/*.py"),
        f"# note {workspace.number()}\n",
        before="def ",
    )
    return NOTHING


def change_kernel(workspace: Workspace) -> Limits:
    path = workspace.pick(f"{NATIVE}/Fill*.cpp")
    with path.open("a", encoding="utf-8") as file:
        file.write(f"// note {workspace.number()}\n")
    return SOURCES


def add_kernel(workspace: Workspace) -> Limits:
    number = workspace.number()
    path = workspace.root / NATIVE / f"Unused_{number}.cpp"
    path.write_text(f"namespace at::native {{\nint unused_{number} = {number};\n}}\n", "utf-8")
    workspace.note(path)
    return SOURCES


def delete_kernel(workspace: Workspace) -> Limits:
    workspace.pick(f"{NATIVE}/Unused_*.cpp").unlink()
    return SOURCES


def change_header(name: str) -> Edit:
    """Return an edit that adds a comment to an existing line, so that the cache still has a hit."""

    def apply(workspace: Workspace) -> Limits:
        path = workspace.root / name
        text = path.read_text(encoding="utf-8")
        line = f"#pragma once // note {workspace.number()}"
        path.write_text(re.sub(r"(?m)^#pragma once.*$", line, text, count=1), encoding="utf-8")
        return SOURCES

    return Edit(f"{name} edited", apply)


def touch(workspace: Workspace) -> Limits:
    for pattern in ("c10/util/*.h", f"{NATIVE}/*.cpp", FUNCTIONS, "tools/codegen/*.py"):
        os.utime(workspace.pick(pattern))
    return NOTHING


def change_module(workspace: Workspace) -> Limits:
    path = workspace.root / "torch" / "everyday.py"
    if path.exists() and workspace.rng.random() < 0.4:
        path.unlink()
    else:
        path.write_text(f'"""Number {workspace.number()}."""\n', encoding="utf-8")
    return NOTHING


def change_option(workspace: Workspace) -> Limits:
    workspace.checkout.settings = workspace.checkout.settings.with_options(
        PYTORCH_BUILD_VERSION="" if "PYTORCH_BUILD_VERSION" in options(workspace) else "7.7.7"
    )
    return ANYTHING


def change_flags(workspace: Workspace) -> Limits:
    """Change the flags of the C compiler, which compiles only a few files."""
    flags = "" if "CFLAGS" in options(workspace) else "-DEVERYDAY=1"
    workspace.checkout.settings = workspace.checkout.settings.with_options(CFLAGS=flags)
    return SOURCES


def other_commit_and_back(workspace: Workspace) -> Limits:
    """The edits are committed first, so the package reports a new commit."""
    places.other_commit_and_back(workspace)
    return Limits({"torch/version.py": 1}, compiles=False)


def options(workspace: Workspace) -> dict[str, str]:
    return workspace.checkout.settings.options


def has_operators(workspace: Workspace) -> bool:
    return bool(operators(workspace))


# A new operator adds its own headers, and changes one shard of each family and the unsharded files.
SOURCES_OF_OPERATORS = Limits({"*/ops/*": 12, "*": 60})
EDITS = (
    comment(FUNCTIONS),
    comment(DERIVATIVES),
    comment("tools/autograd/deprecated.yaml"),
    comment(f"{NATIVE}/tags.yaml"),
    comment(f"{NATIVE}/operator_docs.yaml", before="- "),  # elsewhere it would be part of a text
    comment("build_config.toml"),
    Edit("comment in a template", comment_in_template),
    Edit("comment in a generator", comment_in_generator),
    Edit("operator added as a function", add_operator("function")),
    Edit("operator added as a method", add_operator("function, method")),
    Edit("overload added", add_overload, lambda workspace: bool(without_overload(workspace))),
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
    """Creates and runs one walk in a clone."""

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
        workspace = Workspace(checkout, self.folder, random.Random(name))
        places.name_author(workspace)
        places.commit(workspace)
        add_operator("function")(workspace)
        places.commit(workspace)
        clean_builds = LibraryCleanBuilds(clean, observer)
        return Walk(name, workspace, clean_builds, observer, full_every=FULL_EVERY)

    def campaign(self, steps: int, report: Callable[[Verdict], None]) -> list[Verdict]:
        return self.walk().run([*islice(shuffled_edits(self.seed, EDITS), steps)], steps, report)
