"""Read the rows of build_config.toml that need checks beyond the types of their fields."""

from __future__ import annotations

from typing import TypeVar

from tools.base.suggest import did_you_mean

from . import config as c
from .row_reader import read_row
from .table_reader import TableReader

E = TypeVar("E", c.Stage, c.Topic)


def read_option(name: str, reader: TableReader) -> c.Option:
    """Read an option; `name` is the name of its table. Switches have other defaults than texts."""
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
    """Read a stage and check its entry point."""
    return _with_entry(read_row(c.Stage, reader), reader)


def read_topic(reader: TableReader) -> c.Topic:
    """Read a topic and check its entry point."""
    return _with_entry(read_row(c.Topic, reader), reader)


def read_requirement(reader: TableReader) -> c.Requirement:
    """Read a requirement. Without a remedy in the row, the remedy is to install its `pip` distribution."""
    pip = reader.string("pip", "")
    remedy = reader.string("remedy", f"python -m pip install {pip}" if pip else None)
    return read_row(c.Requirement, reader, pip=pip, remedy=remedy)


def read_foreign(reader: TableReader) -> c.ForeignVariables:
    """Read foreign variables and check their harmless value."""
    row = read_row(c.ForeignVariables, reader)
    if row.harmless not in ("ON", "OFF"):
        reader.note("harmless", f"harmless must be ON or OFF, not {row.harmless!r}", True)
    return row


def read_packaging(reader: TableReader) -> c.Packaging:
    """Read the packaging section with its file rules."""
    rules = []
    for table in reader.tables("files"):
        rules.append(read_row(c.FileRule, table))
        table.finish()
    return read_row(c.Packaging, reader, files=tuple(rules))


def _with_entry(row: E, reader: TableReader) -> E:
    if row.entry.count(":") != 1:
        reader.note("entry", f"entry must be 'module:function', not {row.entry!r}", True)
    return row
