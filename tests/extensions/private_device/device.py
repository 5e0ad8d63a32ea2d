"""Generate and build the device's extension, load it, and register its name, methods and module."""

from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Iterable
from pathlib import Path

import torch
from torch.utils import cpp_extension

NAME = "granite"
HERE = Path(__file__).resolve().parent
SOURCES = sorted(str(file) for file in HERE.glob("*.cpp"))


def generate(folder: str) -> Path:
    """Write the declarations and registrations of the kernels; return their folder."""
    stubs = Path(folder, "stubs")
    command = [sys.executable, "-m", "tools.codegen.gen_backend_stubs", "-o", str(stubs)]
    command += ["-s", str(HERE / "kernels.yaml"), "--impl-path", str(HERE / "kernels.cpp")]
    subprocess.run(command, cwd=HERE.parents[2], check=True, stdout=subprocess.DEVNULL)
    return stubs


def build(folder: str, sources: Iterable[Path] = (), include: Iterable[Path] = ()) -> None:
    """Compile what is not compiled yet, with further sources, and load the library."""
    stubs = generate(folder)
    generated = [str(stubs / "RegisterPrivateUse1.cpp")]
    cpp_extension.load(
        "private_device",
        [*SOURCES, *generated, *map(str, sources)],
        extra_include_paths=[str(stubs), *map(str, include)],
        is_python_module=False,
        build_directory=folder,
    )


def device_module() -> types.ModuleType:
    """Return what becomes `torch.granite`."""
    module = types.ModuleType(f"torch.{NAME}")
    operators = torch.ops.private_device
    seeds: list[int] = []

    def set_device(device: torch.device | int | str) -> None:
        """Make a device current."""
        index = device if isinstance(device, int) else torch.device(device).index
        operators.set_device(index)

    vars(module).update(
        current_device=lambda: operators.current_device(),
        device_count=torch.accelerator.device_count,
        is_available=lambda: True,
        set_device=set_device,
        manual_seed_all=seeds.append,
        _is_in_bad_fork=lambda: False,
        seeds=seeds,
    )
    return module


def load(
    folder: str, sources: Iterable[Path] = (), include: Iterable[Path] = ()
) -> types.ModuleType:
    """Return `torch.granite`, of a process in which the device works."""
    torch.utils.rename_privateuse1_backend(NAME)
    build(folder, sources, include)
    module = device_module()
    torch._register_device_module(NAME, module)
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
    return module
