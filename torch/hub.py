"""torch.hub: files from the internet in a local cache, and models from folders with a hubconf.py.

Repositories are read from local folders and from the cache; this build does not clone from GitHub.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from urllib.parse import urlparse

__all__ = [
    "download_url_to_file",
    "get_dir",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
    "set_dir",
]

_HASH = HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_CHUNK = 1 << 17
_directory: str | None = None


# ---- the cache ------------------------------------------------------------------------------------
def _get_torch_home() -> str:
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """Return the folder of the cache: `hub` below $TORCH_HOME or ~/.cache/torch.

    Example:
        >>> torch.hub.set_dir("cache")
        >>> torch.hub.get_dir()
        'cache'
    """
    return os.path.join(_get_torch_home(), "hub") if _directory is None else _directory


def set_dir(d: str | os.PathLike[str]) -> None:
    """Set the folder of the cache for this process.

    Args:
        d: The folder; a leading ~ is the home directory.

    Example:
        >>> torch.hub.set_dir("cache")
    """
    global _directory
    _directory = os.path.expanduser(d)


# ---- downloads ------------------------------------------------------------------------------------
class _Faketqdm:
    """A progress bar that shows nothing, for machines without the package tqdm."""

    def __init__(self, iterable: Any = None, total: int | None = None, **options: Any) -> None:
        self.iterable, self.total, self.n = iterable, total, 0

    def __iter__(self) -> Iterator[Any]:
        return iter(self.iterable or ())

    def update(self, n: int = 1) -> None:
        """Count progress."""
        self.n += n

    def close(self) -> None:
        """Do nothing."""

    def __enter__(self) -> _Faketqdm:
        return self

    def __exit__(self, *error: object) -> None:
        pass


try:
    from tqdm import tqdm
except ImportError:
    tqdm = _Faketqdm


def download_url_to_file(
    url: str, dst: str, hash_prefix: str | None = None, progress: bool = True
) -> None:
    """Download a file; it appears under its name only when it is complete.

    Args:
        url: The address.
        dst: The path of the file.
        hash_prefix: The first characters of the file's SHA-256, which are compared.
        progress: Whether to show the progress on standard error.

    Raises:
        RuntimeError: If the hash differs.

    Example:
        >>> torch.hub.download_url_to_file("https://host/file.pt", "file.pt")  # doctest: +SKIP
    """
    from urllib.request import Request, urlopen

    request = Request(url, headers={"User-Agent": "torch.hub"})
    dst = os.path.expanduser(dst)
    digest = hashlib.sha256()
    with (
        urlopen(request) as response,
        tempfile.NamedTemporaryFile(dir=os.path.dirname(dst) or ".", delete=False) as file,
    ):
        try:
            total, done = int(response.headers.get("Content-Length") or 0), 0
            while chunk := response.read(_CHUNK):
                file.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                if progress and total and sys.stderr.isatty():
                    print(
                        f"\r{100 * done // total:3} % of {total / 1e6:.1f} MB",
                        end="",
                        file=sys.stderr,
                    )
            if progress and total and sys.stderr.isatty():
                print(file=sys.stderr)
            file.close()
            found = digest.hexdigest()
            if hash_prefix is not None and found[: len(hash_prefix)] != hash_prefix:
                raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{found}")')
            shutil.move(file.name, dst)
        finally:
            file.close()
            if os.path.exists(file.name):
                os.remove(file.name)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> dict[str, Any]:
    """Load what `torch.save` wrote from an address, through the cache.

    Args:
        url: The address.
        model_dir: The folder of the file; `checkpoints` of the cache by default.
        map_location: As for `torch.load`.
        progress: Whether to show the progress of a download.
        check_hash: Whether the file's name ends in `-` and the first characters of its SHA-256.
        file_name: The name of the file in the cache.
        weights_only: As for `torch.load`.

    Example:
        >>> import os
        >>> os.makedirs("cache/checkpoints")
        >>> torch.save({"weight": torch.ones(1)}, "cache/checkpoints/model.pt")
        >>> torch.hub.set_dir("cache")
        >>> torch.hub.load_state_dict_from_url("https://host.invalid/model.pt")
        {'weight': tensor([1.])}
    """
    import torch

    folder = model_dir or os.path.join(get_dir(), "checkpoints")
    os.makedirs(folder, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        print(f'Downloading: "{url}" to {path}\n', file=sys.stderr)
        found = _HASH.search(name) if check_hash else None
        download_url_to_file(url, path, found[1] if found else None, progress)
    if _is_old_archive(path):
        return _load_old_archive(path, folder, map_location, weights_only)
    return torch.load(path, map_location=map_location, weights_only=weights_only)


def _is_old_archive(path: str) -> bool:
    """Whether a file is a zip archive around one file, rather than one that torch.save wrote."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return len(archive.infolist()) == 1


