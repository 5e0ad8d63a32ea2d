"""The options last resolved for CMake in a build directory, and how they differ from the present ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.base.errors import environment_error
from tools.base.store import ReadableRecord, Record

from ..table.config import Config
from ..table.predicates import Value, platform_facts
from .options import OptionRequest, Options, Origin, ResolvedOption, names_of
from .values import typed

OPTIONS_RECORD: Record[dict[str, Any]] = ReadableRecord("options.json")


def record_options(
    options: Options, build_dir: Path, written: Mapping[str, str], from_front_end: bool = False
) -> bool:
    """Write options.json. Return whether it changed.

    Args:
        options: The resolved options.
        build_dir: The folder of the record.
        written: The values that we set in CMake's cache. Any other value there comes from the user.
        from_front_end: Whether a configuration with these options has started. Until it succeeds, the
            next one uses them whatever the cache holds.
    """
    record = {
        "requests": [[r.name, r.text, r.origin.value] for r in options.requests()],
        "resolved": options.to_json(),
        "cache": dict(written),
        "from_front_end": from_front_end,
    }
    build_dir.mkdir(parents=True, exist_ok=True)
    return OPTIONS_RECORD.write(build_dir, record)


def read_record(build_dir: Path) -> dict[str, object]:
    """Return the record; {} if there is none or it cannot be read."""
    record = OPTIONS_RECORD.read(build_dir)
    return record if isinstance(record, dict) else {}


def written_values(build_dir: Path) -> dict[str, str]:
    """Return the values that were set in CMake's cache, by option."""
    cache = read_record(build_dir).get("cache")
    return cache if isinstance(cache, dict) else {}


def recorded_requests(config: Config, build_dir: Path) -> list[OptionRequest] | None:
    """Return the explicit requests of the last resolution; None if there was none."""
    rows = read_record(build_dir).get("requests")
    if not isinstance(rows, list):
        return None
    known = names_of(config)
    return [OptionRequest(n, text, Origin(origin)) for n, text, origin in rows if n in known]


def recorded_values(config: Config, build_dir: Path) -> dict[str, Value]:
    """Return the values that conditions of the table refer to, as last resolved for the build directory.

    Raises:
        BuildError: If an option has no value there.
    """
    texts = values_of(read_record(build_dir).get("resolved"))
    missing = [option.name for option in config.options if option.name not in texts]
    if missing:
        path = OPTIONS_RECORD.path(build_dir)
        raise environment_error(
            f"{path} has no value of {missing[0]}",
            cause="it was deleted or damaged" if not texts else "it is older than the table",
            hint="run python setup.py develop, or cmake in the build directory, which write it again",
        )
    return {**platform_facts(), **{o.name: typed(o, texts[o.name]) for o in config.options}}


@dataclass(frozen=True)
class OptionChange:
    """A changed option and the text of its old value."""

    old: str
    now: ResolvedOption

    @property
    def arrow(self) -> str:
        return f"{self.now.option.name}: {self.old or 'empty'} -> {self.now.text or 'empty'}"

    def __str__(self) -> str:
        return f"{self.arrow} ({self.now.because})"


def configured_changes(options: Options, build_dir: Path) -> list[OptionChange]:
    """Return the changes of the options that CMake sees, since the last configuration.

    The tree may have been configured by the front end or by hand.
    """
    return changes_from(last_configured(options, build_dir), options)


def changes_from(known: Mapping[str, str], options: Options) -> list[OptionChange]:
    """Return the changes from the known values, in the table's order."""
    return [
        OptionChange(known[r.option.name], r)
        for r in options.resolved
        if known.get(r.option.name, r.text) != r.text
    ]


def last_configured(options: Options, build_dir: Path) -> dict[str, str]:
    """Return the values in the last configuration, of the options that CMake sees."""
    configured = values_of(read_record(build_dir).get("resolved"))
    seen = {r.option.name for r in options.resolved if r.option.cmake}
    return {name: text for name, text in configured.items() if name in seen}


def values_of(recorded: Any) -> dict[str, str]:
    """Return the values in the recorded form of options (Options.to_json); {} if it is another form."""
    try:
        return {name: str(row["value"]) for name, row in recorded.items()}
    except (KeyError, TypeError, AttributeError):
        return {}
