"""All checks that apply to any project, in the order in which they are shown."""

from __future__ import annotations

from .build_tree import LinkInputs, NinjaOnPath, Objects, Place, Tools
from .capacity import Disk, Jobs, Memory, Writable
from .check import Check
from .compilers import Compiles, SameCompilers
from .flags import CompilerFlags
from .package import Libraries, Owner, Registered
from .paths import Paths
from .sources import Sources, Submodules
from .variables import Variables

CHECKS: tuple[Check, ...] = (
    Paths(),
    Sources(),
    Submodules(),
    CompilerFlags(),
    Compiles(),
    SameCompilers(),
    Writable(),
    Disk(),
    Memory(),
    Jobs(),
    Place(),
    Tools(),
    NinjaOnPath(),
    Objects(),
    LinkInputs(),
    Libraries(),
    Owner(),
    Registered(),
    Variables(),
)
