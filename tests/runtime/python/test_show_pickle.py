"""torch.utils.show_pickle: pickles are shown without running what they name."""

from __future__ import annotations

import collections
import io
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import torch
from torch import nn
from torch.utils import show_pickle


def shown(path: str) -> str:
    """Return what is printed for a file."""
    stream = io.StringIO()
    assert show_pickle.main(["show_pickle", path], stream) is None
    return stream.getvalue()


def test_members_of_archives_are_shown(tmp_path: Path) -> None:
    torch.save({"weight": torch.ones(2), "layer": nn.ReLU()}, tmp_path / "model.pt")
    text = shown(f"{tmp_path}/model.pt@*/data.pkl")
    assert "pers.obj(('storage', torch.FloatStorage, '0', 'cpu', 2),)" in text
    assert "torch.nn.modules.activation.ReLU()(state={'training': True" in text
    with pytest.raises(FileNotFoundError, match="member matching nothing"):
        shown(f"{tmp_path}/model.pt@nothing")


class Harmful:
    """An object whose pickle names a function."""

    def __reduce__(self) -> Any:
        return print, ("run",)


def test_nothing_is_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "harmful.pkl"
    path.write_bytes(
        pickle.dumps([Harmful(), collections.OrderedDict(x=1), collections.deque([5])])
    )
    text = shown(str(path))
    assert "print('run',)" in text and "OrderedDict()(items=[('x', 1)])" in text
    assert "(items=[5])" in text
    assert capsys.readouterr().out == ""


def test_it_is_a_program(tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(pickle.dumps([1, 2]))
    command = [sys.executable, "-m", "torch.utils.show_pickle"]
    run = subprocess.run([*command, tmp_path / "a.pkl"], capture_output=True, text=True)
    assert run.stdout == "[1, 2]\n"
    assert subprocess.run(command, capture_output=True, text=True).returncode == 2
