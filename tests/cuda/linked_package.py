"""An importable torch package made of links: the checkout's Python files and one build's libraries."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BUILT = ("lib", "bin", "include", "share", "_C", "version.py", "__pycache__")


def link_package(build: Path, folder: Path) -> Path:
    """Create `folder`/torch for the build directory, and return `folder`, which goes into PYTHONPATH."""
    package = folder / "torch"
    package.mkdir(parents=True, exist_ok=True)
    for path in (ROOT / "torch").iterdir():
        if path.name not in _BUILT and path.suffix != ".so":
            _link(package / path.name, path)
    for name in ("version.py", "lib/VERSION"):
        _link(package / name, build / "torch" / name)
    _link(package / "include/THNN", ROOT / "aten/src/THNN")  # which torch.nn._functions reads
    rows = json.loads((build / "package_plan.json").read_text(encoding="utf-8"))
    made = {row["path"]: Path(row["source"]) for row in rows}
    for path, source in made.items():
        _link(folder / path, source)
    for part in {path.partition("/")[0] for path in made} - {"torch"}:
        for source in (ROOT / part).rglob("*.py"):
            if (path := str(source.relative_to(ROOT))) not in made:
                _link(folder / path, source)
    return folder


def _link(link: Path, target: Path) -> None:
    if link.is_symlink() and link.readlink() == target:
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(target)


if __name__ == "__main__":
    print(link_package(Path(sys.argv[1]).resolve(), Path(sys.argv[1]).resolve() / "import"))
