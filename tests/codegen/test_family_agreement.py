"""Functions and signatures in the generated files, compared with those that PyTorch's generator writes.

Both generators read PyTorch's own operator files.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from collected import files_of

from tools.codegen.emit.common import AUTOGRAD
from tools.drivers.inputs import InputFiles

pytestmark = [pytest.mark.peer, pytest.mark.slow]

GENERATE = """
import sys
from torchgen.packaged.autograd.gen_autograd import gen_autograd, gen_autograd_python
from torchgen.selective_build.selector import SelectiveBuilder
gen_autograd_python(*sys.argv[1:])
gen_autograd(*sys.argv[1:], SelectiveBuilder.get_nop_selector())
"""
_KERNEL = re.compile(
    r"^(?P<result>\S[^\n(]*?) ?\b(?P<name>\w+)\((?P<parameters>c10::DispatchKeySet ks[^\n]*?)\) \{\n"
    r"(?P<body>.*?)^\}",
    re.MULTILINE | re.DOTALL,
)
_NODE = re.compile(r"(?:make_intrusive|make_node)<(\w+)>")
_BOUND = re.compile(r'^\s*\{"(\w+)",\s*(?:method|castPyCFunctionWithKeywords)?\(?\s*\(?T\w+', re.M)
_SYMBOLIC = {
    "OptionalSymIntArrayRef": "OptionalIntArrayRef",
    "c10::SymIntArrayRef": "at::IntArrayRef",
    "c10::SymInt": "int64_t",
}
"""Types of symbolic sizes, which kernels take as numbers here."""


class Kernel(NamedTuple):
    """A kernel's C++ signature and the Nodes that it makes."""

    signature: str
    nodes: frozenset[str]


@pytest.fixture(scope="module")
def theirs(peer_packaged: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    out = tmp_path_factory.mktemp("theirs")
    autograd = peer_packaged.parents[1] / "autograd"
    inputs = [peer_packaged / "native_functions.yaml", peer_packaged / "tags.yaml", out, autograd]
    command = [os.environ["TORCH_PEER"], "-c", GENERATE, *map(str, inputs)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return {path.name: path.read_text() for path in out.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def ours(peer_packaged: Path) -> dict[str, str]:
    inputs = InputFiles.read(
        peer_packaged / "native_functions.yaml",
        peer_packaged / "tags.yaml",
        peer_packaged.parents[1] / "autograd/derivatives.yaml",
    ).build()
    files = files_of(inputs.operators, derivatives=inputs.derivatives)
    folder = f"{AUTOGRAD}/"
    return {path.removeprefix(folder): text for path, text in files.items() if folder in path}


def family(files: dict[str, str], pattern: str) -> str:
    return "\n".join(text for name, text in files.items() if re.fullmatch(pattern, name))


def kernels(text: str) -> dict[str, Kernel]:
    return {
        match["name"]: Kernel(
            _plain(f"{match['result']}({match['parameters']})"),
            frozenset(_NODE.findall(match["body"])),
        )
        for match in _KERNEL.finditer(text)
    }


def _plain(signature: str) -> str:
    for symbolic, plain in _SYMBOLIC.items():
        signature = signature.replace(symbolic, plain)
    return re.sub(r"\s|::(?=std)", "", signature)


@pytest.mark.parametrize(
    ("name", "least"), [("VariableType", 1000), ("TraceType", 1300), ("ADInplaceOrViewType", 200)]
)
def test_kernels_have_the_same_signatures(
    name: str, least: int, ours: dict[str, str], theirs: dict[str, str]
) -> None:
    own, other = (kernels(family(files, rf"{name}_\d+\.cpp")) for files in (ours, theirs))
    common = own.keys() & other.keys()
    assert len(common) > least
    assert {k for k in common if own[k].signature != other[k].signature} == set()


def test_the_same_operators_record_the_same_nodes(
    ours: dict[str, str], theirs: dict[str, str]
) -> None:
    own, other = (kernels(family(files, r"VariableType_\d+\.cpp")) for files in (ours, theirs))
    recorded = {name for name, kernel in other.items() if kernel.nodes}
    # Their formulas say that there is no derivative; here they have no Node either.
    without = {"lstm_mps_backward", "miopen_rnn_backward", "mkldnn_rnn_layer_backward"}
    assert {name for name in recorded if not own[name].nodes} == without
    different = {name for name in recorded - without if own[name].nodes != other[name].nodes}
    # In place, a foreach operator has one Node for its list, where PyTorch has one for each tensor.
    assert {name for name in different if not name.startswith("_foreach_")} == set()
    nodes = [
        set(re.findall(r"^struct (?:TORCH_API )?(\w+) :", family(files, r"Functions.*\.h"), re.M))
        for files in (ours, theirs)
    ]
    assert nodes[0] ^ nodes[1] == {"ForeachZeroBackward0"}


@pytest.mark.parametrize("name", ["nn", "fft", "linalg", "special", "sparse", "nested"])
def test_python_modules_have_the_same_functions(
    name: str, ours: dict[str, str], theirs: dict[str, str]
) -> None:
    file = f"python_{name}_functions.cpp"
    own, other = ({*_BOUND.findall(files[file])} for files in (ours, theirs))
    by_hand = {"_parse_to"} if name == "nn" else set()
    assert own == other - by_hand and own


def test_factories_are_the_same(ours: dict[str, str], theirs: dict[str, str]) -> None:
    own, other = (
        {*re.findall(r"^inline at::Tensor (\w+)\(", files["variable_factories.h"], re.M)}
        for files in (ours, theirs)
    )
    numeric = {name for name in other if not name.endswith("_symint")}
    assert numeric - own == {"tensor", "from_blob"}  # by hand, in templates
    assert own <= numeric
