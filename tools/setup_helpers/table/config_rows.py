"""The rows of build_config.toml that need more than their fields' types say."""

from __future__ import annotations

from typing import TypeVar

from ..suggest import did_you_mean
from . import config as c
from .row_reader import read_row
from .table_reader import TableReader

E = TypeVar("E", c.Stage, c.Topic)


def read_option(name: str, reader: TableReader) -> c.Option:
    """The defaults of a switch differ from those of a text; `name` is the table's own."""
    kind = reader.choice("type", c.OptionType, c.OptionType.BOOL)
    auto, switch = kind is c.OptionType.AUTO, kind.is_switch
    option = read_row(
        c.Option,
        reader,
        name=name,
        type=kind,
        default=reader.string("default", "auto" if auto else "OFF" if switch else ""),
        when_unmet=reader.string("when_unmet", "OFF" if switch else ""),
    )
    default, choices, role = option.default, option.choices, option.role
    if kind is c.OptionType.CHOICE and default not in choices:
        nearest = did_you_mean(default, choices)
        reader.note("default", f"default {default!r} is not one of the choices{nearest}", True)
    if switch and default not in ("ON", "OFF", *(("auto",) if auto else ())):
        reader.note("default", f"default of {name} must be ON or OFF, not {default!r}", True)
    if auto and not option.probe:
        reader.note("", f"{name} is auto, so it needs a probe")
    if role and role not in c.ROLES:
        reader.note("role", f"unknown role {role!r}{did_you_mean(role, c.ROLES)}", True)
    return option


def read_stage(reader: TableReader) -> c.Stage:
    return _with_entry(read_row(c.Stage, reader), reader)


def read_topic(reader: TableReader) -> c.Topic:
    return _with_entry(read_row(c.Topic, reader), reader)


def read_requirement(reader: TableReader) -> c.Requirement:
    """What pip can bring is mended by pip, unless the row says otherwise."""
    pip = reader.string("pip", "")
    remedy = reader.string("remedy", f"python -m pip install {pip}" if pip else None)
    return read_row(c.Requirement, reader, pip=pip, remedy=remedy)


def read_packaging(reader: TableReader) -> c.Packaging:
    rules = []
    for table in reader.tables("files"):
        rules.append(read_row(c.FileRule, table))
        table.finish()
    return read_row(c.Packaging, reader, files=tuple(rules))


def _with_entry(row: E, reader: TableReader) -> E:
    if row.entry.count(":") != 1:
        reader.note("entry", f"entry must be 'module:function', not {row.entry!r}", True)
    return row
