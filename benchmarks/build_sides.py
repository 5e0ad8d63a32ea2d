"""Ways to build one CMake tree: the front end, plain CMake and Ninja, and scikit-build-core.

Each runs the commands that make the package importable for a developer, initially and after edits.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import ClassVar, Protocol

from build_checkout import Checkout


class Side(Protocol):
    """One way to build. All methods return wall seconds and include the import."""

    name: ClassVar[str]
    checkout: Checkout

    def first(self) -> float: ...
    def again(self) -> float: ...
    def change(self, option: str, value: str) -> float: ...


class FrontEnd:
    """`python setup.py develop`."""

    name = "setup.py develop"

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout

    def again(self) -> float:
        return self.checkout.run(str(self.checkout.python), "setup.py", "develop")

    first = again

    def change(self, option: str, value: str) -> float:
        self.checkout.variables[option] = value
        return self.again()


class PlainNinja:
    """`cmake` once, `ninja` from then on; a path file makes the package importable."""

    name = "cmake, ninja"

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout
        self._jobs = f"-j{checkout.variables['MAX_JOBS']}"

    def first(self) -> float:
        place = self.checkout.site / "checkout.pth"
        place.write_text(f"{self.checkout.root}\n", encoding="utf-8")
        return self._configure() + self.again()

    def again(self) -> float:
        return self.checkout.run("ninja", "-C", "build", self._jobs)

    def change(self, option: str, value: str) -> float:
        return self._configure(f"-D{option}={value}") + self.again()

    def _configure(self, *more: str) -> float:
        return self.checkout.run("cmake", "-G", "Ninja", "-S", ".", "-B", "build", *more)


# Editable, as its documentation recommends: a persistent build directory, and a build at import.
_PROJECT = """
[build-system]
requires = ["scikit-build-core"]
build-backend = "scikit_build_core.build"

[project]
name = "torch-by-scikit-build-core"
version = "1"

[tool.scikit-build]
build-dir = "build"
cmake.version = ">=3.15" # the project states its own minimum, by a variable that this backend cannot read
build.targets = ["package"]
wheel.packages = ["torch"]
editable.mode = "redirect"
editable.rebuild = true
"""


def _install_rules() -> str:
    """Return CMake rules for the wheel that install the files which the front end stages."""
    targets = [("LIBRARIES", "LIBRARY", "DESTINATION"), ("EXTENSIONS", "EXTENSION", "FOLDER")]
    rules = [
        f"foreach(made IN LISTS TABLED_{rows})\n"
        f'  install(TARGETS ${{made}} DESTINATION "${{{prefix}_${{made}}_{folder}}}")\n'
        "endforeach()\n"
        for rows, prefix, folder in targets
    ]
    return (
        "".join(rules) + 'install(FILES "${BLAS_LIBRARY}" DESTINATION torch/lib)\n'
        'install(FILES "${CMAKE_BINARY_DIR}/torch/version.py" DESTINATION torch)\n'
    )


class ScikitBuildCore:
    """`pip install -e .` once; from then on `import torch` builds what changed."""

    name = "scikit-build-core, import"

    def __init__(self, checkout: Checkout) -> None:
        self.checkout = checkout
        (checkout.root / "pyproject.toml").write_text(_PROJECT, encoding="utf-8")
        with open(checkout.root / "CMakeLists.txt", "a", encoding="utf-8") as file:
            file.write(_install_rules())
        checkout.variables["CMAKE_BUILD_PARALLEL_LEVEL"] = checkout.variables["MAX_JOBS"]
        for variable, command in (
            ("CC", "cc"),
            ("CXX", "c++"),
        ):  # not the compilers that Python was built with
            checkout.variables[variable] = shutil.which(command) or command

    def first(self) -> float:
        return pip_install(self.checkout)

    def again(self) -> float:
        return 0.0  # the import builds

    def change(self, option: str, value: str) -> float:
        return pip_install(self.checkout, {f"cmake.define.{option}": value})


class ScikitReinstalled:
    """The same tree, where the developer runs `pip install -e .` after each edit."""

    name = "scikit-build-core, pip"

    def __init__(self, other: ScikitBuildCore) -> None:
        self.checkout = other.checkout

    def first(self) -> float:
        return pip_install(self.checkout)

    again = first

    def change(self, option: str, value: str) -> float:
        return pip_install(self.checkout, {f"cmake.define.{option}": value})


def pip_install(checkout: Checkout, settings: Mapping[str, str] | None = None) -> float:
    given = [f"--config-settings={name}={value}" for name, value in (settings or {}).items()]
    command = [str(checkout.python), "-m", "pip", "install", "--quiet", "--no-build-isolation"]
    return checkout.run(*command, "--no-deps", "--no-index", *given, "--editable", ".")
