"""The lists of generated sources per library that CMake reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tools.base.atomic import write_if_changed
from tools.base.globs import matching

from ..table.config import Config

NAME = "generated_sources.cmake"


def write_source_lists(
    config: Config,
    outputs: Mapping[str, list[str]],
    build_dir: Path,
) -> bool:
    """Write build/generated_sources.cmake if it changed; return whether it did."""
    made = sorted(path for paths in outputs.values() for path in paths)
    text = [
        "# Made by tools/setup_helpers/generation/stage_runner.py from build_config.toml's stages.\n"
    ]
    for library in config.libraries:
        kernels = matching(made, library.generated_kernels)
        sources = sorted(set(matching(made, library.generated)) - set(kernels))
        for kind, paths, patterns in (
            ("SOURCES", sources, library.generated),
            ("KERNELS", kernels, library.generated_kernels),
        ):
            if patterns:
                listed = "".join(f'\n  "${{CMAKE_BINARY_DIR}}/{path}"' for path in paths)
                text.append(f"set(GENERATED_{kind}_{library.name}{listed})\n")
    build_dir.mkdir(parents=True, exist_ok=True)
    return write_if_changed(build_dir / NAME, "".join(text).encode())