def _load_old_archive(path: str, folder: str, map_location: Any, weights_only: bool) -> Any:
    import torch

    with zipfile.ZipFile(path) as archive:
        (member,) = archive.infolist()
        archive.extract(member, folder)
        extracted = os.path.join(folder, member.filename)
    return torch.load(extracted, map_location=map_location, weights_only=weights_only)


# ---- repositories ---------------------------------------------------------------------------------
@contextmanager
def _search_path(folder: str) -> Iterator[None]:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _folder_of(repo_or_dir: str, source: str) -> str:
    """Return the folder of a repository: a local one, or one that is in the cache."""
    if source == "local":
        return os.path.expanduser(repo_or_dir)
    if source != "github":
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    repository, _, reference = repo_or_dir.partition(":")
    owner, _, name = repository.partition("/")
    known = [reference] if reference else ["main", "master"]
    for branch in known:
        stem = "_".join((owner, name, branch.replace("/", "_")))
        folder = os.path.join(get_dir(), stem)
        if os.path.exists(folder):
            return folder
    raise RuntimeError(
        f"{repo_or_dir} is not in the cache {get_dir()}, and this build does not clone from GitHub. "
        'Clone it yourself and pass the folder with source="local".'
    )


def _import_hubconf(folder: str) -> ModuleType:
    path = os.path.join(folder, "hubconf.py")
    spec = importlib.util.spec_from_file_location("hubconf", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    missing = [
        name
        for name in getattr(module, "dependencies", None) or ()
        if importlib.util.find_spec(name) is None
    ]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    return module


def _entry_point(module: ModuleType, name: str) -> Any:
    if not isinstance(name, str):
        raise ValueError("Invalid input: model should be a string of function name")
    function = getattr(module, name, None)
    if not callable(function):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return function


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
    verbose: bool = True,
    *,
    source: str | None = None,
) -> Any:
    """Return the names of a repository's entry points.

    Args:
        github: A repository in the cache, as "owner/name:branch", or a folder.
        force_reload: Accepted for compatibility.
        skip_validation: Accepted for compatibility.
        trust_repo: Accepted for compatibility.
        verbose: Accepted for compatibility.
        source: "github" or "local"; by default "local" if `github` is a folder.

    Example:
        >>> with open("hubconf.py", "w") as file:
        ...     _ = file.write("def tiny(size): return list(range(size))")
        >>> torch.hub.list(".", source="local")  # doctest: +SKIP
        ['tiny']
    """
    if source is None:
        source = "local" if os.path.isdir(github) else "github"
    folder = _folder_of(github, source)
    with _search_path(folder):
        module = _import_hubconf(folder)
    return [n for n in dir(module) if callable(getattr(module, n)) and not n.startswith("_")]


def help(github: str, model: str, *args: Any, source: str | None = None, **kwargs: Any) -> Any:
    """Return the docstring of an entry point.

    Args:
        github: A repository in the cache, or a folder.
        model: The name of the entry point.
        *args: Accepted for compatibility.
        source: "github" or "local"; by default "local" if `github` is a folder.
        **kwargs: Accepted for compatibility.

    Example:
        >>> torch.hub.help("pytorch/vision", "resnet18")  # doctest: +SKIP
        'ResNet-18 model ...'
    """
    if source is None:
        source = "local" if os.path.isdir(github) else "github"
    folder = _folder_of(github, source)
    with _search_path(folder):
        return _entry_point(_import_hubconf(folder), model).__doc__


def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: Any = "check",
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """Call an entry point of a repository.

    Args:
        repo_or_dir: With source "github", "owner/name:branch" of a repository in the cache; with
            "local", a folder with a hubconf.py.
        model: The name of the entry point.
        *args: Arguments of the entry point.
        source: "github" or "local".
        trust_repo: Accepted for compatibility.
        force_reload: Accepted for compatibility.
        verbose: Accepted for compatibility.
        skip_validation: Accepted for compatibility.
        **kwargs: Keyword arguments of the entry point.

    Raises:
        ValueError: For an unknown source.
        RuntimeError: If the repository is not in the cache, or has no such entry point.

    Example:
        >>> with open("hubconf.py", "w") as file:
        ...     _ = file.write("def tiny(size): return list(range(size))")
        >>> torch.hub.load(".", "tiny", 3, source="local")
        [0, 1, 2]
    """
    folder = _folder_of(repo_or_dir, source.lower())
    with _search_path(folder):
        return _entry_point(_import_hubconf(folder), model)(*args, **kwargs)
