"""RegisterSchema and the Ufunc* files, compared with those that PyTorch's generator writes.

Both generators read PyTorch's operator file, and our operators with `ufunc_inner_loop`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from collected import Collected, files_of
from operator_files import NATIVE, TAGS

from tools.codegen.emit.common import ATEN
from tools.codegen.read import read_operators

pytestmark = pytest.mark.peer

_ENTRY = re.compile(r"^  &at::_ops::(\w+)::entry,$", re.MULTILINE)
_SCHEMA = re.compile(r"^// aten::(.*)\nconstinit c10::OperatorEntry (\w+)::entry", re.MULTILINE)
_DEFINED = re.compile(r'm\.def\("((?:[^"\\]|\\.)*)"')
_IMPL = re.compile(r"void (structured_ufunc_\w+)::impl ?\((.*?)\) \{")
_STUB = re.compile(r"using \w+ = (void ?\(\*\)\(.*?\));")
_CASE = re.compile(r"AT_DISPATCH_CASE\((?:at|c10)::ScalarType::(\w+),")
_FUNCTOR = re.compile(
    r"struct (?P<name>CUDAFunctor\w*) \{\s*using opmath_t = [^;]*;\s*"
    r"(?P<fields>(?:opmath_t \w+;\s*)*)[^{]*?(?:\{\}\s*)?"
    r"(?:__device__|C10_HOST_DEVICE) scalar_t operator\(\)\((?P<elements>.*?)\) const"
)
KINDS = {"UfuncCPU": ".cpp", "UfuncCPUKernel": ".cpp", "UfuncCUDA": ".cu"}


def theirs(native: Path, tags: Path) -> dict[str, Any]:
    command = [os.environ["TORCH_PEER"], Path(__file__).with_name("peer_sources.py"), native, tags]
    run = subprocess.run([*map(str, command)], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


@pytest.fixture(scope="module")
def peer_sources(peer_packaged: Path) -> dict[str, Any]:
    return theirs(peer_packaged / "native_functions.yaml", peer_packaged / "tags.yaml")


@pytest.fixture(scope="module")
def own_sources(peer_packaged: Path) -> Collected:
    native, tags = (peer_packaged / name for name in ("native_functions.yaml", "tags.yaml"))
    return files_of(read_operators(native.read_text(), tags.read_text()))


def text_of(files: Mapping[str, str], pattern: str) -> str:
    return "\n".join(text for path, text in files.items() if re.fullmatch(pattern, path))


def test_the_same_schemas_are_registered(
    peer_sources: dict[str, Any], own_sources: Collected
) -> None:
    texts = "\n".join(text for text in peer_sources["schemas"] if text)
    defined = {re.sub(r"\\(.)", r"\1", schema) for schema in _DEFINED.findall(texts)}
    registered = set(_ENTRY.findall(text_of(own_sources, rf"{ATEN}/RegisterSchema_\d+\.cpp")))
    schemas = _SCHEMA.findall(text_of(own_sources, rf"{ATEN}/Operators_\d+\.cpp"))
    assert len(defined) > 3000
    assert {schema for schema, name in schemas if name in registered} == defined
    assert len(registered) == len(defined)


def interface(text: str) -> dict[str, Any]:
    """Return the signatures and dtypes in a file, and the fields and operands of its functors."""
    text = re.sub(r",\s*\)", ")", text)  # theirs, of operators without numbers
    text = re.sub(r"TORCH_IMPL_FUNC\((\w+)\) ?", r"void structured_\1::impl", text)
    return {
        "impl": set(_IMPL.findall(text)),
        "stub": {re.sub(r"\s", "", type) for type in _STUB.findall(text)},
        "dtypes": set(_CASE.findall(text)),
        "functors": {
            match["name"]: (match["fields"].split(), match["elements"])
            for match in _FUNCTOR.finditer(text)
        },
    }


def compare(root: str, peer: Mapping[str, str], own: Mapping[str, str], functors: bool) -> None:
    for kind, suffix in KINDS.items():
        expected, found = interface(peer[kind]), interface(own[f"{ATEN}/{kind}_{root}{suffix}"])
        if not functors:
            del expected["functors"], found["functors"]
        assert found == expected, f"{kind}_{root}"
        assert kind == "UfuncCPU" or expected["dtypes"]


def test_ufuncs_of_pytorchs_file(peer_sources: dict[str, Any], own_sources: Collected) -> None:
    roots = {re.sub(r".*_(\w+)\.\w+$", r"\1", path) for path in own_sources if "/Ufunc" in path}
    assert roots == set(peer_sources["ufuncs"]) == {"add"}
    compare("add", peer_sources["ufuncs"]["add"], own_sources, functors=True)


def test_ufuncs_of_our_file(peer_packaged: Path, tmp_path: Path) -> None:
    """PyTorch's generator accepts our rows, and means the same by them."""
    text = NATIVE.read_text(encoding="utf-8")
    model = read_operators(text, TAGS.read_text(encoding="utf-8"))
    groups = [group for group in model.groups if group.out.ufunc_inner_loop]
    names = {member.full_name for group in groups for member in group.members}
    entries = re.split(r"^(?=- func: )", text, flags=re.MULTILINE)
    chosen = [entry for entry in entries if entry[8:].partition("(")[0] in names]
    (tmp_path / "native_functions.yaml").write_text("".join(chosen))
    (tmp_path / "tags.yaml").write_text((peer_packaged / "tags.yaml").read_text())
    peer = theirs(tmp_path / "native_functions.yaml", tmp_path / "tags.yaml")["ufuncs"]
    own = files_of(model, "ufunc_kernels")
    assert len(peer) == len(groups) >= 8
    for group in groups:
        # A functor that the author wrote serves numbers, too, so no further ones are generated.
        written = any(loop.key == "CUDAFunctor" for loop in group.out.ufunc_inner_loop)
        root = group.out.root_name
        compare(root, peer[root], own, functors=not written)
