"""The options of a build directory as they were last resolved for CMake: wishes, values, and what was written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ..table.config import Config
from ..table.options import Options, Origin, Request, names_of
from ..tree.atomic import write_if_changed

NAME = "options.json"


def record_options(
    options: Options, build_dir: Path, written: Mapping[str, str], from_front_end: bool = False
) -> None:
    """`written` is what CMake's cache holds by our hand: any other value there is a user's.

    `from_front_end`: a configuration with these options has begun; until it has ended well, the next
    one takes them whatever the cache holds.
    """
    record = {
        "requests": [[r.name, r.text, r.origin.value] for r in options.requests()],
        "resolved": options.to_json(),
        "cache": dict(written),
        "from_front_end": from_front_end,
    }
    build_dir.mkdir(parents=True, exist_ok=True)
    write_if_changed(build_dir / NAME, json.dumps(record, indent=1).encode())


def read_record(build_dir: Path) -> dict[str, object]:
    """{} when there is none that can be read."""
    try:
        record = json.loads((build_dir / NAME).read_bytes())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def written_values(build_dir: Path) -> dict[str, str]:
    cache = read_record(build_dir).get("cache")
    return cache if isinstance(cache, dict) else {}


def recorded_requests(config: Config, build_dir: Path) -> list[Request] | None:
    """The explicit wishes of the last resolution; None when there was none."""
    rows = read_record(build_dir).get("requests")
    if not isinstance(rows, list):
        return None
    known = names_of(config)
    return [Request(n, text, Origin(origin)) for n, text, origin in rows if n in known]
