"""A question to `setup.py explain`, and what the built-in topics may look at to answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.setup_helpers.env.options import Options
from tools.setup_helpers.env.request import Request
from tools.setup_helpers.env.resolver import Resolution
from tools.setup_helpers.table.config import Config


@dataclass(frozen=True)
class Question:
    """One invocation of `setup.py explain`."""

    config: Config
    request: Request
    resolution: Resolution
    """The options of this shell and this command, even if some requests were refused."""
    build_dir: Path
    words: Sequence[str]
    """The words after the topic."""

    @property
    def options(self) -> Options:
        """The resolved options.

        Raises:
            BuildError: A build with the requested options would not start.
        """
        if self.resolution.error:
            raise self.resolution.error
        return self.resolution.options
