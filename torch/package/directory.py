"""The files of a package as a tree."""

from __future__ import annotations

from collections.abc import Iterable

from torch.package.glob_group import GlobGroup, GlobPattern

__all__ = ["Directory"]


class Directory:
    """A file or a folder of a package; `str()` draws it.

    Args:
        name: The name.
        is_dir: Whether it is a folder.

    Attributes:
        children: What a folder has, by name.

    Example:
        >>> from torch.package import PackageExporter, PackageImporter
        >>> with PackageExporter("tree_demo.pt") as exporter:
        ...     exporter.save_text("notes", "a.txt", "hello")
        >>> print(PackageImporter("tree_demo.pt").file_structure(include="notes/*"))
        ─── tree_demo.pt
            └── notes
                └── a.txt
    """

    def __init__(self, name: str, is_dir: bool) -> None:
        self.name = name
        self.is_dir = is_dir
        self.children: dict[str, Directory] = {}

    def _add(self, path: str) -> None:
        folder = self
        *folders, name = path.split("/")
        for each in folders:
            folder = folder.children.setdefault(each, Directory(each, is_dir=True))
        folder.children[name] = Directory(name, is_dir=False)

    def has_file(self, filename: str) -> bool:
        """Return whether there is a file or a folder with a path such as "models/net.pkl"."""
        name, _, rest = filename.partition("/")
        child = self.children.get(name)
        return child is not None and (not rest or child.has_file(rest))

    def _lines(self) -> list[str]:
        ordered = sorted(self.children.values(), key=lambda child: (not child.is_dir, child.name))
        lines = []
        for child in ordered:
            last = child is ordered[-1]
            lines.append(f"{'└' if last else '├'}── {child.name}")
            lines += [f"{' ' if last else '│'}   {line}" for line in child._lines()]
        return lines

    def __str__(self) -> str:
        return "\n".join([f"─── {self.name}", *(f"    {line}" for line in self._lines()), ""])


def tree_of(
    name: str, paths: Iterable[str], include: GlobPattern, exclude: GlobPattern
) -> Directory:
    """Return the tree of the files that match patterns whose parts are between slashes."""
    group = GlobGroup(include, exclude=exclude, separator="/")
    root = Directory(name, is_dir=True)
    for path in paths:
        if group.matches(path):
            root._add(path)
    return root
