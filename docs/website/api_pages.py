"""Write the pages of the API reference: one for each public module of torch, and one for torch.Tensor."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import torch
from website.docstrings import summary


@dataclass(frozen=True)
class Entry:
    """A public name of a module."""

    name: str
    directive: str
    """The autodoc directive that documents it; empty if it is documented elsewhere or is a value."""
    summary: str
    target: str
    """The full name under which it is documented; empty for values."""


@dataclass
class Page:
    """A module and what it documents."""

    module: str
    summary: str
    entries: list[Entry] = field(default_factory=list)

    @property
    def documented(self) -> list[Entry]:
        return [entry for entry in self.entries if entry.directive]


def collect() -> list[Page]:
    """Return a page for each public module that documents something.

    An object is documented once, in the module with the shortest name; other modules refer to it.
    """
    homes: dict[int, str] = {}
    kept: list[object] = []  # objects that modules make when asked, so that no id is used again
    pages = [_page(module, homes, kept) for module in _public_modules()]
    return [page for page in pages if page.documented]


def _public_modules() -> Iterator[types.ModuleType]:
    names = [found.name for found in pkgutil.walk_packages(torch.__path__, "torch.")]
    public = [name for name in names if not any(part.startswith("_") for part in name.split("."))]
    for name in sorted(["torch", *public], key=lambda name: (name.count("."), name)):
        yield importlib.import_module(name)


def _page(module: types.ModuleType, homes: dict[int, str], kept: list[object]) -> Page:
    name = module.__name__
    page = Page(name, summary(module.__doc__))
    members = [(attribute, getattr(module, attribute)) for attribute in _public_names(module)]
    kept.append(members)
    for attribute, value in members:  # the first name of an object, rather than a second one
        if getattr(value, "__name__", "") == attribute:
            homes.setdefault(id(value), f"{name}.{attribute}")
    for attribute, value in members:
        full_name = f"{name}.{attribute}"
        if inspect.isclass(value):
            directive = "autoclass"
        elif _is_function(value):
            directive = "autofunction"
        else:
            page.entries.append(Entry(attribute, "", f"A {type(value).__name__}.", ""))
            continue
        home = homes.setdefault(id(value), full_name)
        if value in torch.Tensor.__mro__ and home == full_name:  # it has a page of its own
            page.entries.append(Entry(attribute, "", summary(value.__doc__), "torch.Tensor"))
        elif home == full_name and inspect.getdoc(value):
            page.entries.append(Entry(attribute, directive, summary(value.__doc__), home))
        elif home != full_name:
            page.entries.append(Entry(attribute, "", f"The same as :py:obj:`{home}`.", ""))
    return page


def _public_names(module: types.ModuleType) -> list[str]:
    listed = getattr(module, "__all__", None)
    if listed is None:
        listed = [name for name, value in vars(module).items() if _belongs(value, module.__name__)]
    return sorted(
        (name for name in listed if not name.startswith("_") and _is_shown(getattr(module, name))),
        key=str.lower,
    )


def _is_function(value: object) -> bool:
    return inspect.isroutine(value) or isinstance(value, torch._C._CheckedFunction)


def _belongs(value: object, module: str) -> bool:
    home = getattr(value, "__module__", None)
    return home == module or str(home).startswith(f"{module}.") or inspect.isbuiltin(value)


def _is_shown(value: object) -> bool:
    return not inspect.ismodule(value) and getattr(value, "__module__", None) not in (
        "typing",
        "collections.abc",
    )


def names_of_operators(pages: list[Page]) -> dict[str, str]:
    """Return the full Python name of each operator that has an entry, by its name in the dispatcher."""
    names = {name: f"torch.Tensor.{name}" for name in dir(torch.Tensor) if not name.startswith("_")}
    for page in pages:
        if page.module in ("torch", "torch.nn.functional", "torch.linalg"):
            prefix = "linalg_" if page.module == "torch.linalg" else ""
            names |= {f"{prefix}{entry.name}": entry.target for entry in page.documented}
    return names


def write(folder: Path, pages: list[Page]) -> None:
    """Write the pages and their index."""
    objects = {entry.target for page in pages for entry in page.documented}
    for page in pages:
        text = _text_of(page, is_also_object=page.module in objects)
        (folder / f"{page.module}.rst").write_text(text, encoding="utf-8")
    (folder / "torch.Tensor.rst").write_text(_TENSOR, encoding="utf-8")
    modules = sorted(page.module for page in pages if page.module != "torch")
    names = ["torch", "torch.Tensor", *modules]
    (folder / "index.rst").write_text(_INDEX.format(names="\n   ".join(names)), encoding="utf-8")


_INDEX = """\
API reference
=============

Everything that ``import torch`` offers, from the docstrings of the built package. It follows PyTorch 2.13; what is
missing here is missing in the package. :doc:`../operators-index` lists the operators behind it.

.. toctree::
   :maxdepth: 1

   {names}
"""

_TENSOR = """\
torch.Tensor
============

.. autoclass:: torch.Tensor
   :inherited-members:
"""


def _text_of(page: Page, *, is_also_object: bool) -> str:
    lines = [page.module, "=" * len(page.module), "", page.summary, ""]
    if not is_also_object:  # such as torch.multiprocessing.spawn, which is a function, too
        lines += [f".. py:module:: {page.module}", ""]
    lines += [".. list-table::", "   :widths: 30 70", ""]
    for entry in page.entries:
        shown = f":py:obj:`{entry.name} <{entry.target}>`" if entry.target else f"``{entry.name}``"
        lines += [f"   * - {shown}", f"     - {entry.summary}"]
    lines.append("")
    for entry in page.documented:
        lines += [f".. {entry.directive}:: {entry.target}", ""]
    return "\n".join(lines)
