"""Lists of GPU architectures, as PyTorch's builds and its users write them: `8.0;9.0+PTX`, `Hopper`, `native`."""

from __future__ import annotations

import re

from tools.base.errors import did_you_mean

_GENERATIONS = {
    "Turing": "7.5+PTX",
    "Ampere": "8.0;8.6+PTX",
    "Ada": "8.9+PTX",
    "Hopper": "9.0+PTX",
    "Blackwell": "10.0;12.0+PTX",
}
# CMake has the same words: each major version, each version, and those of this machine's GPUs.
WORDS = ("all-major", "all", "native")
_EXAMPLE = "8.0;9.0+PTX"
_NUMBER = re.compile(r"(\d+)\.(\d)([af]?)(\+PTX)?", re.IGNORECASE)
_SEPARATOR = re.compile(r"[;,\s]+")
# What other programs write for 9.0: `90`, `sm_90`, `compute_90`.
_OTHER_SPELLING = re.compile(r"(?:sm_|compute_)?(\d+)(\d)([af]?)(?:-real|-virtual)?", re.IGNORECASE)


def parse_architectures(text: str) -> str:
    """Return the list in one form, such as `8.0;9.0+PTX`; generations are replaced by their versions.

    Raises:
        ValueError: If a part is no architecture; the message suggests one.
    """
    parts = [part for part in _SEPARATOR.split(text.strip()) if part]
    found: dict[str, None] = {}
    for part in parts:
        if part.casefold() in WORDS:
            if len(parts) > 1:
                raise ValueError(f"{part} stands for a whole list, so it must be the only word")
            return part.casefold()
        found |= dict.fromkeys(_versions(part))
    return ";".join(found)


def _versions(part: str) -> list[str]:
    if match := _NUMBER.fullmatch(part):
        major, minor, variant, ptx = match.groups()
        return [f"{major}.{minor}{variant.lower()}{'+PTX' if ptx else ''}"]
    by_fold = {name.casefold(): versions for name, versions in _GENERATIONS.items()}
    if part.casefold() in by_fold:
        return by_fold[part.casefold()].split(";")
    if match := _OTHER_SPELLING.fullmatch(part):
        suggestion = f"; did you mean {match[1]}.{match[2]}{match[3].lower()}?"
    else:
        suggestion = did_you_mean(part, (*_GENERATIONS, *WORDS))
    names = ", ".join((*_GENERATIONS, *WORDS))
    raise ValueError(
        f"{part} is no architecture{suggestion or f'; use versions such as {_EXAMPLE}, or {names}'}"
    )


def cmake_architectures(architectures: str) -> str:
    """Return the value of CMAKE_<LANG>_ARCHITECTURES for a parsed list.

    CMake compiles `90-real` for GPUs of that version, and `90-virtual` to PTX, from which drivers compile
    for newer ones.
    """
    if architectures in WORDS:
        return architectures
    values = []
    for part in architectures.split(";"):
        version = part.removesuffix("+PTX").replace(".", "")
        values += [f"{version}-real", *([f"{version}-virtual"] if part.endswith("+PTX") else [])]
    return ";".join(values)


def versions_of(architectures: str) -> list[str]:
    """Return the versions that a parsed list names, such as 9.0; none for a word."""
    return re.findall(r"\d+\.\d", architectures)
