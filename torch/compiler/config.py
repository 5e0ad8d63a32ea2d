"""Settings of a compiler, which this build does not have."""

from typing import Any

job_id: str | None = None
log_file_name: str | None = None
reorderable_logging_functions: set[Any] = set()
dynamic_sources = ""
unbacked_sources = ""
