"""Adding a method to at::Tensor recompiles only the files that define methods."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from checkout import ROOT

sys.path.insert(0, str(ROOT))

from tools.setup_helpers.package import contents

DECLARATIONS = "ATen/core/TensorMethods.inc"
HEADERS_OF_ALL_OPERATORS = re.compile(
    r"ATen/(?:Functions|Operators|MethodOperators|RedispatchFunctions|NativeFunctions|"
    r"NativeMetaFunctions|RegistrationDeclarations|core/aten_interned_strings|"
    r"\w+Functions_inl)\.h|autograd/generated/(?:Functions|python_return_types)\.h"
)
"""Generated headers that change with every operator or with many of them."""


@pytest.fixture(scope="module")
def dependencies() -> dict[str, list[str]]:
    """Return the files from which each object of build/ was compiled."""
    folder = ROOT / "build"
    ninja = shutil.which("ninja")
    if ninja is None or not (folder / contents.PLAN).exists():
        pytest.skip("nothing is built in build/: python setup.py develop")
    listing = subprocess.run(
        [ninja, "-C", str(folder), "-t", "deps"], capture_output=True, text=True, check=True
    )
    found: dict[str, list[str]] = {}
    for block in listing.stdout.split("\n\n"):
        head, *files = block.splitlines() or [""]
        target = head.partition(":")[0]
        if "CMakeFiles/torch_" in target and "#deps" in head and "/test/" not in target:
            found[target] = [file.strip() for file in files]
    assert len(found) > 300
    return found


def test_only_definitions_of_methods_depend_on_all_declarations(
    dependencies: dict[str, list[str]],
) -> None:
    objects = {
        Path(target).name.partition("_")[0]
        for target, files in dependencies.items()
        if any(file.endswith(DECLARATIONS) for file in files)
    }
    assert objects == {"TensorMethods"}


def test_no_source_depends_on_a_header_of_all_operators(dependencies: dict[str, list[str]]) -> None:
    wrong = {
        target: file
        for target, files in dependencies.items()
        for file in files
        if HEADERS_OF_ALL_OPERATORS.search(file)
    }
    assert wrong == {}
