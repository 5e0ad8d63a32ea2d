"""The generated table of the bindings' required arguments."""

from __future__ import annotations

import ast
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from collected import files_of
from operator_files import NATIVE, ROOT, TAGS

from tools.autograd import annotated_fn_args, gen_annotated_fn_args
from tools.codegen.model import Operators

_TENSOR = {"is_kwarg_only": "False", "name": "self", "simple_type": "Tensor"}
_PATH = "torch/testing/_internal/generated/annotated_fn_args.py"
_COUNTS_DECIMALS = ("_VariableFunctions.round", "_VariableFunctions.round_", "round", "round_")
KNOWN = {f"torch._C.{name}" for name in _COUNTS_DECIMALS[:2]}
KNOWN |= {f"torch.Tensor.{name}" for name in _COUNTS_DECIMALS[2:]}
"""PyTorch leaves out round.decimals, whose `decimals` a call must give."""
KNOWN.add("torch.Tensor.scatter_")
"""PyTorch sorts the overloads of this name differently, so another one is the last."""


def _table(text: str) -> dict[str, list[dict[str, Any]]]:
    """Return the table, with the source of each key; of equal keys, the last counts."""
    *_, function, assignment = ast.parse(text).body
    assert isinstance(assignment, ast.Assign) and isinstance(assignment.value, ast.Dict)
    scope: dict[str, Any] = {}
    if isinstance(function, ast.FunctionDef):  # PyTorch's table has none
        exec(ast.unparse(function), scope)
    pairs = zip(assignment.value.keys, assignment.value.values, strict=True)
    return {
        ast.unparse(key): eval(ast.unparse(value), scope) for key, value in pairs if key is not None
    }


def _written(folder: Path, native: Path, tags: Path, autograd: Path) -> str:
    arguments = [str(path) for path in (native, tags, folder, autograd)]
    assert gen_annotated_fn_args.main(arguments) == 0
    return (folder / annotated_fn_args.FILE).read_text(encoding="utf-8")


def test_known_functions(model: Operators) -> None:
    table = _table(files_of(model, "annotated_fn_args")[_PATH])
    other = {**_TENSOR, "name": "other"}
    assert table["torch._C._VariableFunctions.add"] == [_TENSOR, other]
    assert table["torch.Tensor.add_"] == [_TENSOR, other]
    assert table["torch._C._nn.gelu"] == [_TENSOR]
    size = {"is_kwarg_only": "False", "name": "dim", "simple_type": "IntArrayRef", "size": 1}
    assert table["torch._C._VariableFunctions.amax"] == [_TENSOR]
    assert table["torch._C._VariableFunctions.logsumexp"] == [_TENSOR, size]
    mode = {"is_kwarg_only": "True", "name": "rounding_mode", "simple_type": "c10::string_view?"}
    assert table["torch.Tensor.div"][-1] == mode


def test_the_command_writes_what_the_stage_writes(model: Operators, tmp_path: Path) -> None:
    text = _written(tmp_path / "new/folder", NATIVE, TAGS, ROOT / "tools/autograd")
    assert text == files_of(model, "annotated_fn_args")[_PATH]


def test_a_missing_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [str(tmp_path / "native.yaml"), str(TAGS), str(tmp_path / "out")]
    assert gen_annotated_fn_args.main([*arguments, str(ROOT / "tools/autograd")]) == 2
    assert "native.yaml does not exist" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.peer
def test_the_table_agrees_with_the_file_in_pytorchs_wheel(
    peer_packaged: Path, tmp_path: Path
) -> None:
    native, tags = peer_packaged / "native_functions.yaml", peer_packaged / "tags.yaml"
    autograd = peer_packaged.parents[1] / "autograd"
    own = _table(_written(tmp_path, native, tags, autograd))
    program = "import torch, pathlib; print(pathlib.Path(torch.__file__).parents[1])"
    peer = [os.environ["TORCH_PEER"], "-I", "-c", program]
    found = subprocess.run(peer, capture_output=True, text=True, check=True)
    theirs = _table((Path(found.stdout.strip()) / _PATH).read_text(encoding="utf-8"))
    # The two leave out different operators that they bind by hand.
    common = own.keys() & theirs.keys()
    assert len(common) > 0.97 * len(theirs)
    assert {name for name in common if own[name] != theirs[name]} == KNOWN
