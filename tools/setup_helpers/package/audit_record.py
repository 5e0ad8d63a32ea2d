"""build/audit.json: the last audit's result for each file, so that unchanged files are not read again.

Only files that break no rule are recorded, and a record is valid only for the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.base.fingerprint import digest_file, digest_text
from tools.base.sealed import read_sealed, write_sealed

from ..table.config import Packaging
from .audit import Examined, Finding, examine, judge

if TYPE_CHECKING:
    from tools.base.fingerprint import Entry

NAME = "audit.json"
_CODE = ("audit.py", "elf.py")


def audit_changed(
    files: Mapping[str, Path],
    rules: Packaging,
    private_paths: Sequence[Path],
    build_dir: Path,
    seen: Mapping[str, Entry],
) -> list[Finding]:
    """Audit `files`, a mapping of names in the package to files on disk.

    Files whose content in `seen` equals that of the record are not read again.
    """
    key = _key(rules, private_paths)
    known = _read(build_dir, key)
    examined: dict[str, Examined] = {}
    record: dict[str, list[object]] = {}
    for name, path in files.items():
        content = seen[str(path)][2] if str(path) in seen else ""
        row = known.get(name)
        if content and row and row[0] == content:
            file = Examined(*row[1:])
        else:
            file = examine(name, path, rules, private_paths)
        examined[name] = file
        if content and not file.findings:
            record[name] = [content, *((True, file.needed, file.runpath) if file.is_elf else ())]
    write_sealed(build_dir / NAME, {"key": key, "files": record})
    return judge(examined, rules)


def _read(build_dir: Path, key: str) -> Mapping[str, Sequence[Any]]:
    record: dict[str, Any] = read_sealed(build_dir / NAME) or {}
    files: Mapping[str, Sequence[Any]] = record["files"] if record.get("key") == key else {}
    return files


def _key(rules: Packaging, private_paths: Sequence[Path]) -> str:
    """Digest the rules and the code that applies them."""
    code = [digest_file(str(Path(__file__).with_name(name))) for name in _CODE]
    return digest_text(repr(rules), *map(str, private_paths), *code)
