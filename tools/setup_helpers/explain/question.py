"""What is asked, and what the front end's own topics may look at to answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..request import Request
from ..table.config import Config
from ..table.option_resolver import Resolution
from ..table.options import Options


@dataclass(frozen=True)
class Question:
    """One invocation of `setup.py explain`."""

    config: Config
    request: Request
    resolution: Resolution
    """The options of this shell and this command, also where wishes are refused."""
    build_dir: Path
    words: Sequence[str]
    """Of what; those after the topic."""

    @property
    def options(self) -> Options:
        """For what a build would do: raises BuildError when it would refuse to begin."""
        if self.resolution.error:
            raise self.resolution.error
        return self.resolution.options
