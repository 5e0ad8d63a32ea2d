"""Write the index of operators: name, schemas, kernels and gradients, from the operator files themselves."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from tools.drivers.facts import facts
from tools.drivers.inputs import InputFiles

Record = Mapping[str, Any]

_HEAD = """\
:hide-toc:

Operator index
==============

Every operator that the build declares, by its name in the dispatcher: the schema of each overload, the dispatch keys for
which it has a kernel, and the Node that computes its gradient. A name links to the docstring of the Python function or
method. ``python setup.py explain operator NAME`` shows where the kernels are. :doc:`operators` describes how to
add an operator.

"""


def read_records(root: Path) -> dict[str, Record]:
    """Return the facts of every operator by its full name."""
    native, autograd = root / "aten/src/ATen/native", root / "tools/autograd"
    inputs = InputFiles.read(
        native / "native_functions.yaml",
        native / "tags.yaml",
        autograd / "derivatives.yaml",
        autograd / "deprecated.yaml",
        native / "operator_docs.yaml",
    ).build()
    return dict(facts(inputs.operators, inputs.derivatives, inputs.deprecated))


def page(records: Mapping[str, Record], documented: Mapping[str, str]) -> str:
    """Return the page. `documented` has the full Python name of each operator with an entry."""
    lines = [_HEAD]
    by_name = groupby(sorted(records, key=_order), key=lambda name: name.partition(".")[0])
    families = [(name, list(members)) for name, members in by_name]
    for initial, group in groupby(families, key=lambda family: _initial(family[0])):
        lines += [initial, "-" * len(initial), ""]
        lines += [".. list-table::", "   :class: operators", "   :header-rows: 1"]
        lines += ["   :widths: 20 46 18 16", ""]
        lines += ["   * - operator", "     - schema", "     - kernels", "     - gradient"]
        for name, members in group:
            target = documented.get(name, "")
            title = f":py:obj:`{name} <{target}>`" if target else f"``{name}``"
            for position, member in enumerate(members):
                record = records[member]
                lines.append(f"   * - {'' if position else title}")
                lines.append(f"     - ``{record['schema']}``")
                lines.append(f"     - {', '.join(_kernels(record))}")
                lines.append(f"     - {_gradient(record)}")
        lines.append("")
    return "\n".join(lines)


def _order(name: str) -> tuple[str, str, str]:
    base = name.partition(".")[0]
    return base.strip("_").lower(), base, name


def _initial(name: str) -> str:
    return name.strip("_")[0].upper()


def _kernels(record: Record) -> list[str]:
    keys = list(record["dispatch"])
    if record["composite_implicit"] and "CompositeImplicitAutograd" not in keys:
        keys.append("CompositeImplicitAutograd")
    if record["structured_delegate"]:
        keys.append(f"from ``{record['structured_delegate']}``")
    return keys


def _gradient(record: Record) -> str:
    derivative = record["autograd"] or record["autograd_derived"]
    node = derivative["node"] if derivative else None
    return f"``{node}``" if node else ""
