"""Export of whole graphs, which this build does not have: its names."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from torch._absent import absent_class as _absent_class
from torch._absent import refusing as _refusing
from torch._lazy_attributes import import_at_use as _import_at_use
from torch._named_parts import NamedParts as _NamedParts

if TYPE_CHECKING:  # these names are made below, or at their first use
    from torch._C._late_export import *  # noqa: F403

_WITHOUT = "torch.export.{name} needs graph capture, which this build does not have; torch.fx traces modules"
_CLASSES = """AdditionalInputs Constraint CustomDecompTable Dim ExportBackwardSignature
ExportGraphSignature ExportedProgram FlatArgsAdapter ModuleCallEntry ModuleCallSignature
ShapesCollection UnflattenedModule""".split()  # noqa: SIM905
for _name in _CLASSES:
    globals()[_name] = _absent_class(__name__, _name, _WITHOUT.format(name=_name))
globals().update(
    _refusing(
        __name__,
        ("default_decompositions", "dims", "draft_export", "export", "load", "save", "unflatten"),
        NotImplementedError,
        _WITHOUT,
    )
)
_NamedParts(
    __name__,
    {
        "custom_obj": "ScriptObjectMeta",
        "custom_ops": "",
        "decomp_utils": "CustomDecompTable",
        "dynamic_shapes": "AdditionalInputs Dim ShapesCollection dims",
        "experimental": "",
        "exported_program": "ExportedProgram",
        "graph_signature": "ExportGraphSignature InputKind InputSpec OutputKind OutputSpec",
        "passes": "move_to_device_pass",
        "pt2_archive": "PT2ArchiveReader PT2ArchiveWriter is_pt2_package",
        "unflatten": "UnflattenedModule",
    },
    "{name} needs graph capture, which this build does not have",
    NotImplementedError,
).install()


def register_dataclass(cls: type, *, serialized_type_name: str | None = None) -> None:
    """Make torch.utils._pytree see the fields of a dataclass.

    Args:
        cls: The dataclass.
        serialized_type_name: Ignored.

    Raises:
        TypeError: If the class is not a dataclass.

    Example:
        >>> import dataclasses
        >>> @dataclasses.dataclass
        ... class Pair:
        ...     first: int
        ...     second: int
        >>> torch.export.register_dataclass(Pair)
        >>> torch.utils._pytree.tree_leaves(Pair(1, 2))
        [1, 2]
    """
    from torch.utils import _pytree

    if not dataclasses.is_dataclass(cls):
        raise TypeError(f"Only dataclasses can be registered with this function: {cls}")
    names = [field.name for field in dataclasses.fields(cls) if field.init]

    def flatten(value: Any) -> tuple[list[Any], list[str]]:
        return [getattr(value, name) for name in names], names

    def unflatten(values: Any, context: Any) -> Any:
        return cls(**dict(zip(context, values, strict=True)))

    _pytree.register_pytree_node(cls, flatten, unflatten)


__getattr__ = _import_at_use(__name__)
