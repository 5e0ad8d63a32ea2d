"""What there is to know of one ELF file: its dynamic section and its dynamic symbols."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ELF_MAGIC = b"\x7fELF"


@dataclass(frozen=True)
class ElfFacts:
    """The dynamic section and dynamic symbols of one ELF file."""

    needed: tuple[str, ...]
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]
    exports: tuple[str, ...]


def is_elf(path: Path) -> bool:
    with path.open("rb", buffering=0) as file:
        return file.read(len(ELF_MAGIC)) == ELF_MAGIC
