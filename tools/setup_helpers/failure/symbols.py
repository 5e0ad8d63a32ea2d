"""Which file of this build defines a symbol that a link did not find."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..process import run
from .packages import link_argument
from .scene import Scene

MOST_FILES = 2000
"""Object files looked at; one `nm` reads some thousand in a second."""
_TELLING = {
    "vtable for ": "define the first virtual function of that class that is neither inline nor pure: "
    "the table is made beside it",
    "std::__cxx11::": "a library that should define it may have been built with the old strings of "
    "libstdc++: compile both with the same -D_GLIBCXX_USE_CXX11_ABI",
}
"""Part of a symbol -> what its being undefined often means."""


def remedy(symbol: str, output: str, scene: Scene) -> str:
    """What to change so that `output` links; empty when nothing defines the symbol."""
    into = scene.target_of(output)
    for file in sorted((scene.build_dir / "lib").glob("*.so")):
        if scene.target_of(file.name) != into and symbol in _defined([file], dynamic=True):
            return _link(scene.target_of(file.name) or file.name, into)
    objects = sorted((scene.build_dir / "CMakeFiles").rglob("*.o"))[:MOST_FILES]
    place = _defined(objects, dynamic=False).get(symbol)
    if place:
        return _hidden(symbol, place, into, scene)
    function = symbol.partition("(")[0]
    if argument := link_argument(function):
        return f"link with {argument}"
    if empty := next((file for file in objects if not file.stat().st_size), None):
        return f"{empty.relative_to(scene.build_dir)} is empty: delete it and build again"
    return next((advice for part, advice in _TELLING.items() if part in symbol), "")


def _link(library: str, into: str) -> str:
    where = f"the `links` of {into!r}" if into else "the `links` of what is linked here"
    return f"{library!r} defines it: add it to {where} in build_config.toml"


def _hidden(symbol: str, place: str, into: str, scene: Scene) -> str:
    """Defined in an object, yet not among what its library exports."""
    relative = place.removeprefix(f"{scene.build_dir}/")
    owner = scene.target_of(relative)
    source = relative.partition(".dir/")[2].removesuffix(".o")
    if owner == into:
        return f"{source} defines it and is not linked: run `python setup.py clean` and build again"
    return f"{source} of {owner!r} defines it but does not export it: declare it with the library's export macro"


def _defined(files: Iterable[Path], *, dynamic: bool) -> dict[str, str]:
    """Demangled symbol -> file, for the symbols that files define for others."""
    names = [str(file) for file in files]
    if not names:
        return {}
    options = ["-D"] if dynamic else ["-g"]
    found = run(["nm", "-A", "-C", "--defined-only", *options, *names])
    defined = {}
    for line in found.output.splitlines():
        file, _, rest = line.partition(":")
        fields = rest.split(maxsplit=2)
        if len(fields) == 3:
            defined[fields[2].partition("@@")[0]] = file
    return defined
