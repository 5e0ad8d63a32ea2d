"""C++ includes point downwards: torch/csrc may include ATen, ATen may include c10."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]((?:c10|ATen|torch|caffe2)/[^>"]+)[>"]', re.MULTILINE)
# Each room, and the rooms whose headers it may include.
ROOMS = {
    "c10": ("c10/",),
    "aten/src/ATen": ("c10/", "ATen/"),
    "torch/csrc": ("c10/", "ATen/", "torch/"),
    "caffe2": ("c10/", "ATen/", "torch/", "caffe2/"),
}
# The tools that all bindings share, and the bindings of autograd above them.
BELOW_AUTOGRAD = "torch/csrc/utils"
# The C++ libraries below Python, and what they may include of torch/csrc: nothing of the bindings.
WITHOUT_PYTHON = ("torch/csrc/api", "torch/csrc/autograd", "torch/csrc/jit", "torch/csrc/monitor")


def files_of(room: str) -> list[Path]:
    """Return a room's C++ files, except its tests and templates."""
    return [
        file
        for file in sorted((ROOT / room).rglob("*"))
        if file.suffix in (".h", ".cpp", ".c", ".cu", ".cuh")
        and not {"test", "templates"} & set(file.relative_to(ROOT).parts)
    ]


def is_binding(name: str) -> bool:
    """Whether a file belongs to libtorch_python, by the names in build_config.toml."""
    if name.startswith(("torch/csrc/api/", "torch/nn/")):  # the C++ front end
        return False
    if name.startswith("torch/csrc/utils/foreign_memory."):  # a part of libtorch_cpu
        return False
    return Path(name).name in ("init.h", "init.cpp") or bool(
        re.search(r"/python_|/python/|^torch/csrc/((autograd/)?utils|multiprocessing|onnx)/", name)
    )


def test_rooms_include_only_lower_rooms() -> None:
    wrong = [
        f"{file.relative_to(ROOT)} includes {name}"
        for room, allowed in ROOMS.items()
        for file in files_of(room)
        for name in INCLUDE.findall(file.read_text())
        if not name.startswith(allowed)
    ]
    assert not wrong


def test_every_room_has_files() -> None:
    assert all(len(files_of(room)) > 20 for room in ROOMS)


def test_libraries_without_python_include_no_bindings() -> None:
    wrong = [
        f"{name} includes {included}"
        for room in WITHOUT_PYTHON
        for file in files_of(room)
        if not is_binding(name := file.relative_to(ROOT).as_posix())
        for included in INCLUDE.findall(file.read_text())
        if is_binding(included)
    ]
    assert not wrong


def test_shared_tools_of_bindings_do_not_include_autograd() -> None:
    wrong = [
        f"{file.relative_to(ROOT)} includes {name}"
        for file in files_of(BELOW_AUTOGRAD)
        for name in INCLUDE.findall(file.read_text())
        if name.startswith("torch/csrc/autograd/")
    ]
    assert not wrong
