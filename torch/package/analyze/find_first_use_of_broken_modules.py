"""How the modules that cannot be packaged are reached."""

from __future__ import annotations

from torch.package._decisions import PackagingError

__all__ = ["find_first_use_of_broken_modules"]


def find_first_use_of_broken_modules(exc: PackagingError) -> dict[str, list[str]]:
    """Return, for each module that cannot be packaged, a path of modules that leads to it.

    Args:
        exc: The error that the exporter raised.

    Raises:
        AssertionError: If it is another error.

    Example:
        >>> from torch.package import PackageExporter, PackagingError
        >>> from torch.package.analyze import find_first_use_of_broken_modules
        >>> exporter = PackageExporter("first_use_demo.pt")
        >>> exporter.save_source_string("top", "import yaml")  # doctest: +SKIP
        >>> try:  # doctest: +SKIP
        ...     exporter.close()
        ... except PackagingError as error:
        ...     print(find_first_use_of_broken_modules(error))
        {'yaml': ['top', 'yaml']}
    """
    if not isinstance(exc, PackagingError):
        raise AssertionError(f"exception must be a PackagingError, got {type(exc).__name__}")
    return {name: exc.dependency_graph.first_path(name) for name in exc.broken_modules}
