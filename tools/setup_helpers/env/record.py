"""The options last resolved for CMake in a build directory: requests, values, and cache entries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tools.base.atomic import write_if_changed

from ..table.config import Config
from .options import OptionRequest, Options, Origin, names_of

NAME = "options.json"


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
    return write_if_changed(build_dir / NAME, json.dumps(record, indent=1).encode())


def read_record(build_dir: Path) -> dict[str, object]:
    """Return the record; {} if there is none or it cannot be read."""
    try:
        record = json.loads((build_dir / NAME).read_bytes())
    except (OSError, ValueError):
        return {}
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
