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
        >>> import io
        >>> from torch.package import PackageExporter, PackagingError
        >>> from torch.package.analyze import find_first_use_of_broken_modules
        >>> exporter = PackageExporter(io.BytesIO())
        >>> exporter.save_source_string("top", "import functorch")  # which no rule covers
        >>> try:
        ...     exporter.close()
        ... except PackagingError as error:
        ...     print(find_first_use_of_broken_modules(error))
        {'functorch': ['top', 'functorch']}
    """
    if not isinstance(exc, PackagingError):
        raise AssertionError(f"exception must be a PackagingError, got {type(exc).__name__}")
    return {name: exc.dependency_graph.first_path(name) for name in exc.broken_modules}
