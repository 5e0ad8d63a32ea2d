"""torch.jit.load and torch.jit.save: archives of TorchScript programs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch.jit._torchscript._objects import RecursiveScriptModule
    from torch.serialization import MapLocation

File = str | os.PathLike[str] | IO[bytes]


def save(m: Any, f: File, _extra_files: Mapping[str, str | bytes] | None = None) -> None:
    """Write a module that `torch.jit.load` or `torch.jit.trace` returned to an archive.

    PyTorch reads the archive too.

    Args:
        m: The module, or a traced function.
        f: A path, or a binary file that is open for writing.
        _extra_files: The content of further files by name.

    Raises:
        NotImplementedError: If the module is written in Python, as there is no compiler.

    Example:
        >>> traced = torch.jit.trace(nn.Linear(2, 1), torch.ones(1, 2))
        >>> torch.jit.save(traced, "linear.pt")
        >>> torch.equal(torch.jit.load("linear.pt").weight, traced.weight)
        True
    """
    from torch.jit._torchscript._objects import RecursiveScriptModule, ScriptFunction
    from torch.jit._torchscript._writing import write_archive

    module = m._module if isinstance(m, ScriptFunction) else m
    if not isinstance(module, RecursiveScriptModule):
        raise NotImplementedError(
            f"torch.jit.save needs a module that torch.jit.trace or torch.jit.load returned, not a "
            f"{type(m).__name__}: this build has no compiler for TorchScript. Trace the module "
            "first, or save its state_dict() with torch.save."
        )
    write_archive(module, f, _extra_files)


def load(
    f: File,
    map_location: MapLocation = None,
    _extra_files: dict[str, Any] | None = None,
    _restore_shapes: bool = False,
) -> RecursiveScriptModule:
    """Read an archive that `torch.jit.save` wrote, here or in PyTorch, traced or scripted.

    The program runs on the operators of this build. A file cannot run other code: only the syntax
    and the operators of TorchScript are accepted.

    Args:
        f: A path, or a binary file that can seek.
        map_location: Where to place tensors, as for `torch.load`.
        _extra_files: Names of further files; their content, as bytes, becomes the values.
        _restore_shapes: Accepted for compatibility.

    Raises:
        ValueError: If there is no such file.
        RuntimeError: If the file is not an archive, or a damaged one.

    Example:
        >>> torch.jit.trace(nn.ReLU(), torch.ones(2)).save("relu.pt")
        >>> torch.jit.load("relu.pt")(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    from torch.jit._torchscript._reading import read_archive

    return read_archive(f, map_location, _extra_files)
